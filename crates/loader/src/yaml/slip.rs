//! A slip of syntax in words, at the place where it was made.
//!
//! A parser stops where it can go no further. What the author has to mend is often before it: the
//! bracket or quote that was never closed, the tab at the start of the line.

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
        self.tab()
            .or_else(|| self.bracket())
            .or_else(|| self.quote(info))
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

    /// The parser's own message does not name tabs. It stops at one or at the start of the next line.
    fn tab(&self) -> Option<Fault> {
        let line_start = |upto: &str| upto.rfind('\n').map_or(0, |found| found + 1);
        let upto = self.upto(self.at);
        let last = line_start(upto);
        let before = upto.get(..last.saturating_sub(1)).map_or(0, line_start);
        [last, before].into_iter().find_map(|start| {
            let line = self.text.get(start..)?.split('\n').next()?;
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let tab = line.get(..indent)?.find('\t')?;
            let place = self.base + start + tab;
            Some(Fault::new(
                FaultKind::Invalid,
                place..place + 1,
                "a tab indents this line; YAML allows spaces only",
            ))
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
    fn the_entry_is_named() {
        let text = "tools:\n- name: one\n- name: two\n  tags: [a\n  group: g\n- name: three\n";
        let (line, message) = slip(text);
        assert_eq!(line, 4, "{message}");
        assert!(message.ends_with("(in `tools[1]`, `two`)"), "{message}");
    }
}
