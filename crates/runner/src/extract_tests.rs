//! What is found on standard output.

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
        "{\"success\": true, \"n\": 1}\n{\"success\": false, \"n\": 2,}\nbye",
        "{\"success\": true, \"n\": 1}\n{\"success\": false, \"n\":\n",
        "{\"step\": 1}\n{\"success\": false, \"message\": \"cut he",
        "{\"step\": 1}\nstep 2\n{\"success\": false, \"items\": [1,2,",
        "{\"step\": 1}\n{\"success\": false, \"m\": \"x\"",
        "{\"ok\": 1}\n{\n  \"success\": false,\n  \"msg\": \"x\"\n",
        "{\"ok\": 1}\n{\n",
        "{\"ok\": 1}\n{\"success\": fal",
        "{\"ok\": 1} done\n[{\"success\": false}, ",
        "{\"a\": {\"b\": 1}}\n{\"c\": {\"d\": 1}, \"e\": [{\"f\": 2}",
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
        ("{\"n\": 1}\n{\nbye", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n[\nbye", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n{3 of 3", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n[INFO] {\"cut", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n{\"cut by the log\nbye", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n{\"quoted\"} was read", Some(json!({"n": 1}))),
        ("{\"n\": 1}\n[1, 2]", Some(json!({"n": 1}))),
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

/// What JSON does not have is read in a scalar as it is in lists and objects, and told.
#[test]
fn a_scalar_alone_is_read_as_one_in_a_list_is() {
    for (printed, value, word) in [
        ("NaN\n", json!(null), "NaN"),
        (" -Infinity", json!(null), "NaN"),
        ("1e999", json!(null), "NaN"),
        (r#""\ud800""#, json!("\u{fffd}"), "surrogate"),
        ("\u{feff}\"a\\udc80\"", json!("a\u{fffd}"), "surrogate"),
        (
            "123456789012345678901234567890",
            json!(1.234_567_890_123_456_8e29),
            "64 bits",
        ),
    ] {
        for (printed, value) in [
            (printed.to_owned(), value.clone()),
            (
                format!("[{}]", printed.trim_start_matches('\u{feff}')),
                json!([value]),
            ),
        ] {
            let extracted = extract(
                Captured::Whole(printed.clone().into_bytes()),
                &Limits::default(),
            );
            assert_eq!(extracted.output, Output::Json(value), "{printed}");
            let notes = extracted.notes;
            assert!(
                notes.len() == 1 && notes[0].contains(word),
                "{printed}: {notes:?}"
            );
        }
    }
    for text in [
        "NaN of 3",
        "NaN NaN",
        "NaNull",
        "nan",
        "inf",
        "\"a\\ud800\" b",
        "1e999 m",
        "\"\\ud800",
    ] {
        assert_eq!(result(text.as_bytes()).0, Output::Text(text.to_owned()));
    }
}

/// The bound on bytes is none on memory where the values are small.
#[test]
fn more_values_than_memory_should_hold_are_refused() {
    let ones = format!("[{}]", vec!["1"; 600_000].join(","));
    let objects = format!("{{\"a\": [{}]}}", vec!["{}"; 600_000].join(","));
    let lines = format!("log\n{objects}\nbye");
    for printed in [&ones, &objects, &lines] {
        let (output, _) = result(printed.as_bytes());
        let Output::Malformed { reason, .. } = output else {
            panic!("{:.200}", format!("{output:?}"))
        };
        assert_eq!(
            reason,
            "it is over the limit of 500000 values; write large results to a file and print where it is"
        );
    }
    // What stands in strings is no value, and points of a mesh reach the bound on bytes before.
    let text = format!("{{\"a\": \"{}\"}}", "[,".repeat(600_000));
    assert!(matches!(result(text.as_bytes()).0, Output::Json(_)));
    let points = format!("[{}]", vec!["1.23456"; (4 << 20) / 9].join(", "));
    assert!(matches!(result(points.as_bytes()).0, Output::Json(_)));
    let commas = ",".repeat(1_000_000);
    assert!(matches!(result(commas.as_bytes()).0, Output::Text(_)));
}

#[test]
fn utf_16_is_read() {
    for (mark, mut bytes) in [("\u{feff}", Vec::new()), ("", Vec::new())] {
        let text = format!("{mark}{{\"success\": false, \"\u{7403}\": \"\u{1f600}\"}}\r\n");
        let expected = Output::Json(json!({"success": false, "\u{7403}": "\u{1f600}"}));
        bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(result(&bytes).0, expected);
        bytes.push(b'\n');
        assert_eq!(result(&bytes).0, expected);
        bytes = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(result(&bytes).0, expected);
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
