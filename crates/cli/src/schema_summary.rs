//! A schema in one line.

use serde_json::{Map, Value};

/// The properties of an object schema: `folder: string, limit?: integer`. What may be left out has a
/// question mark; a schema that names no properties gives nothing.
pub(crate) fn arguments(schema: Option<&Map<String, Value>>) -> String {
    let Some(schema) = schema else {
        return String::new();
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return String::new();
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let one = |(name, property): (&String, &Value)| {
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        format!("{name}{mark}: {}", kind(property))
    };
    properties.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn kind(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return choices.join(" | ");
    }
    match property.get("type") {
        Some(Value::String(kind)) if kind == "array" => match property.get("items") {
            Some(items) => format!("list of {}", kind_of(items)),
            None => "list".to_owned(),
        },
        Some(_) => kind_of(property),
        None => "any".to_owned(),
    }
}

/// The type as it is written, without looking deeper.
fn kind_of(property: &Value) -> String {
    match property.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds.collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line() {
        let schema = serde_json::json!({
            "required": ["folder"],
            "properties": {
                "folder": {"type": "string"},
                "limit": {"type": ["integer", "null"]},
                "names": {"type": "array", "items": {"type": "string"}},
                "mode": {"enum": ["a", 1]},
                "free": true,
            }
        });
        assert_eq!(
            arguments(schema.as_object()),
            "folder: string, limit?: integer | null, names?: list of string, mode?: \"a\" | 1, free?: any"
        );
        assert_eq!(arguments(None), "");
    }
}
