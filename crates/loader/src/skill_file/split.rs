//! Splits SKILL.md into front matter and body, on bytes.

use std::ops::Range;

use metier_diagnostics::Code;

use crate::codes;

/// The largest front matter in bytes.
pub(crate) const FRONT_MATTER_LIMIT: usize = 256 * 1024;

/// Where the parts of a SKILL.md are.
#[derive(Debug)]
pub(crate) struct Split<'a> {
    /// The file up to the end of the front matter; places count in it.
    pub(crate) head: &'a str,
    /// The bytes of the YAML between the fences.
    pub(crate) yaml: Range<usize>,
    /// The first byte of the body.
    pub(crate) body: usize,
    /// A byte order mark comes first.
    pub(crate) mark: bool,
    /// Blank lines come first.
    pub(crate) blank_lines: bool,
}

/// Why a file has no front matter that could be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SplitFault {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The bytes that are meant.
    pub(crate) span: Range<usize>,
    pub(crate) help: Option<&'static str>,
}

const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// What a file without anything needs.
const BEGIN: &str = "write `---`, at least `name:` and `description:`, and `---`";

/// Finds the front matter in the first bytes of a file; `whole` says whether they are all of it.
pub(crate) fn split(bytes: &[u8], whole: bool) -> Result<Split<'_>, SplitFault> {
    let fault = |code, span, message: String, help| SplitFault {
        code,
        message,
        span,
        help,
    };
    if bytes.is_empty() {
        let message = "the file is empty".to_owned();
        return Err(fault(codes::SKILL_FILE_EMPTY, 0..0, message, Some(BEGIN)));
    }
    if looks_like_utf16(bytes) {
        let found = match bytes {
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => "UTF-32",
            _ => "UTF-16",
        };
        let message = format!("the file is not UTF-8: it looks like {found}");
        return Err(fault(
            codes::SKILL_FILE_NOT_UTF8,
            0..0,
            message,
            Some("save the file as UTF-8"),
        ));
    }
    let mark = bytes.starts_with(MARK);
    let mut lines = Lines {
        bytes,
        at: if mark { MARK.len() } else { 0 },
        number: 0,
    };
    let mut opening = None;
    for line in lines.by_ref() {
        if !trimmed(line.bytes).is_empty() {
            opening = Some(line);
            break;
        }
    }
    let Some(opening) = opening else {
        let message = "the file holds only blank lines".to_owned();
        return Err(fault(codes::SKILL_FILE_EMPTY, 0..0, message, Some(BEGIN)));
    };
    if opening.bytes.trim_ascii_end() != b"---" {
        let rest = lines
            .by_ref()
            .any(|line| line.bytes.trim_ascii_end() == b"---");
        let found = first_words(opening.bytes);
        let message = if rest {
            format!("front matter must start on line 1, found {found} there")
        } else {
            format!("no front matter: it must start with `---` on line 1, found {found}")
        };
        let help = if opening.bytes.starts_with(b"---\r") {
            "end the lines with LF, or CR and LF; the file has CR alone"
        } else {
            "put `---`, the keys and `---` at the very top of the file"
        };
        let code = codes::FRONT_MATTER_ABSENT;
        return Err(fault(code, opening.words(), message, Some(help)));
    }
    let yaml_start = lines.at;
    let closing = lines
        .by_ref()
        .take_while(|line| line.start - yaml_start <= FRONT_MATTER_LIMIT)
        .find(|line| line.bytes.trim_ascii_end() == b"---");
    let Some(closing) = closing else {
        if !whole || lines.at - yaml_start > FRONT_MATTER_LIMIT {
            return Err(fault(
                codes::FRONT_MATTER_TOO_LARGE,
                opening.words(),
                "the front matter is too large: more than 256 KiB without a closing `---`"
                    .to_owned(),
                Some("keep long texts in the body"),
            ));
        }
        return Err(fault(
            codes::FRONT_MATTER_NOT_CLOSED,
            opening.words(),
            "the front matter is not closed".to_owned(),
            Some("add a line `---` after the last key"),
        ));
    };
    let head = bytes.get(..closing.start).unwrap_or_default();
    let head = std::str::from_utf8(head).map_err(|error| {
        let at = error.valid_up_to();
        fault(
            codes::SKILL_FILE_NOT_UTF8,
            at..at,
            format!("the file is not UTF-8 (byte {at})"),
            Some("save the file as UTF-8"),
        )
    })?;
    Ok(Split {
        head,
        yaml: yaml_start..closing.start,
        body: lines.at,
        mark,
        blank_lines: opening.number > 1,
    })
}

/// The body of a SKILL.md: everything below the line that closes the front matter.
///
/// `None` when there is no front matter. The bytes are those of the file, line ends included.
pub fn body_of(skill_file: &[u8]) -> Option<&[u8]> {
    let split = split(skill_file, true).ok()?;
    skill_file.get(split.body..)
}

/// The first key of what looks like front matter at the beginning of a body, up to a `---`: somebody closed
/// the front matter too early.
pub(crate) fn keys_below(body: &str) -> Option<&str> {
    let is_key = |line: &&str| {
        line.split_once(':').is_some_and(|(key, value)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !key.is_empty()
                && key.chars().all(plain)
                && (value.is_empty() || value.starts_with([' ', '\r']))
        })
    };
    let mut lines = body.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().filter(is_key)?;
    for line in lines {
        if line.trim_end() == "---" {
            return first.split_once(':').map(|(key, _)| key);
        }
        if !(line.starts_with([' ', '\t', '#', '-']) || is_key(&line)) {
            return None;
        }
    }
    None
}

