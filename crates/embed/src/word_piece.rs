//! Texts to the pieces that an uncased BERT model knows.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word longer than this is unknown, as in the original.
const LONGEST_WORD: usize = 100;

/// A vocabulary: one piece a line, the number of the line being its id.
#[derive(Debug)]
pub(crate) struct WordPiece {
    pieces: HashMap<String, u32>,
    unknown: u32,
    start: u32,
    end: u32,
}

impl WordPiece {
    pub(crate) fn new(vocabulary: &str) -> Result<Self, String> {
        let pieces: HashMap<String, u32> = vocabulary
            .lines()
            .map(|line| line.trim_end().to_owned())
            .zip(0..)
            .collect();
        let id = |piece: &str| {
            pieces
                .get(piece)
                .copied()
                .ok_or_else(|| format!("the vocabulary has no `{piece}`"))
        };
        Ok(Self {
            unknown: id("[UNK]")?,
            start: id("[CLS]")?,
            end: id("[SEP]")?,
            pieces,
        })
    }

    /// The ids of a text between those of its start and its end, `most` of them at the most.
    pub(crate) fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.start];
        for word in words(text) {
            if ids.len() + 1 >= most {
                break;
            }
            self.word(&word, &mut ids);
        }
        ids.truncate(most.saturating_sub(1).max(1));
        ids.push(self.end);
        ids
    }

    /// The longest known piece, then the longest of the rest, and so on; else the word is unknown.
    fn word(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = word;
        if word.chars().nth(LONGEST_WORD).is_some() {
            ids.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let is_first = rest.len() == word.len();
            let ends = rest
                .char_indices()
                .map(|(start, _)| start)
                .skip(1)
                .chain([rest.len()]);
            let mut found = None;
            for end in ends.collect::<Vec<_>>().into_iter().rev() {
                let head = rest.get(..end).unwrap_or_default();
                let id = if is_first {
                    self.pieces.get(head)
                } else {
                    self.pieces.get(&format!("##{head}"))
                };
                if let Some(id) = id {
                    found = Some((*id, end));
                    break;
                }
            }
            let Some((id, end)) = found else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = rest.get(end..).unwrap_or_default();
        }
    }
}

/// Words in lower case without accents; signs and Chinese characters are words of their own.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let lower = text
        .nfd()
        .filter(|character| !is_combining_mark(*character));
    for character in lower.flat_map(char::to_lowercase) {
        let stands_alone = character.is_ascii_punctuation()
            || matches!(character, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF0F}')
            || matches!(character, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}');
        if character.is_whitespace() || character.is_control() || stands_alone {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if stands_alone {
                words.push(character.to_string());
            }
        } else {
            word.push(character);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece() -> WordPiece {
        WordPiece::new("[PAD]\n[UNK]\n[CLS]\n[SEP]\nrender\n##ing\nball\n!\n球\n").unwrap()
    }

    #[test]
    fn words_fall_into_known_pieces() {
        assert_eq!(piece().ids("Rendering balls!", 99), [2, 4, 5, 1, 7, 3]);
        assert_eq!(piece().ids("réndér 球体", 99), [2, 4, 8, 1, 3]);
        assert_eq!(piece().ids("", 99), [2, 3]);
    }

    #[test]
    fn a_long_text_is_cut_before_its_end() {
        assert_eq!(piece().ids("ball ball ball ball", 4), [2, 6, 6, 3]);
        assert_eq!(piece().ids(&"x".repeat(5_000), 99), [2, 1, 3]);
    }

    #[test]
    fn a_vocabulary_without_its_marks_is_an_error() {
        assert!(WordPiece::new("render").unwrap_err().contains("[UNK]"));
    }
}
