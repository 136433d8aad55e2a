//! What words mean: technical words of other languages in English, and English words of like meaning.

use std::sync::LazyLock;

use fst::Map;

use crate::analyser::{fold_lower, is_gram};

/// Chinese, Japanese and Korean words of software, graphics, science and office work with their
/// English ones. Written by hand, without a look at any labelled query.
static GLOSSARY: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(include_str!("../data/glossary.txt")));

/// English stems with words of like meaning. Made by `xtask/lexica`; see `data/README.md`.
static SYNONYMS: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(include_str!("../data/synonyms.txt")));

/// Words with what they stand for: an fst over a text of one entry a line, word, tabulator, words.
struct Lexicon {
    /// Word to the places where its line's words start and end, in the halves of the number.
    words: Map<Vec<u8>>,
    text: &'static str,
}

impl Lexicon {
    fn new(text: &'static str) -> Self {
        let mut entries: Vec<(String, u64)> = Vec::new();
        let mut at = 0_u64;
        for line in text.split_inclusive('\n') {
            if let Some((word, _)) = line.split_once('\t') {
                let start = at + word.len() as u64 + 1;
                let end = at + line.trim_end().len() as u64;
                entries.push((fold_lower(word), start << 32 | end));
            }
            at += line.len() as u64;
        }
        entries.sort_unstable();
        entries.dedup_by(|later, earlier| later.0 == earlier.0);
        Self {
            // Sorted and without repetition, which is all that can go wrong.
            words: Map::from_iter(entries).unwrap_or_default(),
            text,
        }
    }

    fn meaning(&self, place: u64) -> &'static str {
        let start = usize::try_from(place >> 32).ok();
        let end = usize::try_from(place & 0xFFFF_FFFF).ok();
        start
            .zip(end)
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or_default()
    }

    /// The longest word that the text begins with: its length in bytes and its meaning.
    fn longest(&self, text: &str) -> Option<(usize, &'static str)> {
        let fst = self.words.as_fst();
        let mut node = fst.root();
        let mut output = 0_u64;
        let mut best = None;
        for (length, byte) in (1..).zip(text.bytes()) {
            let Some(transition) = node.find_input(byte).map(|place| node.transition(place)) else {
                break;
            };
            output += transition.out.value();
            node = fst.node(transition.addr);
            if node.is_final() {
                best = Some((length, output + node.final_output().value()));
            }
        }
        best.map(|(length, place)| (length, self.meaning(place)))
    }
}

/// A word of another script that the glossary knows.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gloss {
    /// The word in the query, folded.
    pub(crate) word: String,
    /// The English words, separated by blanks.
    pub(crate) meaning: &'static str,
}

/// The words of a query that the glossary knows, from left to right, the longest at each place.
pub(crate) fn glosses(text: &str) -> Vec<Gloss> {
    glosses_and_rest(text).0
}

/// The words of a query that the glossary knows, and what else there is of it.
pub(crate) fn glosses_and_rest(text: &str) -> (Vec<Gloss>, String) {
    let mut glosses = Vec::new();
    let mut unknown = String::new();
    if text.is_ascii() {
        return (glosses, unknown);
    }
    let folded = fold_lower(text);
    let mut skip = 0;
    for (start, character) in folded.char_indices() {
        if start < skip {
            continue;
        }
        if !is_gram(character) {
            unknown.push(character);
            continue;
        }
        let rest = folded.get(start..).unwrap_or_default();
        if let Some((length, meaning)) = GLOSSARY.longest(rest) {
            skip = start + length;
            glosses.push(Gloss {
                word: rest.get(..length).unwrap_or_default().to_owned(),
                meaning,
            });
            unknown.push(' ');
        } else {
            unknown.push(character);
        }
    }
    (glosses, unknown)
}

/// Words of like meaning for a stem, the most usual first.
pub(crate) fn synonyms(stem: &str) -> impl Iterator<Item = &'static str> {
    SYNONYMS
        .words
        .get(stem)
        .map_or("", |place| SYNONYMS.meaning(place))
        .split(' ')
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(text: &str) -> Vec<&'static str> {
        glosses(text)
            .into_iter()
            .map(|gloss| gloss.meaning)
            .collect()
    }

    #[test]
    fn the_longest_word_counts_and_forms_are_folded() {
        assert_eq!(meanings("渲染农场"), ["render farm"]);
        assert_eq!(meanings("渲染"), ["render"]);
        assert_eq!(meanings("リギング"), ["rig rigging"]);
        assert_eq!(meanings("ﾘｷﾞﾝｸﾞ"), ["rig rigging"]);
        assert_eq!(meanings("plain text"), [""; 0]);
    }

    #[test]
    fn every_entry_is_whole() {
        for line in include_str!("../data/glossary.txt").lines() {
            let (word, meaning) = line.split_once('\t').unwrap();
            assert!(!word.is_empty() && word.trim() == word, "{line}");
            assert!(meaning.split(' ').all(|word| !word.is_empty()), "{line}");
            assert_eq!(glosses(word).len(), 1, "{line}");
        }
    }

    #[test]
    fn synonyms_are_other_words() {
        assert!(synonyms("begin").any(|word| word == "start"));
        assert_eq!(synonyms("qqq").count(), 0);
    }
}
