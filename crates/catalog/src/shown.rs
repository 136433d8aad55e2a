//! Texts of skills inside of JSON, as clients are shown them.

use std::borrow::Cow;

use metier_skill_protocol::visible;
use serde_json::{Map, Value};

/// What no reader sees goes from every text.
pub(crate) fn show_all(value: &mut Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => show(text),
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.values_mut()),
            _ => {}
        }
    }
}

/// The same for what a JSON Schema says to its reader: titles and descriptions. Values that arguments are held against
/// stay as they are.
pub(crate) fn show_schema(schema: &mut Map<String, Value>) {
    const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];
    let mut rest: Vec<&mut Map<String, Value>> = vec![schema];
    while let Some(schema) = rest.pop() {
        for (key, value) in schema {
            match value {
                Value::String(text) if matches!(key.as_str(), "title" | "description") => {
                    show(text);
                }
                Value::Object(members) if !VALUES.contains(&key.as_str()) => rest.push(members),
                Value::Array(items) if !VALUES.contains(&key.as_str()) => {
                    rest.extend(items.iter_mut().filter_map(Value::as_object_mut));
                }
                _ => {}
            }
        }
    }
}

fn show(text: &mut String) {
    if let Cow::Owned(shown) = visible(text) {
        *text = shown;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_keeps_the_values_that_count() {
        let mut schema = json!({
            "description": "a\u{200B}b",
            "properties": {
                "description": {"title": "c\u{202E}d", "enum": ["e\u{200B}f"]},
                "default": {"anyOf": [{"description": "g\u{FEFF}h"}], "default": {"title": "i\u{200B}j"}},
            },
        });
        let members = schema.as_object_mut().unwrap();
        show_schema(members);
        assert_eq!(
            schema,
            json!({
                "description": "ab",
                "properties": {
                    "description": {"title": "cd", "enum": ["e\u{200B}f"]},
                    "default": {"anyOf": [{"description": "g\u{FEFF}h"}], "default": {"title": "i\u{200B}j"}},
                },
            })
        );
    }
}
