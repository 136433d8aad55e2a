//! Whether a schema can be used, told without compiling it where that is easy to see.
//!
//! Nearly every schema is written with a few keywords, whose values have plain shapes. Looking at those
//! takes a small part of the time of compiling, so that reading thousands of skills can tell which of
//! their schemas will not do. Whatever is written otherwise is compiled.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{CompiledSchema, PatternBudget, SchemaError, SchemaNote};

/// Deeper schemas are compiled.
const DEEPEST: usize = 16;
/// Larger ones as well: so many values, and so many bytes of text.
const MOST_VALUES: usize = 2_000;
const MOST_BYTES: usize = 64 << 10;

/// The types that a value can have.
pub const SCHEMA_TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// The verdict of [`CompiledSchema::compile_within`] without the compiled schema.
///
/// ```
/// use metier_tool::{PatternBudget, check_schema};
/// use serde_json::json;
///
/// let verdict = |schema: serde_json::Value| {
///     check_schema(schema.as_object().unwrap(), &mut PatternBudget::default())
/// };
/// assert_eq!(verdict(json!({"properties": {"size": {"type": "integer"}}})), Ok(vec![]));
/// assert!(verdict(json!({"properties": {"size": {"type": "integr"}}})).is_err());
/// ```
///
/// # Errors
/// See [`SchemaError`].
pub fn check_schema(
    schema: &Map<String, Value>,
    budget: &mut PatternBudget,
) -> Result<Vec<SchemaNote>, SchemaError> {
    let is_object = schema.get("type").is_none_or(|kind| kind == "object");
    let mut looking = Looking {
        values: MOST_VALUES,
        bytes: MOST_BYTES,
    };
    if is_object && looking.is_plain(schema, 0).is_some() {
        return Ok(Vec::new());
    }
    CompiledSchema::compile_within(schema, budget).map(|(_, notes)| notes)
}

/// What is left to be looked at.
struct Looking {
    values: usize,
    bytes: usize,
}

impl Looking {
    /// `None` where it is not easy to see.
    fn is_plain(&mut self, schema: &Map<String, Value>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        for (key, value) in schema {
            self.spend(key.len())?;
            match key.as_str() {
                "type" => is_type(value)?,
                "title" | "description" | "$comment" | "format" => self.text(value)?,
                "$schema" => {
                    let known = [
                        "https://json-schema.org/draft/2020-12/schema",
                        "http://json-schema.org/draft-07/schema#",
                    ];
                    let is_known = value
                        .as_str()
                        .is_some_and(|dialect| known.contains(&dialect));
                    (depth == 0 && is_known).then_some(())?;
                }
                "properties" => {
                    for (name, part) in value.as_object()? {
                        self.spend(name.len())?;
                        self.is_plain(part.as_object()?, depth + 1)?;
                    }
                }
                "items" => self.is_plain(value.as_object()?, depth + 1)?,
                "additionalProperties" => {
                    if !value.is_boolean() {
                        self.is_plain(value.as_object()?, depth + 1)?;
                    }
                }
                "anyOf" | "oneOf" | "allOf" => {
                    let parts = value.as_array().filter(|parts| !parts.is_empty())?;
                    for part in parts {
                        self.is_plain(part.as_object()?, depth + 1)?;
                    }
                }
                "required" => {
                    let mut seen = BTreeSet::new();
                    for name in value.as_array()? {
                        self.text(name)?;
                        seen.insert(name.as_str()?).then_some(())?;
                    }
                }
                "enum" => {
                    let options = value.as_array().filter(|options| !options.is_empty())?;
                    for option in options {
                        self.scalar(option)?;
                    }
                }
                "default" | "const" => self.scalar(value)?,
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                    value.is_number().then_some(())?;
                }
                "minLength" | "maxLength" | "minItems" | "maxItems" => {
                    value.is_u64().then_some(())?;
                }
                "uniqueItems" => value.is_boolean().then_some(())?,
                _ => return None,
            }
        }
        Some(())
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.values = self.values.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(())
    }

    fn text(&mut self, value: &Value) -> Option<()> {
        self.spend(value.as_str()?.len())
    }

    /// Data without parts: what it holds could have any depth.
    fn scalar(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::String(text) => self.spend(text.len()),
            Value::Array(_) | Value::Object(_) => None,
            _ => self.spend(0),
        }
    }
}

fn is_type(value: &Value) -> Option<()> {
    let is_known = |kind: &Value| {
        kind.as_str()
            .is_some_and(|kind| SCHEMA_TYPES.contains(&kind))
    };
    match value {
        Value::Array(kinds) => {
            let each: BTreeSet<Option<&str>> = kinds.iter().map(Value::as_str).collect();
            let is_fine =
                !kinds.is_empty() && kinds.iter().all(is_known) && each.len() == kinds.len();
            is_fine.then_some(())
        }
        kind => is_known(kind).then_some(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(json!("object")),
            Just(json!("integer")),
            Just(json!("integr")),
            Just(json!(["string", "null"])),
            Just(json!(["a", "a"])),
            Just(json!([])),
            Just(json!(true)),
            Just(json!(-1)),
            Just(json!(2)),
            Just(json!(2.0)),
            Just(json!(1.5)),
            Just(json!(null)),
            Just(json!({})),
            Just(json!([{}])),
            Just(json!("#/$defs/x")),
        ]
    }

    fn schemas() -> impl Strategy<Value = Value> {
        let keys = prop::sample::select(vec![
            "type",
            "title",
            "description",
            "format",
            "$schema",
            "properties",
            "items",
            "additionalProperties",
            "anyOf",
            "allOf",
            "required",
            "enum",
            "default",
            "const",
            "minimum",
            "exclusiveMaximum",
            "minLength",
            "maxItems",
            "uniqueItems",
            "$ref",
            "pattern",
            "x-own",
            "not",
        ]);
        let leaf = prop::collection::vec((keys.clone(), values()), 0..3).prop_map(|members| {
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<Map<_, _>>()
        });
        leaf.prop_recursive(3, 24, 4, move |inner| {
            let inner = inner.prop_map(Value::Object);
            let value = prop_oneof![
                2 => values(),
                2 => inner.clone(),
                1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                3 => prop::collection::btree_map("[a-c]", inner, 0..3)
                    .prop_map(|named| Value::Object(named.into_iter().collect())),
            ];
            prop::collection::vec((keys.clone(), value), 0..4).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect()
            })
        })
        .prop_map(Value::Object)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        /// What is seen at a glance is what compiling says.
        #[test]
        fn the_verdict_is_that_of_compiling(schema in schemas()) {
            let schema = schema.as_object().unwrap();
            let compiled = CompiledSchema::compile(schema).map(|(_, notes)| notes);
            prop_assert_eq!(check_schema(schema, &mut PatternBudget::default()), compiled);
        }
    }

    #[test]
    fn an_ordinary_schema_is_not_compiled() {
        let schema = json!({
            "type": "object",
            "properties": {
                "samples": {"type": "integer", "minimum": 1, "default": 64, "description": "How many."},
                "mode": {"type": ["string", "null"], "enum": ["fast", "exact"]},
                "lights": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            },
            "required": ["samples"],
            "additionalProperties": false,
        });
        let mut looking = Looking {
            values: MOST_VALUES,
            bytes: MOST_BYTES,
        };
        assert!(looking.is_plain(schema.as_object().unwrap(), 0).is_some());
    }
}
