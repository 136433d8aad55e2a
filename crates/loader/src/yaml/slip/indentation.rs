//! Lines that begin in a place, or with a character, where none can begin.

use std::collections::BTreeSet;

use super::super::{Fault, FaultKind};
use super::Slip;

impl Slip<'_> {
    /// A line that begins with a blank which is none to YAML: no-break, ideographic, or another one of Unicode's. Whatever
    /// the parser made of the line, it took the blank for a part of a word.
    pub(super) fn odd_blank(&self) -> Option<Fault> {
        let line_start = |upto: &str| upto.rfind('\n').map_or(0, |found| found + 1);
        let upto = self.upto(self.at);
        let last = line_start(upto);
        let before = upto.get(..last.saturating_sub(1)).map_or(0, line_start);
        [before, last].into_iter().find_map(|start| {
            let line = self.text.get(start..)?.lines().next()?;
            let words = line.trim_start();
            // The text of a block may begin with any blank; a line with a key or a dash is none of it.
            if !words.contains(':') && !words.starts_with("- ") {
                return None;
            }
            let mut indent = line.get(..line.len() - words.len())?.char_indices();
            let (at, found) = indent.find(|(_, c)| !c.is_ascii())?;
            let place = self.base + start + at;
            let message = format!(
                "the line begins with U+{:04X}, which is no blank to YAML",
                u32::from(found)
            );
            let fault = Fault::new(FaultKind::Invalid, place..place + found.len_utf8(), message);
            Some(fault.cured_by("indent with spaces"))
        })
    }

    /// The parser stops at a tab, at the start of the next line, or at the text that a line behind a
    /// tab seems to continue.
    pub(super) fn tab(&self, info: &str) -> Option<Fault> {
        let line_start = |upto: &str| upto.rfind('\n').map_or(0, |found| found + 1);
        let upto = self.upto(self.at);
        let last = line_start(upto);
        let before = upto.get(..last.saturating_sub(1)).map_or(0, line_start);
        let behind = self.text.get(last..).unwrap_or_default();
        let behind = behind.match_indices('\n').map(|(end, _)| last + end + 1);
        let is_told = info.contains("tab");
        let place = |start: usize| {
            let line = self.text.get(start..)?.split('\n').next()?;
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            Some(self.base + start + line.get(..indent)?.find('\t')?)
        };
        let place = [last, before]
            .into_iter()
            .chain(behind.filter(|_| is_told))
            .find_map(place)?;
        Some(
            Fault::new(
                FaultKind::Invalid,
                place..place + 1,
                "found a tab; YAML indents with blanks",
            )
            .cured_by("indent with spaces"),
        )
    }

    /// A line of a block that lines up with none of those above it.
    pub(super) fn indentation(&self, info: &str) -> Option<Fault> {
        if !info.contains("block") {
            return None;
        }
        let upto = self.upto(self.at);
        let start = upto.rfind('\n').map_or(0, |found| found + 1);
        let (above, rest) = self.text.split_at_checked(start)?;
        let (mut keys, mut dashes) = (BTreeSet::new(), BTreeSet::new());
        for line in above.lines() {
            let mut at = line.len() - line.trim_start_matches(' ').len();
            while line.get(at..).is_some_and(|rest| rest.starts_with("- ")) {
                dashes.insert(at);
                let inside = line.get(at + 1..).unwrap_or_default();
                at += 1 + inside.len() - inside.trim_start_matches(' ').len();
            }
            keys.insert(at);
        }
        let line = rest.lines().next()?;
        let words = line.trim_start_matches(' ');
        let column = line.len() - words.len();
        let is_dash = words == "-" || words.starts_with("- ");
        let levels = if is_dash { &dashes } else { &keys };
        let place = self.base + start + column;
        (!levels.contains(&column)).then(|| {
            Fault::new(
                FaultKind::Invalid,
                place..place,
                "the indentation of this line is that of no line above it",
            )
            .cured_by("line it up with the keys, or with the `-`, that it belongs to")
        })
    }
}