/// The name that a broken front matter seems to state, for showing it among the rejected.
pub(crate) fn guess_name(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096))?);
    let line = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    let value = line.split_once(" #").map_or(line, |(value, _)| value);
    let name = value.trim().trim_matches(['"', '\'']).trim();
    // What YAML reads as the beginning of something else is no name.
    let is_name = !name.is_empty() && !name.contains(|c: char| "[]{}\"'&*!|>%@`#,:".contains(c));
    is_name.then(|| name.to_owned())
}

fn looks_like_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
        || bytes.starts_with(&[0, 0, 0xFE, 0xFF])
        || matches!(bytes, [first, 0, second, 0, ..] if *first != 0 && *second != 0)
        || matches!(bytes, [0, first, 0, second, ..] if *first != 0 && *second != 0)
}

fn first_words(line: &[u8]) -> &'static str {
    let line = line.trim_ascii_start();
    if line.starts_with(b"<!--") {
        "a comment"
    } else if line.starts_with(b"#") {
        "a heading"
    } else if line.starts_with(b"---\r") {
        "a line that ends with CR alone"
    } else if line.starts_with(b"---") {
        "`---` with more text after it"
    } else if line.starts_with(b"```") {
        "a code fence"
    } else {
        "text"
    }
}

/// Blanks of every kind count, the no-break space of a careless paste included.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    match std::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => &[],
        _ => line,
    }
}

struct Line<'a> {
    start: usize,
    number: usize,
    bytes: &'a [u8],
}

impl Line<'_> {
    /// Where its text is, without the blanks around it, as far as it is text.
    fn words(&self) -> Range<usize> {
        let line = self.bytes.trim_ascii_end();
        let words = line.trim_ascii_start();
        let start = self.start + line.len() - words.len();
        let length = std::str::from_utf8(words).map_or_else(|fault| fault.valid_up_to(), str::len);
        start..start + length
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    /// The first byte that was not returned yet.
    at: usize,
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(rest.len(), |found| found + 1);
        let line = Line {
            start: self.at,
            number: self.number + 1,
            bytes: rest.get(..length)?,
        };
        self.at += length;
        self.number += 1;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (&str, &str) {
        let split = split(text.as_bytes(), true).unwrap();
        (&text[split.yaml.clone()], &text[split.body..])
    }

    fn fault(bytes: &[u8]) -> (&'static str, Range<usize>, String) {
        let fault = split(bytes, true).unwrap_err();
        (fault.code.id, fault.span, fault.message)
    }

    #[test]
    fn a_broken_name_is_guessed_only_where_it_is_one() {
        for (line, name) in [
            ("name: bake-ao", Some("bake-ao")),
            ("name: \"bake ao", Some("bake ao")),
            ("name: 名 # of the tool", Some("名")),
            ("name: [", None),
            ("name: [bake", None),
            ("name: {bake", None),
            ("name: &bake", None),
            ("name: a: b", None),
            ("name: | ", None),
            ("name:", None),
            ("name: '\"", None),
        ] {
            assert_eq!(guess_name(line.as_bytes()).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn a_closing_line_is_exactly_three_dashes() {
        assert_eq!(
            parts("---\na: x --- y\n----\n --- \n--- \r\nbody\n---\n"),
            ("a: x --- y\n----\n --- \n", "body\n---\n")
        );
        assert_eq!(parts("---\n---"), ("", ""));
        assert_eq!(parts("\u{FEFF}\n \n---\na: 1\n---\nb"), ("a: 1\n", "b"));
    }

    #[test]
    fn keys_below_a_fence_that_closed_too_early_are_seen() {
        for (body, key) in [
            (
                "metadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\ntext\n",
                Some("metadata"),
            ),
            ("\ndcc: maya\r\n---\r\n", Some("dcc")),
            ("# Title\nmetadata: x\n---\n", None),
            ("Note: read this first.\nIt is long.\n\n---\n", None),
            ("metadata:\n  a: 1\n", None),
            ("http://x: y\n---\n", None),
            ("", None),
        ] {
            assert_eq!(keys_below(body), key, "{body}");
        }
    }

    #[test]
    fn each_fault_has_its_own_words() {
        assert_eq!(fault(b"").2, "the file is empty");
        assert_eq!(fault(b"\n \r\n").2, "the file holds only blank lines");
        let (code, span, message) = fault(b"\n # Title\n");
        assert_eq!((code, span), ("MT102", 2..9));
        assert!(message.contains("no front matter") && message.contains("a heading"));
        assert!(
            fault(b"<!-- x -->\n---\na: 1\n---\n")
                .2
                .contains("line 1, found a comment")
        );
        assert_eq!(fault(b"---\na: 1\n").0, "MT103");
        let (_, span, message) = fault(b"---\na: \xC4\xE3\n---\n");
        assert!(message.contains("(byte 7)") && span == (7..7), "{span:?}");
        assert!(fault(b"\xFF\xFE-\0-\0").2.contains("UTF-16"));
        assert!(fault(b"-\0-\0-\0\n\0").2.contains("UTF-16"));
        assert!(fault(b"\xFF\xFE\0\0-\0\0\0").2.contains("UTF-32"));
        assert!(fault(b"\0\0\xFE\xFF\0\0\0-").2.contains("UTF-32"));
        assert!(
            fault(b"---\rname: a\r---\r")
                .2
                .contains("ends with CR alone")
        );
        let large = format!("---\na: {}\n---\n", "x".repeat(300_000));
        assert_eq!(fault(large.as_bytes()).0, "MT107");
        assert_eq!(split(b"---\na: 1\n", false).unwrap_err().code.id, "MT107");
    }
}
