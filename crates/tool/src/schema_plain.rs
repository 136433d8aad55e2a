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

/// A value of a schema, in whatever tree it was read.
pub trait SchemaPart {
    /// What it says, if it is text.
    fn text(&self) -> Option<&str>;
    /// Whether it is true or false.
    fn is_boolean(&self) -> bool;
    /// Whether it is a number.
    fn is_number(&self) -> bool;
    /// Whether it is a whole number that is not negative.
    fn is_count(&self) -> bool;
    /// Its items, if it is a list.
    fn items(&self) -> Option<&[Self]>
    where
        Self: Sized;
    /// Hands every member over, until one is refused; `None` for that and for what is no object.
    fn each_member(&self, take: impl FnMut(&str, &Self) -> Option<()>) -> Option<()>;
}

impl SchemaPart for Value {
    fn text(&self) -> Option<&str> {
        self.as_str()
    }

    fn is_boolean(&self) -> bool {
        Self::is_boolean(self)
    }

    fn is_number(&self) -> bool {
        Self::is_number(self)
    }

    fn is_count(&self) -> bool {
        self.is_u64()
    }

    fn items(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn each_member(&self, mut take: impl FnMut(&str, &Self) -> Option<()>) -> Option<()> {
        self.as_object()?
            .iter()
            .try_for_each(|(key, value)| take(key, value))
    }
}

/// Whether it is easy to see that a schema of an object can be used as it stands: what [`check_schema`] looks at first, of
/// any tree. `false` says nothing.
pub fn is_plain_schema<P: SchemaPart>(schema: &P) -> bool {
    let mut is_object = true;
    let found = schema.each_member(|key, value| {
        if key == "type" {
            is_object = value.text() == Some("object");
        }
        Some(())
    });
    let mut looking = Looking::default();
    found.is_some() && is_object && looking.is_plain(schema, 0).is_some()
}

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
    let mut looking = Looking::default();
    let mut members = schema.iter();
    if is_object && members.all(|(key, value)| looking.member(key, value, 0).is_some()) {
        return Ok(Vec::new());
    }
    CompiledSchema::compile_within(schema, budget).map(|(_, notes)| notes)
}

/// What is left to be looked at.
struct Looking {
    values: usize,
    bytes: usize,
}

impl Default for Looking {
    fn default() -> Self {
        Self {
            values: MOST_VALUES,
            bytes: MOST_BYTES,
        }
    }
}

impl Looking {
    /// `None` where it is not easy to see.
    fn is_plain<P: SchemaPart>(&mut self, schema: &P, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        schema.each_member(|key, value| self.member(key, value, depth))
    }

    /// The same of one keyword.
    fn member<P: SchemaPart>(&mut self, key: &str, value: &P, depth: usize) -> Option<()> {
        self.spend(key.len())?;
        match key {
            "type" => is_type(value),
            "title" | "description" | "$comment" | "format" => self.text(value),
            "$schema" => {
                let known = [
                    "https://json-schema.org/draft/2020-12/schema",
                    "http://json-schema.org/draft-07/schema#",
                ];
                let is_known = value.text().is_some_and(|dialect| known.contains(&dialect));
                (depth == 0 && is_known).then_some(())
            }
            "properties" => value.each_member(|name, part| {
                self.spend(name.len())?;
                self.is_plain(part, depth + 1)
            }),
            "items" => self.is_plain(value, depth + 1),
            "additionalProperties" if value.is_boolean() => Some(()),
            "additionalProperties" => self.is_plain(value, depth + 1),
            "anyOf" | "oneOf" | "allOf" => {
                let mut parts = value.items().filter(|parts| !parts.is_empty())?.iter();
                parts.try_for_each(|part| self.is_plain(part, depth + 1))
            }
            "required" => {
                let mut seen = BTreeSet::new();
                value.items()?.iter().try_for_each(|name| {
                    self.text(name)?;
                    seen.insert(name.text()?).then_some(())
                })
            }
            "enum" => {
                let options = value.items().filter(|options| !options.is_empty())?;
                options.iter().try_for_each(|option| self.scalar(option))
            }
            "default" | "const" => self.scalar(value),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                value.is_number().then_some(())
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_count().then_some(()),
            "uniqueItems" => value.is_boolean().then_some(()),
            _ => None,
        }
    }

    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.values = self.values.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(())
    }

    fn text<P: SchemaPart>(&mut self, value: &P) -> Option<()> {
        self.spend(value.text()?.len())
    }

    /// Data without parts: what it holds could have any depth.
    fn scalar<P: SchemaPart>(&mut self, value: &P) -> Option<()> {
        let has_parts = value.items().is_some() || value.each_member(|_, _| Some(())).is_some();
        if has_parts {
            return None;
        }
        self.spend(value.text().map_or(0, str::len))
    }
}

fn is_type<P: SchemaPart>(value: &P) -> Option<()> {
    let is_known = |kind: &P| kind.text().is_some_and(|kind| SCHEMA_TYPES.contains(&kind));
    let Some(kinds) = value.items() else {
        return is_known(value).then_some(());
    };
    let each: BTreeSet<Option<&str>> = kinds.iter().map(P::text).collect();
    let is_fine = !kinds.is_empty() && kinds.iter().all(is_known) && each.len() == kinds.len();
    is_fine.then_some(())
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
            let seen = is_plain_schema(&Value::Object(schema.clone()));
            prop_assert!(!seen || compiled.as_ref().is_ok_and(Vec::is_empty));
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
        assert!(is_plain_schema(&schema));
    }
}
