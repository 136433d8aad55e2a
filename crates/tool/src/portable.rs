//! Derived schemas in words that every client knows.

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Map, Value, json};

/// Formats that derivation makes up for Rust's numbers. No standard has them: validators of clients
/// complain about each on every call, and the bounds of a number stand beside them anyway.
const RUST_FORMATS: [&str; 16] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double", "ulong", "long",
];

/// What comes in: an optional property is left out rather than null, and `null` for it is dropped
/// before validation, so the schema need not offer it.
pub(crate) fn input() -> impl Transform + Clone + Send + 'static {
    RecursiveTransform(|schema: &mut Schema| {
        without_rust_formats(schema);
        let required = schema.get("required").cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = schema.get_mut("properties") else {
            return;
        };
        for (name, property) in properties.iter_mut() {
            let is_required = required
                .as_array()
                .is_some_and(|names| names.iter().any(|known| known == name));
            if let Value::Object(property) = property
                && !is_required
                && let Some(kind) = kind_or_null(property)
            {
                property.insert("type".to_owned(), kind);
                if property.get("default") == Some(&Value::Null) {
                    property.remove("default");
                }
            }
        }
    })
}

/// What goes out: a list of types becomes branches, which say the same to more clients.
pub(crate) fn output() -> impl Transform + Clone + Send + 'static {
    RecursiveTransform(|schema: &mut Schema| {
        without_rust_formats(schema);
        let Some(schema) = schema.as_object_mut() else {
            return;
        };
        if !schema.contains_key("anyOf")
            && let Some(kind) = kind_or_null(schema)
        {
            schema.remove("type");
            schema.insert(
                "anyOf".to_owned(),
                json!([{ "type": kind }, { "type": "null" }]),
            );
        }
    })
}

fn without_rust_formats(schema: &mut Schema) {
    let made_up = schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| RUST_FORMATS.contains(&format));
    if made_up {
        schema.remove("format");
    }
}

/// The one other type beside `null`.
fn kind_or_null(schema: &Map<String, Value>) -> Option<Value> {
    let kinds = schema.get("type")?.as_array()?;
    match kinds.as_slice() {
        [kind, null] | [null, kind] if null == "null" && kind != "null" => Some(kind.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut transform: impl Transform, schema: Value) -> Value {
        let mut schema = Schema::try_from(schema).unwrap();
        transform.transform(&mut schema);
        schema.to_value()
    }

    #[test]
    fn an_optional_argument_has_one_type_and_a_required_one_keeps_null() {
        let schema = json!({"type": "object", "required": ["b"], "properties": {
            "a": {"type": ["integer", "null"], "format": "uint", "minimum": 0, "default": null},
            "b": {"type": ["string", "null"]},
            "c": {"type": "array", "items": {"type": "number", "format": "double"}},
            "d": {"type": "string", "format": "date-time"},
        }});
        assert_eq!(
            after(input(), schema),
            json!({"type": "object", "required": ["b"], "properties": {
                "a": {"type": "integer", "minimum": 0},
                "b": {"type": ["string", "null"]},
                "c": {"type": "array", "items": {"type": "number"}},
                "d": {"type": "string", "format": "date-time"},
            }})
        );
    }

    #[test]
    fn a_result_that_may_be_null_says_so_in_branches() {
        let schema = json!({"type": "object", "$defs": {"Row": {"type": "object", "properties": {
            "place": {"description": "Where.", "type": ["string", "null"]},
            "count": {"type": "integer", "format": "uint64"},
        }}}});
        assert_eq!(
            after(output(), schema),
            json!({"type": "object", "$defs": {"Row": {"type": "object", "properties": {
                "place": {"description": "Where.", "anyOf": [{"type": "string"}, {"type": "null"}]},
                "count": {"type": "integer"},
            }}}})
        );
    }
}
