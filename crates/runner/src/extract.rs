//! Standard output as a result: JSON, text, or nothing.

use serde_json::Value;

use crate::capture::Captured;
use crate::json_scan::last_object;
use crate::report::{Output, Tail};
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
}

/// Reads a result: all of it if it is one JSON value, else the last JSON object, else the text.
pub(crate) fn extract(captured: Captured, limits: &Limits) -> Extracted {
    match captured {
        Captured::Whole(bytes) => {
            let tail = tail_of(&bytes, limits.tail_bytes);
            let (text, replaced) = decode(bytes);
            let (output, noise) = result_of(&text, limits.noise_bytes);
            Extracted {
                output,
                noise,
                tail,
                replaced,
            }
        }
        Captured::Edges {
            head,
            tail,
            dropped,
        } => {
            let tail_text = tail_of(&tail, limits.tail_bytes);
            let (head, replaced_head) = decode(head);
            let (tail, replaced_tail) = decode(tail);
            Extracted {
                output: Output::Truncated {
                    head: text::plain(&head).into_owned(),
                    tail: text::plain(&tail).into_owned(),
                    dropped,
                    limit: limits.output_bytes,
                },
                noise: String::new(),
                tail: Tail {
                    cut: true,
                    ..tail_text
                },
                replaced: replaced_head || replaced_tail,
            }
        }
    }
}

/// The text of these bytes, and whether some of them had to be replaced.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(broken) => (
            String::from_utf8_lossy(broken.as_bytes()).into_owned(),
            true,
        ),
    }
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

fn result_of(text: &str, noise_bytes: usize) -> (Output, String) {
    let plain = text::plain(text);
    let trimmed = plain.trim();
    if trimmed.is_empty() {
        return (Output::Empty, String::new());
    }
    if let Ok(value) = serde_json::from_str::<Value>(trimmed) {
        return (Output::Json(value), String::new());
    }
    let found = last_object(trimmed).and_then(|range| {
        let value = serde_json::from_str::<Value>(trimmed.get(range.clone())?).ok()?;
        let before = trimmed.get(..range.start)?.trim();
        let after = trimmed.get(range.end..)?.trim();
        let noise = match (before, after) {
            (lines, "") | ("", lines) => lines.to_owned(),
            (before, after) => format!("{before}\n{after}"),
        };
        Some((
            Output::Json(value),
            text::shorten(&noise, noise_bytes).into_owned(),
        ))
    });
    found.unwrap_or_else(|| (Output::Text(trimmed.to_owned()), String::new()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn result(bytes: &[u8]) -> (Output, String) {
        let extracted = extract(Captured::Whole(bytes.to_vec()), &Limits::default());
        (extracted.output, extracted.noise)
    }

    #[test]
    fn one_json_value_is_the_result_whatever_its_type() {
        for (printed, value) in [
            ("[1, 2]\n", json!([1, 2])),
            ("\"text\"", json!("text")),
            (" 3\n", json!(3)),
            ("null\n", json!(null)),
            ("{\n  \"a\": 1\n}\n", json!({"a": 1})),
        ] {
            assert_eq!(
                result(printed.as_bytes()),
                (Output::Json(value), String::new())
            );
        }
    }

    #[test]
    fn marks_and_colours_do_not_hide_the_result() {
        let expected = (Output::Json(json!({"success": true})), String::new());
        assert_eq!(result("\u{feff}{\"success\": true}\n".as_bytes()), expected);
        assert_eq!(result(b"\x1b[32m{\"success\": true}\x1b[0m\n"), expected);
    }

    #[test]
    fn lines_around_the_result_come_apart() {
        let (output, noise) = result(b"loading {3 of 3}\nold shader\n{\"success\": false}\nbye\n");
        assert_eq!(output, Output::Json(json!({"success": false})));
        assert_eq!(noise, "loading {3 of 3}\nold shader\nbye");
    }

    #[test]
    fn the_lines_around_are_bounded() {
        let limits = Limits {
            noise_bytes: 40,
            ..Limits::default()
        };
        let printed = format!("first{}last\n{{\"a\": 1}}", "x".repeat(1000));
        let extracted = extract(Captured::Whole(printed.into_bytes()), &limits);
        assert_eq!(
            extracted.noise,
            "firstxxxxxxxxxxxxxxx\n[… 969 bytes left out …]\nxxxxxxxxxxxxxxxxlast"
        );
    }

    #[test]
    fn no_json_is_text_and_nothing_is_nothing() {
        assert_eq!(result(b"done\n").0, Output::Text("done".to_owned()));
        assert_eq!(result(b" \n\x1b[0m").0, Output::Empty);
        assert_eq!(
            result("[".repeat(100_000).as_bytes()).0,
            Output::Text("[".repeat(100_000))
        );
    }

    #[test]
    fn an_object_too_deep_to_read_is_text() {
        let deep = format!("{}1{}", "{\"a\":".repeat(1000), "}".repeat(1000));
        assert_eq!(result(deep.as_bytes()).0, Output::Text(deep));
    }

    #[test]
    fn other_bytes_are_replaced_and_flagged() {
        let extracted = extract(
            Captured::Whole(b"\xff\xfe tail\n".to_vec()),
            &Limits::default(),
        );
        assert_eq!(
            extracted.output,
            Output::Text("\u{fffd}\u{fffd} tail".to_owned())
        );
        assert!(extracted.replaced);
    }

    proptest! {
        #[test]
        fn any_bytes_return(bytes: Vec<u8>) {
            result(&bytes);
        }
    }
}
