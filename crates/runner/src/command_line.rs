//! Arguments as command line options, for scripts that insist.

use std::collections::HashSet;
use std::ffi::OsString;

use serde_json::{Map, Value};

/// Longer texts stay on standard input only: command lines are limited.
const LONGEST: usize = 8 << 10;

/// No option has a longer name, in bytes.
const LONGEST_NAME: usize = 100;

/// All options together, in bytes. Linux may grant as little as 128 KiB to them and the environment together, Windows
/// grants 32,767 characters to the whole line, in which each quotation mark counts twice.
const MOST: usize = if cfg!(windows) { 16 << 10 } else { 96 << 10 };

/// What the system counts for a text beside its bytes: the zero behind it and the pointer to it.
const EACH: usize = 1 + size_of::<usize>();

/// Arguments as options, and what of them could be none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LongOptions {
    /// `--key` and `value` in turn, or `--key=value`.
    pub options: Vec<OsString>,
    /// What is on standard input alone, in the order of the arguments. Nulls do not count, as an option that is
    /// not there says the same, nor keys that begin with `_`, which no caller wrote.
    pub left_out: Vec<LeftOut>,
}

/// An argument that stays on standard input alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name, as the caller wrote it: any text of any length.
    pub key: String,
    /// Why it is no option, as words for a parenthesis: `a list`.
    pub why: &'static str,
}

/// The top-level texts, numbers and truth values of an input as `--key value`, with `_` in a key as
/// `-`; lists, objects, nulls and texts over 8 KiB are left out, and stay on standard input like all else. So does, one by
/// one, what would make the whole longer than 96 KiB (16 KiB on Windows).
///
/// So do keys that are no name of an option: letters, digits, `-`, `_` and `.`, at most 100 bytes (`-c`, an empty one,
/// `a=b`, `a b`), and a second one that comes to the same option. A text that begins like an option is written
/// `--key=text`: whoever chooses a value must not choose an option with it.
///
/// For servers whose operator turned this on: values on a command line are visible to every process.
///
/// ```
/// let input = serde_json::json!({ "frame_start": 1, "name": "ball", "key": "-rf", "tags": ["a"] });
/// let line = metier_runner::long_options(input.as_object().unwrap());
/// assert_eq!(line.options, ["--frame-start", "1", "--name", "ball", "--key=-rf"]);
/// assert_eq!((line.left_out[0].key.as_str(), line.left_out[0].why), ("tags", "a list"));
/// ```
pub fn long_options(input: &Map<String, Value>) -> LongOptions {
    let mut line = LongOptions::default();
    let mut room = MOST;
    let mut taken = HashSet::new();
    for (key, value) in input {
        if value.is_null() || key.starts_with('_') {
            continue;
        }
        match option(key, value, &mut taken, &mut room) {
            Ok(option) => line.options.extend(option),
            Err(why) => line.left_out.push(LeftOut {
                key: key.clone(),
                why,
            }),
        }
    }
    line
}

/// One argument as an option, or why it is none.
fn option(
    key: &str,
    value: &Value,
    taken: &mut HashSet<String>,
    room: &mut usize,
) -> Result<Vec<OsString>, &'static str> {
    if !names_an_option(key) {
        return Err("no name of an option");
    }
    let text = match value {
        Value::String(text) if text.contains('\0') => return Err("holds a NUL"),
        Value::String(text) if text.len() > LONGEST => return Err("over 8 KiB"),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Array(_) => return Err("a list"),
        Value::Object(_) => return Err("an object"),
        Value::Null => return Err("null"),
    };
    let option = format!("--{}", key.replace('_', "-"));
    if taken.contains(&option) {
        return Err("another argument is the same option");
    }
    let texts = if value.is_string() && text.starts_with('-') {
        vec![format!("{option}={text}")]
    } else {
        vec![option.clone(), text]
    };
    let size: usize = texts.iter().map(|text| text.len() + EACH).sum();
    *room = room.checked_sub(size).ok_or("the command line is full")?;
    taken.insert(option);
    Ok(texts.into_iter().map(OsString::from).collect())
}

fn names_an_option(key: &str) -> bool {
    key.len() <= LONGEST_NAME
        && key.starts_with(char::is_alphanumeric)
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn options(input: &Value) -> Vec<OsString> {
        long_options(input.as_object().unwrap()).options
    }

    fn left(input: &Value) -> Vec<(String, &'static str)> {
        let line = long_options(input.as_object().unwrap());
        line.left_out
            .into_iter()
            .map(|left| (left.key, left.why))
            .collect()
    }

    #[test]
    fn no_key_and_no_value_becomes_another_option() {
        let hostile = json!({
            "": "a", "-": "a", "--": "a", "-c": "import os", "--x": 1, "a=b": 1, " x": 1, "_x": 1, "a\0b": 1, "a b": 1, "a\nb": 1, "a\u{200b}": 1,
            "k".repeat(LONGEST_NAME + 1): 1,
        });
        assert_eq!(options(&hostile), [""; 0]);
        let told = left(&hostile);
        assert_eq!(told.len(), 12, "all but `_x`: {told:?}");
        assert!(told.iter().all(|(_, why)| *why == "no name of an option"));
        assert_eq!(
            options(&json!({"to": "-rf", "by": -5, "in": "", "\u{7403}_a": "b\nc", "x": "--"})),
            [
                "--to=-rf",
                "--by",
                "-5",
                "--in",
                "",
                "--\u{7403}-a",
                "b\nc",
                "--x=--"
            ]
        );
    }

    #[test]
    fn what_no_command_line_holds_is_left_out_and_told() {
        let input = json!({
            "a": "x\0y", "b": [1], "c": {"d": 1}, "e": null, "f": "x".repeat(LONGEST + 1), "x_y": 1, "x-y": 2, "z": "x".repeat(LONGEST),
        });
        let options = options(&input);
        assert_eq!(options.len(), 4, "x_y and z");
        let told = [
            ("a", "holds a NUL"),
            ("b", "a list"),
            ("c", "an object"),
            ("f", "over 8 KiB"),
            ("x-y", "another argument is the same option"),
        ];
        let told = told.map(|(key, why)| (key.to_owned(), why));
        let mut left = left(&input);
        left.sort();
        // Which of two comes first is up to the order of the map.
        assert_eq!(left.len(), told.len());
        for (left, told) in left.iter().zip(&told) {
            assert!(
                left == told || left.1 == told.1 && left.0 == "x_y",
                "{left:?}"
            );
        }
    }

    #[test]
    fn a_line_that_is_full_takes_what_still_fits() {
        let mut input: Map<String, Value> = (0..300)
            .map(|n| (format!("long{n}"), Value::from("x".repeat(LONGEST))))
            .collect();
        input.insert("z".to_owned(), Value::from("last"));
        let line = long_options(&input);
        let bytes: usize = line.options.iter().map(|text| text.len() + EACH).sum();
        assert!(bytes <= MOST && bytes > MOST - 2 * LONGEST, "{bytes}");
        assert!(line.options.ends_with(&["--z".into(), "last".into()]));
        assert_eq!(line.options.len() / 2 + line.left_out.len(), 301);
        assert!(
            line.left_out
                .iter()
                .all(|left| left.why == "the command line is full")
        );
    }
}
