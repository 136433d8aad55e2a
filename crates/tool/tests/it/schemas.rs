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
            json!({"type": "object", "properties": {"a": {"type": "int"}}}),
            "at `/properties/a/type`: expected one of string, number, integer, boolean, array, object, null; \
             found `int`",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": ["string", "int"]}}}),
            "object, null; found `int`",
        ),
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

/// Two alternatives at each of `depth` levels, both the same: 2^depth ways to the last.
fn doubling(depth: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for n in 0..depth {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"anyOf": [next, next]}));
    }
    definitions.insert(format!("d{depth}"), json!({"type": "integer"}));
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

#[test]
fn alternatives_that_double_are_refused_or_told_briefly() {
    let error = compile(&doubling(18)).unwrap_err();
    assert_eq!(error, SchemaError::TooManyParts { limit: 100_000 });
    let (schema, _) = compile(&doubling(14)).unwrap();
    assert!(schema.validate(&json!({"a": 1})).is_ok());
    let faults = schema.validate(&json!({"a": "x"})).unwrap_err();
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].to_string(),
        "something does not match the schema; the value is too large to tell what"
    );
}

#[test]
fn a_recursive_schema_with_two_ways_at_each_level_ends() {
    let node = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["b"]},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "required": ["c"]},
    ]});
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}});
    let (schema, _) = compile(&schema).unwrap();
    let mut value = json!({"b": 1});
    for _ in 0..100 {
        value = json!({"a": value});
    }
    let faults = schema.validate(&json!({ "a": value })).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    // A few levels are told in full.
    let faults = schema.validate(&json!({"a": {"a": {"b": 1}}})).unwrap_err();
    assert_eq!(faults[0].path, "a");
}

#[test]
fn a_value_nested_as_deep_as_json_goes_is_checked_or_refused_on_a_small_stack() {
    // So many schemas in each other at each level of the value. The second is the most that is checked.
    for levels in [0, 6, 28] {
        let mut wrapped = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}});
        for _ in 0..levels {
            wrapped = json!({ "allOf": [wrapped] });
        }
        let schema = json!({
            "type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": wrapped},
        });
        let (schema, _) = compile(&schema).unwrap();
        let mut value = json!({});
        for _ in 0..126 {
            value = json!({ "a": value });
        }
        let checked = std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || schema.validate(&value))
            .unwrap()
            .join()
            .unwrap();
        match checked {
            Ok(()) => assert!(levels <= 6),
            Err(faults) => {
                assert!(levels > 6);
                assert_eq!(faults[0].message, "nested too deeply to be checked");
            }
        }
    }
}

#[test]
fn a_huge_enumeration_and_a_huge_value_are_told_briefly() {
    let words: Vec<String> = (0..70_000).map(|n| format!("w{n:08}")).collect();
    let (schema, _) = compile(
        &json!({"type": "object", "properties": {"a": {"enum": words}, "b": {"type": "integer"}}, "additionalProperties": false}),
    )
    .unwrap();
    let text = "x".repeat(4 << 20);
    let faults = schema
        .validate(&json!({"a": text, "b": text, text.as_str(): 1}))
        .unwrap_err();
    assert_eq!(faults.len(), 3);
    for fault in faults {
        assert!(
            fault.to_string().len() < 1_000,
            "{}",
            fault.to_string().len()
        );
    }
    let larger: Vec<String> = (0..200_000).map(|n| format!("w{n}")).collect();
    assert_eq!(
        compile(&json!({"type": "object", "properties": {"a": {"enum": larger}}})).unwrap_err(),
        SchemaError::TooLarge { limit: 1 << 20 }
    );
}

#[test]
fn a_long_list_of_faults_is_not_collected() {
    let (schema, _) = compile(
        &json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}),
    )
    .unwrap();
    let few = Value::from(vec!["x"; 1_000]);
    assert_eq!(schema.validate(&json!({ "a": few })).unwrap_err().len(), 50);
    let many = Value::from(vec!["x"; 1_000_000]);
    assert_eq!(schema.validate(&json!({ "a": many })).unwrap_err().len(), 1);
    let good = Value::from(vec![1; 1_000_000]);
    assert!(schema.validate(&json!({ "a": good })).is_ok());
}

#[test]
fn patterns_are_bounded_in_size_and_number() {
    let (schema, notes) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(((a{1,100}){1,100}){1,100})$", "maxLength": 3},
        "b": {"type": "string", "pattern": "^[\\w .-]{1,64}$"},
    }}))
    .unwrap();
    assert!(
        matches!(notes.as_slice(), [SchemaNote::UnusablePattern { reason, .. }] if reason.contains("very large")),
        "{notes:?}"
    );
    assert!(schema.validate(&json!({"a": "b", "b": "x 1"})).is_ok());
    assert!(schema.validate(&json!({"b": "\n"})).is_err());
    let many: serde_json::Map<String, Value> = (0..201)
        .map(|n| (format!("p{n}"), json!({"pattern": format!("^{n}$")})))
        .collect();
    assert_eq!(
        compile(&json!({"type": "object", "properties": many})).unwrap_err(),
        SchemaError::TooManyPatterns { limit: 200 }
    );
}

