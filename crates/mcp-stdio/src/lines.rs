//! Lines of bounded length from a stream of bytes.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Its bytes, without the end of the line.
    Text(Vec<u8>),
    /// It was longer than allowed; only its first bytes are there.
    TooLong(Vec<u8>),
}

/// Reads lines. No more than one line, up to the limit, is held at any time.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
    /// The rest of a line that was too long is being thrown away.
    skipping: bool,
    at_start: bool,
}

/// So much of a line that is too long is kept: enough for its id, where that comes first.
const FIRST_BYTES: usize = 4 * 1024;

/// Some programs put it ahead of the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            line: Vec::new(),
            skipping: false,
            at_start: true,
        }
    }

    /// The next line that holds more than blanks; `None` at the end. The last line needs no end.
    /// Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let piece = match self.input.fill_buf().await {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                // Reported when the limit was passed; what came after it says nothing.
                if std::mem::take(&mut self.skipping) {
                    return Ok(None);
                }
                return Ok(self.take().map(Line::Text));
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or(piece);
            let used = part.len().saturating_add(usize::from(end.is_some()));
            let fits = self.line.len().saturating_add(part.len()) <= self.limit;
            let was_skipping = self.skipping;
            let mut first = Vec::new();
            if !was_skipping && !fits {
                first = std::mem::take(&mut self.line);
                first.extend_from_slice(part.get(..FIRST_BYTES).unwrap_or(part));
                first.truncate(FIRST_BYTES);
                first.shrink_to_fit();
            }
            if !was_skipping && fits {
                self.line.extend_from_slice(part);
            }
            self.input.consume(used);
            self.skipping = end.is_none() && (was_skipping || !fits);
            if !was_skipping && !fits {
                self.at_start = false;
                return Ok(Some(Line::TooLong(first)));
            }
            if end.is_some()
                && !was_skipping
                && let Some(line) = self.take()
            {
                return Ok(Some(Line::Text(line)));
            }
        }
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_start) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let blank = line.iter().all(u8::is_ascii_whitespace);
        (!blank).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    async fn lines(input: &[u8], limit: usize, buffer: usize) -> Vec<String> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, input), limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(match line {
                Line::Text(bytes) => String::from_utf8(bytes).unwrap(),
                Line::TooLong(first) => {
                    assert!(input.windows(first.len()).any(|piece| piece == first));
                    "(too long)".to_owned()
                }
            });
        }
        all
    }

    #[tokio::test]
    async fn lines_do_not_depend_on_how_the_bytes_arrive() {
        let input = b"\xef\xbb\xbfone\r\n\n  \ntwo\n12345678\n123456789\nthree";
        for buffer in 1..40 {
            assert_eq!(
                lines(input, 8, buffer).await,
                ["one\r", "two", "12345678", "(too long)", "three"],
                "{buffer}"
            );
        }
    }

    #[tokio::test]
    async fn a_long_line_is_told_once_and_not_kept() {
        for (input, rest) in [
            (&b"aaaaaaaaaaaaaaaaaaaa"[..], &[][..]),
            (b"aaaaaaaaaaaaaaaaaaaa\n", &[]),
            (b"aaaaaaaaaaaaaaaaaaaa\nb", &["b"]),
        ] {
            for buffer in 1..12 {
                let mut expected = vec!["(too long)"];
                expected.extend(rest);
                assert_eq!(lines(input, 4, buffer).await, expected, "{buffer}");
            }
        }
    }
}
