//! Where in a file a finding is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::visible::visible_name;

/// A place in a file.
///
/// `file` is what a reader of the message can use: for a finding in a skill it is the path below
/// the skill root with `/` between its parts, so that no absolute path of the machine travels to
/// a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file, as shown to people.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The bytes of the file that are meant; empty where only the line or the first byte is known.
    pub span: Range<usize>,
}

impl Location {
    /// A place with its byte range.
    pub fn new(file: impl Into<String>, line: u32, column: u32, span: Range<usize>) -> Self {
        Self {
            file: file.into(),
            line,
            column,
            span,
        }
    }

    /// A line of which no more is known.
    pub fn line(file: impl Into<String>, line: u32) -> Self {
        Self::new(file, line, 1, 0..0)
    }

    /// A byte range of a file that need not be text.
    pub fn in_bytes(file: impl Into<String>, bytes: &[u8], span: Range<usize>) -> Self {
        let before = bytes.get(..span.start).unwrap_or(bytes);
        let line = before.split(|byte| *byte == b'\n').count();
        let start = before.iter().rposition(|byte| *byte == b'\n');
        let start = start.map_or(0, |end| end + 1);
        let written = String::from_utf8_lossy(before.get(start..).unwrap_or_default());
        let column = 1 + written.chars().count();
        Self::new(
            file,
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column).unwrap_or(u32::MAX),
            span,
        )
    }

    /// A file as a whole (a folder that cannot be read, a file that is missing).
    pub fn file(file: impl Into<String>) -> Self {
        Self::new(file, 1, 1, 0..0)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = visible_name(&self.file);
        write!(f, "{file}:{}:{}", self.line, self.column)
    }
}

/// Turns byte offsets of one text into lines and columns.
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: Cow<'a, str>,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Finds the line starts of `text` once.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, starts }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column (both from 1, the column in characters) of a byte offset.
    ///
    /// An offset behind the end counts as the end; one inside a character as that character.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let column = self
            .text
            .get(start..offset)
            .map_or(0, |part| part.chars().count())
            + 1;
        (
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column).unwrap_or(u32::MAX),
        )
    }

    /// A [`Location`] in `file` for a byte range of the text.
    pub fn locate(&self, file: impl Into<String>, span: Range<usize>) -> Location {
        let (line, column) = self.position(span.start);
        Location::new(file, line, column, span)
    }

    /// The byte range of a line (counted from 1) without its line end.
    pub fn line_span(&self, line: u32) -> Option<Range<usize>> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(at)?;
        let rest = self.text.get(start..)?;
        let end = rest.find('\n').unwrap_or(rest.len());
        let end = start + rest.get(..end)?.trim_end_matches('\r').len();
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let index = LineIndex::new("名: x\nb: 灯光\n");
        assert_eq!(index.position(0), (1, 1));
        assert_eq!(index.position(3), (1, 2));
        assert_eq!(index.position(1), (1, 1));
        let at = "名: x\nb: 灯光\n".find('光').unwrap();
        assert_eq!(index.position(at), (2, 5));
        assert_eq!(index.position(999), (3, 1));
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let place = |bytes: &[u8], span: Range<usize>| {
            let place = Location::in_bytes("f", bytes, span);
            (place.line, place.column, place.span)
        };
        assert_eq!(place("a\n名: \u{e9}".as_bytes(), 7..9), (2, 4, 7..9));
        assert_eq!(place(b"a\nb: \xE9", 5..6), (2, 4, 5..6));
        assert_eq!(place(b"\xFF", 0..1), (1, 1, 0..1));
        assert_eq!(place(b"a\n", 9..9), (2, 1, 9..9));
    }

    #[test]
    fn a_line_span_leaves_out_the_line_end() {
        let index = LineIndex::new("a\r\nbb\nc");
        assert_eq!(index.line_span(1), Some(0..1));
        assert_eq!(index.line_span(2), Some(3..5));
        assert_eq!(index.line_span(3), Some(6..7));
        assert_eq!(index.line_span(4), None);
        assert_eq!(index.line_span(0), None);
    }
}
