//! Standard output as a result: JSON, text, or nothing.

use std::ops::Range;

use crate::capture::Captured;
use crate::json_scan::last_object;
use crate::report::{Output, Tail};
use crate::script_json::{self, Read, TOO_MANY};
use crate::unclosed::{
    Behind, Extent, behind, extent, is_among_the_lines_of_an_unclosed, is_inside_unclosed,
    is_unclosed,
};
use crate::{Limits, text};

/// From this size on the work is worth a thread of its own.
pub(crate) const LARGE: usize = 256 << 10;

/// What was found on standard output.
#[derive(Debug)]
pub(crate) struct Extracted {
    pub(crate) output: Output,
    pub(crate) noise: String,
    pub(crate) tail: Tail,
    pub(crate) replaced: bool,
    pub(crate) notes: Vec<String>,
    pub(crate) exact: Option<String>,
    pub(crate) overwritten: Vec<(String, serde_json::Value)>,
}

/// Reads a result: all of it if it is one JSON value, else the last JSON object, else the text.
pub(crate) fn extract(captured: Captured, limits: &Limits) -> Extracted {
    match captured {
        Captured::Whole(bytes) => {
            let tail = tail_of(&bytes, limits.tail_bytes);
            let (text, replaced) = decode(bytes);
            Extracted {
                tail,
                replaced,
                ..result_of(&text, limits.noise_bytes)
            }
        }
        Captured::Edges {
            head,
            tail,
            dropped,
        } => {
            // A script that was ended may have stopped within a character.
            let tail = text::whole(&tail).to_vec();
            let tail_text = tail_of(&tail, limits.tail_bytes);
            let (head, replaced_head) = decode(head);
            let (tail, replaced_tail) = decode(tail);
            Extracted {
                replaced: replaced_head || replaced_tail,
                tail: Tail {
                    cut: true,
                    ..tail_text
                },
                ..Extracted::of(Output::Truncated {
                    head: text::plain(&head).into_owned(),
                    tail: text::plain(&tail).into_owned(),
                    dropped,
                    limit: limits.output_bytes,
                })
            }
        }
    }
}

/// The text of these bytes, and whether some of them had to be replaced.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, bool) {
    if let Some(text) = utf16(&bytes) {
        return (text, false);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(broken) => (
            String::from_utf8_lossy(broken.as_bytes()).into_owned(),
            true,
        ),
    }
}

/// The text of an object or list in UTF-16, as some programs of Windows write it, with a byte order mark or without.
fn utf16(bytes: &[u8]) -> Option<String> {
    let is_little = match bytes {
        [0xff, 0xfe, b'{' | b'[', 0, ..] | [b'{' | b'[', 0, ..] => true,
        [0xfe, 0xff, 0, b'{' | b'[', ..] | [0, b'{' | b'[', ..] => false,
        _ => return None,
    };
    let (units, rest) = bytes.as_chunks();
    let read = if is_little {
        u16::from_le_bytes
    } else {
        u16::from_be_bytes
    };
    // A line end that was added as one byte.
    let is_whole = matches!(rest, [] | [b'\n']);
    let units: Vec<u16> = units.iter().map(|unit| read(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| is_whole)
}

fn tail_of(bytes: &[u8], limit: usize) -> Tail {
    let end = text::tail(bytes, limit);
    Tail {
        text: text::plain(&String::from_utf8_lossy(end))
            .trim_end()
            .to_owned(),
        cut: end.len() < bytes.len(),
    }
}

impl Extracted {
    fn of(output: Output) -> Self {
        Self {
            output,
            noise: String::new(),
            tail: Tail::default(),
            replaced: false,
            notes: Vec::new(),
            exact: None,
            overwritten: Vec::new(),
        }
    }

    fn json(read: Read, noise: String) -> Self {
        Self {
            noise,
            overwritten: read.overwritten,
            notes: read.notes,
            exact: read.exact,
            ..Self::of(Output::Json(read.value))
        }
    }
}

fn result_of(text: &str, noise_bytes: usize) -> Extracted {
    let plain = text::plain(text);
    let trimmed = plain.trim();
    if trimmed.is_empty() {
        return Extracted::of(Output::Empty);
    }
    let malformed = |reason| {
        Extracted::of(Output::Malformed {
            text: trimmed.to_owned(),
            reason,
        })
    };
    match script_json::read(trimmed) {
        Ok(read) => return Extracted::json(read, String::new()),
        // Lists are nested too deeply or are too long as objects are; both would pass for plain text otherwise.
        Err(reason)
            if trimmed.ends_with([']', '}'])
                && (reason.contains("nested deeper") || reason.starts_with(TOO_MANY)) =>
        {
            return malformed(reason);
        }
        Err(_) => {}
    }
    let Some((range, own)) =
        last_object(trimmed).and_then(|range| Some((range.clone(), trimmed.get(range)?)))
    else {
        return match broken_object(trimmed) {
            Some(reason) => malformed(reason),
            None => Extracted::of(Output::Text(trimmed.to_owned())),
        };
    };
    // What stands in the middle of a line may be a piece of an object that is broken, and what comes before such an
    // object is not the result either.
    let is_last = trimmed.ends_with(own) || !last_line(trimmed).starts_with("{\"");
    if (!stands_alone(trimmed, &range) || !is_last)
        && let Some(reason) = broken_object(trimmed)
    {
        return malformed(reason);
    }
    match behind(trimmed, range.end) {
        Some(Behind::Open) => return malformed(ENDS_IN_THE_MIDST.to_owned()),
        Some(Behind::Broken(object)) => {
            if let Err(reason) = script_json::read(object) {
                return malformed(reason);
            }
        }
        None => {}
    }
    if is_inside_unclosed(trimmed, &range) || is_among_the_lines_of_an_unclosed(trimmed, &range) {
        return malformed(ENDS_IN_THE_MIDST.to_owned());
    }
    let before = trimmed.get(..range.start).unwrap_or_default().trim();
    let after = trimmed.get(range.end..).unwrap_or_default().trim();
    let noise = match (before, after) {
        (lines, "") | ("", lines) => lines.to_owned(),
        (before, after) => format!("{before}\n{after}"),
    };
    match script_json::read(own) {
        Ok(read) => {
            let noise = text::shorten(&noise, noise_bytes).into_owned();
            Extracted::json(read, noise)
        }
        Err(reason) => malformed(reason),
    }
}

/// Whether an object ends the text, or has its lines for itself.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let begins = before.is_empty() || before.ends_with('\n');
    after.is_empty()
        || (begins
            && after
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n'))
}

/// What is said of a result that was cut off: the program ended before all of it was written.
const ENDS_IN_THE_MIDST: &str = "it ends in the midst of an object or list (did the program end before it had flushed its output?)";

fn last_line(text: &str) -> &str {
    text.lines().next_back().unwrap_or_default()
}

/// Why a text, or its last line, that has the looks of a JSON object is none.
fn broken_object(text: &str) -> Option<String> {
    let last = last_line(text);
    let is_one = !matches!(extent(text, false), Extent::Closed(length) if length < text.len());
    let object = if text.starts_with('{') && is_one {
        text
    } else if last.starts_with("{'") || last.starts_with("{\"") {
        last
    } else if text.starts_with('{') {
        text
    } else {
        return None;
    };
    if object.ends_with('}') {
        return script_json::read(object).err();
    }
    let looks_like_json = object.strip_prefix('{')?.trim_start().starts_with('"');
    (looks_like_json && is_unclosed(object)).then(|| ENDS_IN_THE_MIDST.to_owned())
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
