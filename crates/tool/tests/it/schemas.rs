//! Schemas that authors write.

use metier_tool::{CompiledSchema, SchemaError, SchemaNote};
use serde_json::{Value, json};

fn compile(schema: &Value) -> Result<(CompiledSchema, Vec<SchemaNote>), SchemaError> {
    CompiledSchema::compile(schema.as_object().unwrap())
}

#[test]
fn an_unknown_dialect_is_a_note() {
    let (schema, notes) =
        compile(&json!({"$schema": "https://example.org/draft-99", "type": "object"})).unwrap();
    assert_eq!(
        notes,
        [SchemaNote::UnknownDialect(
            "https://example.org/draft-99".to_owned()
        )]
    );
    assert!(schema.validate(&json!({})).is_ok());
}

#[test]
fn look_ahead_works_and_a_broken_pattern_costs_itself_alone() {
    let (schema, notes) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(?!x).*$"},
        "b": {"type": "string", "pattern": "([", "maxLength": 2},
    }}))
    .unwrap();
    assert!(
        matches!(notes.as_slice(), [SchemaNote::UnusablePattern { pattern, .. }] if pattern == "([")
    );
    assert!(schema.validate(&json!({"a": "y"})).is_ok());
    assert!(schema.validate(&json!({"a": "xy"})).is_err());
    assert!(schema.validate(&json!({"b": "ab"})).is_ok());
    assert!(schema.validate(&json!({"b": "abc"})).is_err());
}

#[test]
fn defaults_and_formats_are_documentation() {
    let (schema, notes) = compile(&json!({"type": "object", "properties": {
        "when": {"type": "string", "format": "date-time", "default": "now"},
    }}))
    .unwrap();
    assert_eq!(notes, []);
    assert!(schema.validate(&json!({"when": "not a date"})).is_ok());
    assert!(schema.validate(&json!({})).is_ok());
}

#[test]
fn unusable_schemas_say_why() {
    for (schema, word) in [
        (json!({"type": "string"}), "object"),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/x.json"}}}),
            "example.org",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "other.json#/x"}}}),
            "other.json",
        ),
        (json!({"type": "object", "required": "a"}), "required"),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}),
            "gone",
        ),
    ] {
        let error = compile(&schema).unwrap_err().to_string();
        assert!(error.contains(word), "{schema}: {error}");
    }
}

#[test]
fn a_catastrophic_pattern_ends() {
    let (schema, _) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(?=a)(a+)+$"},
    }}))
    .unwrap();
    let text = format!("{}b", "a".repeat(60));
    assert!(schema.validate(&json!({"a": text})).is_err());
}

#[test]
fn a_recursive_schema_is_fine() {
    let (schema, _) = compile(&json!({"type": "object", "properties": {"child": {"$ref": "#"}}, "additionalProperties": false})).unwrap();
    assert!(schema.validate(&json!({"child": {"child": {}}})).is_ok());
    let faults = schema
        .validate(&json!({"child": {"chidl": {}}}))
        .unwrap_err();
    assert_eq!(
        faults[0].to_string(),
        "child.chidl: unknown argument, did you mean `child`?"
    );
}
