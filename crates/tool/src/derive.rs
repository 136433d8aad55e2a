//! JSON Schemas of Rust types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::portable;

/// The schema of a type whose values come in as arguments.
pub(crate) fn input_schema<T: JsonSchema>() -> Map<String, Value> {
    let generator = SchemaSettings::draft2020_12()
        .with_transform(portable::input())
        .into_generator();
    closed(generator.into_root_schema_for::<T>().to_value())
}

/// The schema of a type whose values go out as structured results.
pub(crate) fn output_schema<T: JsonSchema>() -> Map<String, Value> {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(portable::output())
        .into_generator();
    closed(generator.into_root_schema_for::<T>().to_value())
}

/// An object schema that names its properties accepts no others: a misspelt argument is then an
/// error with a suggestion instead of a value that silently does nothing. The dialect is MCP's
/// default and the type's name says nothing to a client, so neither travels.
fn closed(schema: Value) -> Map<String, Value> {
    let Value::Object(mut schema) = schema else {
        return object_schema();
    };
    schema.remove("$schema");
    schema.remove("title");
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        for definition in definitions.values_mut() {
            if let Value::Object(definition) = definition {
                close(definition);
            }
        }
    }
    close(&mut schema);
    if schema.get("type").is_none() {
        schema.insert("type".to_owned(), Value::from("object"));
    }
    schema
}

fn close(schema: &mut Map<String, Value>) {
    let open = [
        "additionalProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
    ];
    if schema.get("type") == Some(&Value::from("object"))
        && !open.iter().any(|key| schema.contains_key(*key))
    {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

fn object_schema() -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema
}
