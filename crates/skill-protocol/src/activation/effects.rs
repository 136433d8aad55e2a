//! What a skill asks of its host, beside being read.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::line::line;

/// Something that a skill asks for and that has an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// The key of the front matter.
    pub key: String,
    /// What is asked for, on one line, for the question to the user.
    pub value: String,
}

/// Keys that have an effect on the host.
const EFFECTIVE: [&str; 9] = [
    "allowed-tools",
    "allowed_tools",
    "disallowed-tools",
    "hooks",
    "shell",
    "model",
    "effort",
    "context",
    "agent",
];
/// Keys that only say something. What they hold is never asked about.
const SAYING: [&str; 5] = [
    "metadata",
    "license",
    "compatibility",
    "version",
    "argument-hint",
];

/// What in the front matter has an effect. Known keys that only say something are none, nor are unknown ones that
/// hold plain data: texts, numbers, lists of them. An unknown key with a mapping could mean anything.
pub fn effects(front_matter: &Map<String, Value>) -> Vec<Effect> {
    front_matter
        .iter()
        .filter(|(key, value)| {
            let key = key.as_str();
            if EFFECTIVE.contains(&key) {
                return !is_empty(value);
            }
            !SAYING.contains(&key) && !is_plain(value)
        })
        .map(|(key, value)| Effect {
            key: line(key, 60),
            value: line(&shown(value), 200),
        })
        .collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(on) => !on,
        Value::Number(_) => false,
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::Array(items) => items
            .iter()
            .all(|item| !item.is_object() && !item.is_array()),
        _ => true,
    }
}

/// A text as it is, a list by commas, anything else as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