#[test]
fn backtracking_is_given_up_on_many_texts() {
    let (schema, _) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"type": "string", "pattern": "^(?=a)(a|aa)+$"}},
    }}))
    .unwrap();
    let texts = vec![format!("{}b", "a".repeat(60)); 100];
    assert!(schema.validate(&json!({ "a": texts })).is_err());
}

#[test]
fn a_pattern_that_looks_ahead_reads_no_endless_text() {
    for pattern in [
        "(?!.*--)[a-z-]+\\.ma$",
        "(?=(a+)+b)(a|aa)+$",
        "(?:a++)*b",
        "(a)\\1+b",
    ] {
        for (schema, value) in [
            (
                json!({"a": {"type": "string", "pattern": pattern}}),
                json!({"a": "a".repeat(1_000_000)}),
            ),
            (
                json!({"a": {"type": "object", "patternProperties": {pattern: {}}}}),
                json!({"a": {"a".repeat(1_000_000): 1}}),
            ),
            (
                json!({"a": {"type": "object", "propertyNames": {"allOf": [{"pattern": pattern}]}}}),
                json!({"a": {"a".repeat(1_000_000): 1}}),
            ),
        ] {
            let (schema, notes) =
                compile(&json!({"type": "object", "properties": schema})).unwrap();
            assert_eq!(notes, []);
            let faults = schema.validate(&value).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert!(
                faults[0].path == "a" && faults[0].message.contains(pattern),
                "{faults:?}"
            );
            assert!(
                faults[0]
                    .message
                    .starts_with("too long to be checked against the pattern"),
                "{faults:?}"
            );
        }
    }
    let (schema, _) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"type": "string", "pattern": "(?!.*--)[a-z-]+\\.ma$"}},
        "b": {"type": "string", "pattern": "^[a-z]+$"},
    }}))
    .unwrap();
    let scenes = |count, length| Value::from(vec![format!("{}.ma", "a".repeat(length)); count]);
    for fine in [
        json!({"a": scenes(1_000, 100)}),
        json!({"a": scenes(1, 9_000)}),
        json!({"b": "a".repeat(1_000_000)}),
    ] {
        assert_eq!(schema.validate(&fine), Ok(()));
    }
    let fault = schema
        .validate(&json!({"a": scenes(3, 9_000)}))
        .unwrap_err()
        .remove(0);
    assert!(
        fault.path == "a[1]" && fault.message.starts_with("too much text"),
        "{fault}"
    );
}

#[test]
fn only_large_arguments_take_long() {
    let (plain, _) = compile(&json!({"type": "object"})).unwrap();
    let (ahead, _) =
        compile(&json!({"type": "object", "additionalProperties": {"pattern": "(?=a)"}})).unwrap();
    for (length, long) in [
        (10, [false, false]),
        (2_000, [false, true]),
        (70_000, [true, true]),
    ] {
        for value in [
            json!({"a": "x".repeat(length)}),
            json!({"a": vec![1; length / 8 + 1]}),
            json!({"a": {"x".repeat(length): 1}}),
        ] {
            let object = value.as_object().unwrap();
            assert_eq!(
                [plain.takes_long(object), ahead.takes_long(object)],
                long,
                "{length}"
            );
        }
    }
}

#[test]
fn short_arguments_of_a_schema_that_branches_take_long() {
    let branching = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"anyOf": [
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "b": {"const": 1}}},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}, "b": {"const": 2}}},
            {"type": "string"},
        ]}},
    });
    let (schema, _) = compile(&branching).unwrap();
    let nested = |levels: usize| {
        let mut value = json!({"b": 3});
        for _ in 0..levels {
            value = json!({ "a": value });
        }
        value
    };
    for (levels, long) in [(2, false), (40, true)] {
        let arguments = nested(levels);
        assert!(arguments.to_string().len() < 400);
        assert_eq!(
            schema.takes_long(arguments.as_object().unwrap()),
            long,
            "{levels}"
        );
    }
    let list = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let (list, _) = compile(&list).unwrap();
    assert!(!list.takes_long(nested(40).as_object().unwrap()));
}

#[test]
fn hostile_references_are_refused_by_name() {
    for (schema, word) in [
        (
            json!({"type": "object", "$ref": "#"}),
            "leads back to itself",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}),
            "file:///etc/passwd",
        ),
        (
            json!({"type": "object", "$defs": {"a": {"$dynamicRef": "https://example.org/meta"}}}),
            "https://example.org/meta",
        ),
    ] {
        let error = compile(&schema).unwrap_err().to_string();
        assert!(error.contains(word), "{schema}: {error}");
    }
}

#[test]
fn the_places_of_a_format_are_bounded() {
    let (schema, _) = compile(&json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "$defs": {"node": {"anyOf": [{"format": "file"}, {"type": "array", "items": {"$ref": "#/$defs/node"}}]}},
    }))
    .unwrap();
    let found = schema
        .places_of_format("file", &json!({"a": ["x", [["y"], 3]]}))
        .unwrap();
    let paths: Vec<_> = found.iter().map(|place| place.path.as_str()).collect();
    assert_eq!(paths, ["a[0]", "a[1][0][0]"]);
    let fault = schema
        .places_of_format("file", &json!({"a": vec!["x"; 10_001]}))
        .unwrap_err();
    assert!(fault.message.contains("at most 10000"), "{fault}");
    assert!(!schema.has_format("other"));
}
