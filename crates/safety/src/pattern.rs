//! A regular expression that is compiled when it is first needed.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// What may stand between two words: blanks, line ends, and the marks of Markdown.
const GAP: &str = r"[\x20\t\r\n*_>#]{1,12}";

/// A pattern in which `~` stands for the gap between two words; a tilde is written `\x7E`. Case plays no part.
pub(crate) struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }

    /// `None` for a pattern that does not compile; a test compiles all of them.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| Regex::new(&format!("(?i){}", self.source.replace('~', GAP))).ok())
            .as_ref()
    }

    /// The places where it matches, from left to right.
    pub(crate) fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.regex()
            .into_iter()
            .flat_map(|regex| regex.find_iter(text).map(|found| found.range()))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}
