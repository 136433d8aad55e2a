//! A slip of syntax in words, at the place where it was made.
//!
//! A parser stops where it can go no further. What the author has to mend is often before it: the
//! bracket or quote that was never closed, the tab at the start of the line.

use std::collections::BTreeSet;

use super::{Fault, FaultKind};

/// Where a parser stopped.
pub(super) struct Slip<'a> {
    pub(super) text: &'a str,
    /// What is added to every place.
    pub(super) base: usize,
    /// Where it stopped.
    pub(super) at: usize,
    /// Where the innermost collection begins that was open then.
    pub(super) open: Option<usize>,
}

impl Slip<'_> {
    /// The fault; `info` is what the parser said.
    pub(super) fn fault(&self, info: &str) -> Fault {
        self.tab(info)
            .or_else(|| self.bracket())
            .or_else(|| self.quote(info))
            .or_else(|| self.indentation(info))
            .unwrap_or_else(|| {
                Fault::new(
                    FaultKind::Invalid,
                    self.at..self.at,
                    format!("not valid YAML: {info}"),
                )
            })
    }

    fn upto(&self, place: usize) -> &str {
        let upto = place.checked_sub(self.base);
        upto.and_then(|end| self.text.get(..end))
            .unwrap_or(self.text)
    }

    /// The parser stops at a tab, at the start of the next line, or at the text that a line behind a
    /// tab seems to continue.
    fn tab(&self, info: &str) -> Option<Fault> {
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
        Some(Fault::new(
            FaultKind::Invalid,
            place..place + 1,
            "found a tab; YAML indents with blanks",
        ))
    }

    /// A line of a block that lines up with none of those above it.
    fn indentation(&self, info: &str) -> Option<Fault> {
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
        })
    }

    /// A bracket that is open and finds no partner before the text goes on as if it had been closed.
    fn bracket(&self) -> Option<Fault> {
        let open = self.open?;
        let bracket = self
            .text
            .get(open.checked_sub(self.base)?..)?
            .chars()
            .next()?;
        let partner = match bracket {
            '[' => ']',
            '{' => '}',
            _ => return None,
        };
        let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let own = self
            .text
            .get(self.upto(open).rfind('\n').map_or(0, |found| found + 1)..)?;
        let own = indent(own);
        let upto = self.upto(self.at);
        let line = upto.rfind('\n').map_or(0, |found| found + 1);
        let is_first = line <= open - self.base;
        // The lines that can belong to the bracket: this one and those that are further inside.
        let closed = self
            .text
            .get(line..)?
            .lines()
            .enumerate()
            .take_while(|(number, line)| {
                (*number == 0 && is_first)
                    || line.trim().is_empty()
                    || indent(line) > own
                    || line.trim_start().starts_with(partner)
            })
            .any(|(_, line)| line.contains(partner));
        (!closed).then(|| {
            Fault::new(
                FaultKind::Invalid,
                open..open + 1,
                format!("not valid YAML: the `{bracket}` here is not closed"),
            )
        })
    }

    /// A quote that was closed by the opening one of a later text.
    fn quote(&self, info: &str) -> Option<Fault> {
        if info.contains("quoted scalar, found unexpected")
            || info.contains("indentation in quoted")
        {
            // The parser is at the opening quote here.
            let quote = self
                .text
                .get(self.at.checked_sub(self.base)?..)?
                .chars()
                .next()?;
            return matches!(quote, '"' | '\'').then(|| unclosed(quote, self.at));
        }
        if !info.contains("after double-quoted scalar") {
            return None;
        }
        let upto = self.upto(self.at).trim_end();
        let quote = upto
            .chars()
            .next_back()
            .filter(|c| matches!(c, '"' | '\''))?;
        let inside = upto.get(..upto.len() - 1)?;
        let opening = inside
            .rmatch_indices(quote)
            .map(|(place, _)| place)
            .find(|place| {
                inside
                    .get(..*place)
                    .is_none_or(|before| !before.ends_with('\\'))
            })?;
        let lines = inside.get(opening..)?.contains('\n');
        lines.then(|| unclosed(quote, self.base + opening))
    }
}

fn unclosed(quote: char, place: usize) -> Fault {
    Fault::new(
        FaultKind::Invalid,
        place..place + 1,
        format!("not valid YAML: the quote {quote} here is not closed in its line"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// The line (from 1) and the message.
    fn slip(text: &str) -> (usize, String) {
        let fault = parse(text, 0).unwrap_err();
        let line = text[..fault.span.start].matches('\n').count() + 1;
        (line, fault.message)
    }

    #[test]
    fn what_is_not_closed_is_told_where_it_was_opened() {
        for (text, line, words) in [
            ("a: [b\nc: d\n", 1, "the `[` here is not closed"),
            ("a: {b: c\nd: e\n", 1, "the `{` here is not closed"),
            ("a: [b", 1, "the `[` here is not closed"),
            (
                "a:\n  b: [c,\n    d\ne: f\n",
                2,
                "the `[` here is not closed",
            ),
            ("a:\n  b: \"c\n  d: e\n", 2, "the quote \" here"),
            ("a:\n  b: 'c\nd: e\n", 2, "the quote ' here"),
            ("a: \"b\nc: \"d\"\n", 1, "the quote \" here"),
        ] {
            let (found, message) = slip(text);
            assert!(
                found == line && message.contains(words),
                "{text:?}: {found} {message}"
            );
        }
    }

    #[test]
    fn a_slip_inside_closed_brackets_stays_where_it_is() {
        let (line, message) = slip("a: [\n  b,\n  c: d: e,\n]\n");
        assert_eq!(line, 3, "{message}");
        assert!(!message.contains("not closed"), "{message}");
    }

    #[test]
    fn a_tab_is_told_in_its_line() {
        for (text, line) in [
            ("tools:\n\t- name: a\n", 2),
            ("tools:\n  - name: a\n\t description: b\n", 3),
            ("tools:\n  - name: a\n    description: b\n\tgroup: c\n", 4),
            ("tools:\n  - name: a\n  \tdescription: b\n", 3),
            ("tools:\n  -\tname: a\n\t\tdescription: b\n", 3),
            (
                "tools:\n  - name: a\n    input_schema:\n\t  type: object\n    group: b\n",
                4,
            ),
            ("tools:\n  - name: a\n    tags: [b,\n\tc\n    group: d\n", 4),
            (
                "tools:\n  - name: a\n    description: b\n\n\tgroup: c\n\tx: y\n",
                5,
            ),
        ] {
            let (found, message) = slip(text);
            assert!(
                found == line && message.contains("found a tab; YAML indents with blanks"),
                "{text:?}: {found} {message}"
            );
        }
    }

    #[test]
    fn an_indentation_that_fits_nothing_is_told() {
        for (text, line) in [
            ("tools:\n  - name: a\n   description: b\n", 3),
            ("tools:\n  - name: a\n    description: b\n   - name: c\n", 4),
            ("tools:\n  - name: a\n - name: b\n", 3),
            ("tools:\n  - name: a\n    group: b\n  description: c\n", 4),
        ] {
            let (found, message) = slip(text);
            assert!(
                found == line && message.contains("indentation"),
                "{text:?}: {found} {message}"
            );
        }
    }

    #[test]
    fn the_entry_is_named() {
        let text = "tools:\n- name: one\n- name: two\n  tags: [a\n  group: g\n- name: three\n";
        let (line, message) = slip(text);
        assert_eq!(line, 4, "{message}");
        assert!(message.ends_with("(in `tools[1]`, `two`)"), "{message}");
    }
}
