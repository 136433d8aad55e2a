//! Words that say nothing about what is looked for.

/// English articles, pronouns, prepositions, conjunctions, auxiliaries and the words of polite
/// requests, in the order of their bytes.
const WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "cannot", "cant", "could",
    "did", "do", "does", "doing", "dont", "each", "else", "every", "for", "from", "get", "give",
    "had", "has", "have", "having", "he", "help", "her", "here", "him", "his", "how", "i", "id",
    "if", "ill", "im", "in", "into", "is", "it", "its", "ive", "just", "let", "lets", "like",
    "may", "me", "might", "more", "most", "must", "my", "need", "needs", "no", "nor", "not", "of",
    "off", "on", "or", "other", "our", "out", "over", "own", "please", "she", "should", "so",
    "some", "such", "than", "that", "thats", "the", "their", "them", "then", "there", "these",
    "they", "thing", "this", "those", "to", "too", "us", "very", "want", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would",
    "you", "your",
];

/// Chinese and Japanese pairs that ask rather than name, in the order of their code points.
const PAIRS: &[&str] = &[
    "お願", "から", "して", "する", "たい", "ださ", "です", "ます", "一下", "一个", "下さ", "什么",
    "他们", "你们", "如何", "帮我", "怎么", "怎样", "我们", "我想", "我的", "我要", "是否", "请帮",
    "请问", "这个", "那个", "願い",
];

pub(super) fn is_stop_word(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

pub(super) fn is_stop_pair(pair: &str) -> bool {
    PAIRS.binary_search(&pair).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        assert!(WORDS.is_sorted());
        assert!(PAIRS.is_sorted());
    }
}
