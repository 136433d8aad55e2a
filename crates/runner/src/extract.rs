//! Standard output as a result: JSON, text, or nothing.

use std::ops::Range;

use crate::capture::Captured;
use crate::json_scan::last_object;
use crate::report::{Output, Tail};
use crate::script_json::{self, Read};
use crate::unclosed::{is_among_the_lines_of_an_unclosed, is_inside_unclosed, is_unclosed};
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
    pub(crate) twice: Option<String>,
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

impl Extracted {
    fn of(output: Output) -> Self {
        Self {
            output,
            noise: String::new(),
            tail: Tail::default(),
            replaced: false,
            notes: Vec::new(),
            exact: None,
            twice: None,
        }
    }

    fn json(read: Read, noise: String) -> Self {
        Self {
            noise,
            twice: read.twice,
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
        // Lists are nested too deeply as objects are; both would pass for plain text otherwise.
        Err(reason) if reason.contains("nested deeper") && trimmed.ends_with([']', '}']) => {
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
    let object = if text.starts_with('{') {
        text
    } else if last.starts_with("{'") || last.starts_with("{\"") {
        last
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn result(bytes: &[u8]) -> (Output, String) {
        let extracted = extract(Captured::Whole(bytes.to_vec()), &Limits::default());
        (extracted.output, extracted.noise)
    }

    /// A script that is ended at its time limit stops anywhere.
    #[test]
    fn output_that_was_cut_ends_at_a_character() {
        let captured = Captured::Edges {
            head: "球".into(),
            tail: b"\xe7\x90\x83\xe7\x90".to_vec(),
            dropped: 9,
        };
        let extracted = extract(captured, &Limits::default());
        assert_eq!(
            (extracted.tail.text.as_str(), extracted.replaced),
            ("球", false)
        );
    }

    #[test]
    fn a_piece_of_a_result_that_was_cut_off_is_no_result() {
        for printed in [
            r#"{"success": false, "items": [{"a": 1}, {"b": 2},"#,
            "log line\n{\"success\": false, \"items\": [{\"a\": 1}, {\"b\": 2},",
            "{\n  \"success\": false,\n  \"items\": [\n    {\"a\": 1},\n    {\"b\": 2},\n",
            "[{\"a\": 1}, {\"b\": {\"c\": 2}},",
            r#"{"success": false, "message": "no"#,
            "{\"success\": false, \"items\": [\n{\"b\": 2}\n",
            "log line\n[\n{\"success\": true}\n,",
            "{\"n\": 1}\n[{\"a\": 1},\n{\"success\": true}\n",
            "{\"success\": true, \"n\": 1}\n{\"success\": false, \"n\": 2,}",
        ] {
            let (output, _) = result(printed.as_bytes());
            assert!(
                matches!(output, Output::Malformed { .. }),
                "{printed}: {output:?}"
            );
        }
        for (printed, value) in [
            ("a [warning: {\"x\": 1", None),
            ("done {\"n\": 1}", Some(json!({"n": 1}))),
            ("[INFO] baked\n{\"n\": 1}", Some(json!({"n": 1}))),
            ("{half\n{\"n\": 1}", Some(json!({"n": 1}))),
            ("{\"cut\": [1, 2\n{\"n\": 1}", Some(json!({"n": 1}))),
            ("[{'cut': 'by a log',\n{\"n\": 1}", Some(json!({"n": 1}))),
            (
                "{\"msg\": \"cut by the log\n{\"n\": 1}",
                Some(json!({"n": 1})),
            ),
            (
                "{\"a\": 1}\n[{\"b\": 2}]\n{\"n\": 1}\nbye",
                Some(json!({"n": 1})),
            ),
            ("{\"n\": 1}\nbye", Some(json!({"n": 1}))),
            ("  {\"n\": 1}\n", Some(json!({"n": 1}))),
        ] {
            let (output, _) = result(printed.as_bytes());
            match value {
                Some(value) => assert_eq!(output, Output::Json(value), "{printed}"),
                None => assert!(matches!(output, Output::Text(_)), "{printed}: {output:?}"),
            }
        }
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
    fn what_looks_like_an_object_and_is_none_is_told() {
        let deep = format!("{}1{}", "{\"a\":".repeat(1000), "}".repeat(1000));
        for (printed, word) in [
            (deep.clone(), "nested deeper"),
            (format!("step 1\n{deep}"), "nested deeper"),
            (
                format!("{}{}", "[".repeat(1000), "]".repeat(1000)),
                "nested deeper",
            ),
            ("{'success': False}".to_owned(), "json.dumps"),
            ("step 1\n{'success': False}".to_owned(), "json.dumps"),
            ("{'a': {\"b\": 1}}".to_owned(), "json.dumps"),
            ("{\"a\": {\"b\": 1},}".to_owned(), "trailing comma"),
        ] {
            let (output, _) = result(printed.as_bytes());
            let Output::Malformed { text, reason } = output else {
                panic!("{output:?}")
            };
            assert!(text == printed && reason.contains(word), "{reason}");
        }
        for (printed, value) in [
            ("{3 of 3}\n{\"a\": 1}", json!({"a": 1})),
            ("{3 of 3}\n{\"a\": 1}\n{bye}", json!({"a": 1})),
            ("step {1} {\"a\": 1}", json!({"a": 1})),
        ] {
            assert_eq!(result(printed.as_bytes()).0, Output::Json(value));
        }
    }

    #[test]
    fn pythons_words_among_other_lines_are_read_as_well() {
        let printed = b"epoch 3\n{\"success\": false, \"loss\": NaN, \"best\": {\"a\": 1}}\nbye\n";
        let extracted = extract(Captured::Whole(printed.to_vec()), &Limits::default());
        let value = json!({"success": false, "loss": null, "best": {"a": 1}});
        assert_eq!(extracted.output, Output::Json(value));
        assert_eq!(extracted.notes.len(), 1);
        assert_eq!(extracted.noise, "epoch 3\nbye");
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
