//! A regular expression that is compiled when it is first needed, and the words without which it cannot match.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// What may stand between two words: blanks, line ends, the marks of Markdown, and a dash between blanks.
const GAP: &str = r"[\t-\r\x20*_>#]+(?:-[\t-\r\x20]+)?";

/// Words of which each match of a pattern holds one, and how much of the match stands around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    /// In small letters; `|` at an end stands for the end of a word.
    pub(crate) words: &'static [&'static str],
    /// So many bytes before the word at most.
    pub(crate) back: usize,
    /// So many behind it, in all but the oddest cases.
    pub(crate) ahead: usize,
    /// Of each of these one stands within that distance as well.
    pub(crate) with: &'static [&'static [&'static str]],
}

impl Anchor {
    pub(crate) const fn new(words: &'static [&'static str], back: usize, ahead: usize) -> Self {
        Self {
            words,
            back,
            ahead,
            with: &[],
        }
    }

    pub(crate) const fn with(mut self, with: &'static [&'static [&'static str]]) -> Self {
        self.with = with;
        self
    }
}

/// A pattern in which `~` stands for the gap between two words; a tilde is written `\x7E`. Case plays no part.
///
/// A pattern is expensive, so it is tried only where one of its anchors stands ([`Spots`](crate::spots::Spots)).
pub(crate) struct Pattern {
    source: &'static str,
    pub(crate) anchors: &'static [Anchor],
    compiled: OnceLock<Option<Regex>>,
    number: OnceLock<usize>,
}

impl Pattern {
    /// One for short texts, tried everywhere.
    pub(crate) const fn new(source: &'static str) -> Self {
        Self::near(source, &[])
    }

    /// One that is tried near its anchors alone.
    pub(crate) const fn near(source: &'static str, anchors: &'static [Anchor]) -> Self {
        Self {
            source,
            anchors,
            compiled: OnceLock::new(),
            number: OnceLock::new(),
        }
    }

    /// Its place among those that are tried near anchors; `None` before they are put in order, and for others.
    pub(crate) fn number(&self) -> Option<usize> {
        self.number.get().copied()
    }

    /// Puts it in its place among them, once.
    pub(crate) fn set_number(&self, number: usize) {
        self.number.get_or_init(|| number);
    }

    /// `None` for a pattern that does not compile; a test compiles all of them.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| Regex::new(&written(self.source)).ok())
            .as_ref()
    }

    /// Whether it was needed so far.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// The places where it matches within some parts of a text, from left to right. The parts are in order.
    pub(crate) fn places_within(&self, text: &str, parts: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        // Asked first: where there is no part, nothing is compiled.
        if parts.is_empty() {
            return found;
        }
        let Some(regex) = self.regex() else {
            return found;
        };
        let mut from = 0;
        for part in parts {
            let mut end = part.end;
            from = from.max(part.start);
            // What was found in an earlier part may reach beyond this one.
            if from >= end {
                continue;
            }
            while let Some(place) = text.get(..end).and_then(|text| regex.find_at(text, from)) {
                if place.end() == end && end < text.len() {
                    // It may be longer than the part.
                    end = ceiling(text, end.saturating_add((end - from).max(500)));
                    continue;
                }
                found.push(place.range());
                from = place.end();
            }
        }
        found
    }

    /// Whether it matches anywhere; for short texts.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

/// A pattern as the regular expression that is compiled. In one that is written in ASCII, words are those of ASCII: the
/// classes of all scripts, sixty times in a row, would take longer to compile than any text to read.
fn written(source: &str) -> String {
    let mut written = "(?i)".to_owned();
    let mut in_class = false;
    let mut characters = source.chars();
    while let Some(c) = characters.next() {
        match c {
            '~' => written.push_str(GAP),
            '\\' => {
                let escaped = characters.next();
                let class = match escaped.filter(|_| source.is_ascii()) {
                    Some('w') => "0-9A-Za-z_",
                    Some('d') => "0-9",
                    Some('s') => r"\t-\r\x20",
                    Some('S') if !in_class => r"^\t-\r\x20",
                    Some('b') if !in_class => {
                        written.push_str(r"(?-u:\b)");
                        continue;
                    }
                    _ => {
                        written.push('\\');
                        written.extend(escaped);
                        continue;
                    }
                };
                if in_class {
                    written.push_str(class);
                } else {
                    written.push('[');
                    written.push_str(class);
                    written.push(']');
                }
            }
            _ => {
                in_class = c == '[' || in_class && c != ']';
                written.push(c);
            }
        }
    }
    written
}

/// The next place at or behind an offset where a character begins.
pub(crate) fn ceiling(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compiled_for_nothing() {
        let pattern = Pattern::near("a", &[]);
        assert!(pattern.places_within("a", &[]).is_empty());
        assert!(!pattern.is_compiled());
        let whole = 0..1;
        let whole = std::slice::from_ref(&whole);
        assert_eq!(pattern.places_within("a", whole), whole);
        assert!(pattern.is_compiled());
    }

    #[test]
    fn words_are_those_of_ascii_where_the_pattern_is() {
        assert_eq!(
            written(r"\ba~[\w.-]{2}\S\["),
            format!(r"(?i)(?-u:\b)a{GAP}[0-9A-Za-z_.-]{{2}}[^\t-\r\x20]\[")
        );
        assert_eq!(written(r"\bä\w"), r"(?i)\bä\w");
    }
}
