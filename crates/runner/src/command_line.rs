//! Arguments as command line options, for scripts that insist.

use std::ffi::OsString;

use serde_json::{Map, Value};

/// Longer texts stay on standard input only: command lines are limited.
const LONGEST: usize = 8 << 10;

/// The top-level texts, numbers and truth values of an input as `--key value`, with `_` in a key as
/// `-`; lists, objects, nulls and texts over 8 KiB are left out.
///
/// For servers whose operator turned this on: values on a command line are visible to every process.
///
/// ```
/// let input = serde_json::json!({ "frame_start": 1, "name": "ball", "tags": ["a"] });
/// let options = metier_runner::long_options(input.as_object().unwrap());
/// assert_eq!(options, ["--frame-start", "1", "--name", "ball"]);
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
        if key.contains('\0') {
            continue;
        }
        options.push(format!("--{}", key.replace('_', "-")).into());
        options.push(text.into());
    }
    options
}
