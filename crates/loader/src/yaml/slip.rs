//! A slip of syntax in words, at the place where it was made.
//!
//! A parser stops where it can go no further. What the author has to mend is often before it: the
//! bracket or quote that was never closed, the tab at the start of the line.

use super::{Fault, FaultKind};

mod colon;
mod indentation;

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
        self.half_character(info)
            .or_else(|| self.alias(info))
            .or_else(|| self.odd_blank())
            .or_else(|| self.tab(info))
            .or_else(|| self.bracket())
            .or_else(|| self.quote(info))
            .or_else(|| self.indentation(info))
            .or_else(|| self.colon(info))
            .unwrap_or_else(|| {
                Fault::new(
                    FaultKind::Invalid,
                    self.at..self.at,
                    format!("not valid YAML: {info}"),
                )
            })
    }

    /// JSON writers spell a character beyond U+FFFF as two escapes; YAML has one escape for it.
    fn half_character(&self, info: &str) -> Option<Fault> {
        if !info.contains("invalid Unicode character escape code") {
            return None;
        }
        let from = self.at.checked_sub(self.base)?;
        let is_half = |escape: &str| {
            let code = escape
                .get(2..6)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok());
            code.is_some_and(|code| (0xD800..0xE000).contains(&code))
        };
        let rest = self.text.get(from..)?;
        let (at, escape) = rest
            .match_indices("\\u")
            .filter_map(|(at, _)| Some((at, rest.get(at..)?)))
            .find(|(_, escape)| is_half(escape))?;
        let written = escape.get(..6)?;
        let place = self.at + at..self.at + at + written.len();
        let message = format!("not valid YAML: the escape `{written}` is half a character");
        let cure = "write the character itself, or one escape for it: `\\U` and eight digits";
        Some(Fault::new(FaultKind::Invalid, place, message).cured_by(cure))
    }

    /// What is emphasis to an author is an alias to YAML.
    fn alias(&self, info: &str) -> Option<Fault> {
        if !info.contains("unknown anchor") {
            return None;
        }
        let rest = self.text.get(self.at.checked_sub(self.base)?..)?;
        let name = rest.strip_prefix('*')?;
        let name = name.split(char::is_whitespace).next()?;
        let name: String = name.chars().take(40).collect();
        let place = self.at..self.at + 1 + name.len();
        let message = format!(
            "not valid YAML: `*{name}` means what an anchor `&{name}` marks, and there is none"
        );
        Some(
            Fault::new(FaultKind::Invalid, place, message)
                .cured_by("quote text that begins with `*`"),
        )
    }

    pub(super) fn upto(&self, place: usize) -> &str {
        let upto = place.checked_sub(self.base);
        upto.and_then(|end| self.text.get(..end))
            .unwrap_or(self.text)
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
        if inside.get(opening..)?.contains('\n') {
            return Some(unclosed(quote, self.base + opening));
        }
        let cure = match quote {
            '\'' => "write `''` for an apostrophe, or put the whole value into double quotes",
            _ => "write `\\\"` for a quote inside, or put the whole value into single quotes",
        };
        let place = self.at..self.at;
        let message = format!("not valid YAML: words follow the {quote} that ends the value");
        Some(Fault::new(FaultKind::Invalid, place, message).cured_by(cure))
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
    fn words_that_are_run_together_are_told_in_their_line() {
        for (text, line, words, cure) in [
            (
                "tools:\n  - name: a\n    description:Count the\n",
                3,
                "no blank behind the `:` of `description` (in `tools[0]`, `a`)",
                "write `description: Count the`",
            ),
            (
                "tools:\n  - name: a\n    source_file:run.py\n\n    # why\n    group: b\n",
                3,
                "no blank behind the `:` of `source_file` (in `tools[0]`, `a`)",
                "write `source_file: run.py`",
            ),
            (
                "tools:\n  - name: a\n    description Count\n    group: x\n",
                3,
                "no `:` behind `description` (in `tools[0]`, `a`)",
                "write `description: Count`",
            ),
            (
                "tools:\n  - name:a\n    description: x\n",
                2,
                "no blank behind the `:` of `name` (in `tools[0]`)",
                "write `name: a`",
            ),
            (
                "tools:\n  -name: a\n   description: x\n",
                2,
                "no blank behind the `-`",
                "write `- name: a`",
            ),
            (
                "tools:\n  - name：a\n    description: x\n",
                2,
                "the `：` behind `name` is a full-width colon (in `tools[0]`)",
                "write `name: a`",
            ),
            (
                "tools:\n  - name: a\n    input_schema:\n      required： [text]\n      type: object\n",
                4,
                "the `：` behind `required` is a full-width colon (in `tools[0]`, `a`)",
                "write `required: [text]`",
            ),
            (
                "tools\n  - name: a\n",
                1,
                "no `:` behind `tools`",
                "write `tools:`",
            ),
        ] {
            let fault = parse(text, 0).unwrap_err();
            let found = text[..fault.span.start].matches('\n').count() + 1;
            assert_eq!(
                (found, fault.message.as_str(), fault.help.as_deref()),
                (line, words, Some(cure)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_line_that_is_out_of_line_belongs_to_the_entry_above_it() {
        for (text, entry) in [
            (
                "tools:\n  - name: a\n    group: b\n   read_only: true\n",
                "(in `tools[0]`, `a`)",
            ),
            (
                "tools:\n  - name: a\n  - name: b\n   group: c\n",
                "(in `tools[1]`, `b`)",
            ),
        ] {
            let (_, message) = slip(text);
            assert!(message.ends_with(entry), "{text:?}: {message}");
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
