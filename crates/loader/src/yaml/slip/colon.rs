//! Keys, colons and dashes that are not written as YAML wants them.

use super::super::{Fault, FaultKind};
use super::Slip;
use crate::findings::brief;

impl Slip<'_> {
    /// A key or a `-` that is run together with what follows it, or a key without its `:`. What was written that way
    /// goes on as one text into the next line, and the parser stops there.
    pub(super) fn colon(&self, info: &str) -> Option<Fault> {
        let is_told = info.contains("simple key expect")
            || info.contains("mapping values are not allowed")
            || info.contains("block mapping");
        if !is_told {
            return None;
        }
        let upto = self.upto(self.at);
        let end = upto.rfind('\n')?;
        let mut start = end;
        let words = loop {
            let above = upto.get(..start)?;
            let line = above.rfind('\n').map_or(0, |found| found + 1);
            let words = above.get(line..)?.trim();
            if !words.is_empty() && !words.starts_with('#') {
                start = line;
                break words;
            }
            start = line.checked_sub(1)?;
        };
        let line = upto.get(start..end)?;
        if let Some(fault) = self.text_of_block(upto.get(..start)?) {
            return Some(fault);
        }
        let mut place = self.base + start + (line.len() - line.trim_start().len());
        let mut words = words;
        while let Some(behind) = words.strip_prefix("- ") {
            let inside = behind.trim_start();
            place += words.len() - inside.len();
            words = inside;
        }
        let invalid = |place: usize, length: usize, message: String| {
            Fault::new(FaultKind::Invalid, place..place + length, message)
        };
        let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if let Some(behind) = words.strip_prefix('-')
            && behind.starts_with(is_key)
        {
            let fault = invalid(place, 1, "no blank behind the `-`".to_owned());
            return Some(fault.cured_by(format!("write `- {}`", brief(behind))));
        }
        let key = words.get(..words.find(|c| !is_key(c)).unwrap_or(words.len()))?;
        if let Some(value) = words.get(key.len()..)?.strip_prefix('：')
            && !key.is_empty()
        {
            let message = format!("the `：` behind `{}` is a full-width colon", brief(key));
            let fault = invalid(place + key.len(), '：'.len_utf8(), message);
            let written = format!("{}: {}", brief(key), brief(value.trim()));
            return Some(fault.cured_by(format!("write `{}`", written.trim_end())));
        }
        if info.contains("block mapping") {
            return None;
        }
        let behind = words.get(key.len()..)?;
        if key.is_empty() {
            return None;
        }
        match behind.strip_prefix(':') {
            Some(value) if !value.is_empty() && !value.starts_with([' ', '\t']) => {
                let message = format!("no blank behind the `:` of `{}`", brief(key));
                let fault = invalid(place + key.len(), 1, message);
                Some(fault.cured_by(format!("write `{}: {}`", brief(key), brief(value))))
            }
            Some(value) => self.deeper(line, !value.trim().is_empty()),
            None if behind.contains(": ") => None,
            None => {
                let fault = invalid(place, key.len(), format!("no `:` behind `{}`", brief(key)));
                let value = behind.trim_start();
                let written = format!("{}: {}", brief(key), brief(value));
                Some(fault.cured_by(format!("write `{}`", written.trim_end())))
            }
        }
    }

    /// Lines below a `>` or `|` that are not indented, so that they are none of its text.
    fn text_of_block(&self, above: &str) -> Option<Fault> {
        let opening = above.trim_end_matches('\n').lines().next_back()?;
        let (key, mark) = opening.trim().rsplit_once(':')?;
        let is_block = matches!(mark.trim(), ">" | "|" | ">-" | "|-" | ">+" | "|+");
        is_block.then(|| {
            let place = self.base + above.len();
            let message = format!("the text of `{}` is not indented", brief(key.trim()));
            let fault = Fault::new(FaultKind::Invalid, place..place, message);
            fault.cured_by("begin each of its lines with two blanks more than the key")
        })
    }

    /// The line where the parser stopped, when it begins further inside than a key above that has its value.
    fn deeper(&self, above: &str, has_value: bool) -> Option<Fault> {
        let upto = self.upto(self.at);
        let start = upto.rfind('\n').map_or(0, |found| found + 1);
        let line = self.text.get(start..)?.lines().next()?;
        let column = line.len() - line.trim_start_matches(' ').len();
        (has_value && column > key_column(above)).then(|| {
            let place = self.base + start + column;
            Fault::new(
                FaultKind::Invalid,
                place..place,
                "the line is indented more than the key above it, which has its value already",
            )
            .cured_by("line it up with the key above")
        })
    }
}

/// Where the key of a line begins: behind its blanks and the `-` of the lists that it opens.
fn key_column(line: &str) -> usize {
    let blanks = |text: &str| text.len() - text.trim_start_matches(' ').len();
    let mut at = blanks(line);
    while let Some(inside) = line.get(at..).and_then(|rest| rest.strip_prefix('-')) {
        if !inside.starts_with(' ') {
            break;
        }
        at += 1 + blanks(inside);
    }
    at
}
