//! Arguments as command line options, for scripts that insist.

use std::ffi::OsString;

use serde_json::{Map, Value};

/// Longer texts stay on standard input only: command lines are limited.
const LONGEST: usize = 8 << 10;

/// No option has a longer name, in bytes.
const LONGEST_NAME: usize = 100;

/// The top-level texts, numbers and truth values of an input as `--key value`, with `_` in a key as
/// `-`; lists, objects, nulls and texts over 8 KiB are left out, and stay on standard input like all else.
///
/// So are keys that are no name of an option: letters, digits, `-`, `_` and `.`, at most 100 bytes (`-c`, an empty one,
/// `a=b`, `a b`). A text that begins like an option is written `--key=text`: whoever chooses a value must not
/// choose an option with it.
///
/// For servers whose operator turned this on: values on a command line are visible to every process.
///
/// ```
/// let input = serde_json::json!({ "frame_start": 1, "name": "ball", "key": "-rf", "tags": ["a"] });
/// let options = metier_runner::long_options(input.as_object().unwrap());
/// assert_eq!(options, ["--frame-start", "1", "--name", "ball", "--key=-rf"]);
/// ```
pub fn long_options(input: &Map<String, Value>) -> Vec<OsString> {
    let mut options = Vec::new();
    for (key, value) in input {
        let text = match value {
            Value::String(text) if text.len() <= LONGEST && !text.contains('\0') => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            _ => continue,
        };
        if !names_an_option(key) {
            continue;
        }
        let option = format!("--{}", key.replace('_', "-"));
        if value.is_string() && text.starts_with('-') {
            options.push(format!("{option}={text}").into());
        } else {
            options.push(option.into());
            options.push(text.into());
        }
    }
    options
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
        long_options(input.as_object().unwrap())
    }

    #[test]
    fn no_key_and_no_value_becomes_another_option() {
        let hostile = json!({
            "": "a", "-": "a", "--": "a", "-c": "import os", "--x": 1, "a=b": 1, " x": 1, "_x": 1, "a\0b": 1, "a b": 1, "a\nb": 1, "a\u{200b}": 1,
            "k".repeat(LONGEST_NAME + 1): 1,
        });
        assert_eq!(options(&hostile), [""; 0]);
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
    fn what_no_command_line_holds_is_left_out() {
        let left =
            json!({"a": "x\0y", "b": [1], "c": {"d": 1}, "e": null, "f": "x".repeat(LONGEST + 1)});
        assert_eq!(options(&left), [""; 0]);
        assert_eq!(options(&json!({"f": "x".repeat(LONGEST)})).len(), 2);
    }
}
