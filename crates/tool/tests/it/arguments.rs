//! What models send, and what the script gets.

use metier_tool::{CompiledSchema, repair};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn schema() -> CompiledSchema {
    let schema = json!({
        "type": "object",
        "required": ["size"],
        "additionalProperties": false,
        "properties": {
            "size": {"type": "number"},
            "count": {"type": "integer"},
            "flag": {"type": "boolean"},
            "fmt": {"type": "string", "enum": ["fbx", "usd"]},
            "level": {"enum": [1, 2]},
            "names": {"type": "array", "items": {"type": "string"}},
            "counts": {"type": "array", "items": {"type": "integer"}},
            "code": {"type": "string"},
            "frame": {"$ref": "#/$defs/frame"},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "$defs": {"frame": {"type": "object", "properties": {"start": {"type": "integer"}}}},
    });
    CompiledSchema::compile(schema.as_object().unwrap())
        .unwrap()
        .0
}

fn repaired(arguments: Value) -> (Value, Vec<String>) {
    let schema = schema();
    let Value::Object(mut arguments) = arguments else {
        unreachable!()
    };
    repair(&mut arguments, &schema);
    let arguments = Value::Object(arguments);
    let faults = schema
        .validate(&arguments)
        .err()
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect();
    (arguments, faults)
}

#[test]
fn what_no_schema_allows_is_named() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {},
    });
    let nothing = CompiledSchema::compile(schema.as_object().unwrap())
        .unwrap()
        .0;
    let faults = |schema: &CompiledSchema, value: Value| -> Vec<String> {
        let faults = schema.validate(&value).unwrap_err();
        faults.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        faults(&nothing, json!({"b": 1, "a": 2})),
        [
            "b: unknown argument; none is accepted here",
            "a: unknown argument; none is accepted here"
        ]
    );
    let schema = json!({"type": "object", "properties": {"old": false}});
    let never = CompiledSchema::compile(schema.as_object().unwrap())
        .unwrap()
        .0;
    assert_eq!(
        faults(&never, json!({"old": 1})),
        ["old: nothing is accepted here; leave it out"]
    );
}

#[test]
fn lossless_repair() {
    for (came, got) in [
        (json!({"size": "5"}), json!({"size": 5})),
        (json!({"size": "5.50"}), json!({"size": 5.5})),
        (json!({"size": "-1e3"}), json!({"size": -1000.0})),
        (
            json!({"size": 1, "count": "3"}),
            json!({"size": 1, "count": 3}),
        ),
        (
            json!({"size": 1, "count": 3.0}),
            json!({"size": 1, "count": 3}),
        ),
        (
            json!({"size": 1, "count": "9007199254740993"}),
            json!({"size": 1, "count": 9_007_199_254_740_993_u64}),
        ),
        (
            json!({"size": 1, "flag": "TRUE"}),
            json!({"size": 1, "flag": true}),
        ),
        (json!({"size": 1, "count": null}), json!({"size": 1})),
        (json!({"size": 1, "fmt": null}), json!({"size": 1})),
        (
            json!({"size": 1, "maybe": null}),
            json!({"size": 1, "maybe": null}),
        ),
        (
            json!({"size": 1, "names": "[\"a\", \"b\"]"}),
            json!({"size": 1, "names": ["a", "b"]}),
        ),
        (
            json!({"size": 1, "counts": ["1", 2]}),
            json!({"size": 1, "counts": [1, 2]}),
        ),
        (
            json!({"size": 1, "code": "007"}),
            json!({"size": 1, "code": "007"}),
        ),
        (
            json!({"size": 1, "frame": "{\"start\": \"7\"}"}),
            json!({"size": 1, "frame": {"start": 7}}),
        ),
    ] {
        let (value, faults) = repaired(came.clone());
        assert_eq!(value, got, "{came}");
        assert_eq!(faults, Vec::<String>::new(), "{came}");
    }
}

#[test]
fn what_cannot_be_repaired_is_named() {
    let refused = |arguments: Value| repaired(arguments).1;
    insta::assert_json_snapshot!([
        refused(json!({"size": "5px"})),
        refused(json!({"size": ""})),
        refused(json!({"size": "007"})),
        refused(json!({"size": null})),
        refused(json!({})),
        refused(json!({"size": 1, "count": 1.5})),
        refused(json!({"size": 1, "flag": "yes please"})),
        refused(json!({"size": 1, "fmt": "FBX"})),
        refused(json!({"size": 1, "level": "1"})),
        refused(json!({"size": 1, "contu": 3})),
        refused(json!({"size": 1, "names": ["a", 2], "frame": {"start": "x"}})),
    ]);
}

#[test]
fn json_text_that_cannot_be_carried_exactly_stays_as_it_came() {
    for came in [
        json!({"size": 1, "frame": "{\"start\": 123456789012345678901234567890}"}),
        json!({"size": 1, "frame": "{\"start\": 1, \"start\": 2}"}),
        json!({"size": 1, "counts": "[1, 18446744073709551616]"}),
        json!({"size": 1, "counts": "[1.0000000000000000000001]"}),
        json!({"size": 1, "count": "1.0000000000000000000001"}),
    ] {
        let (value, faults) = repaired(came.clone());
        assert_eq!(value, came);
        assert_eq!(faults.len(), 1, "{came}: {faults:?}");
    }
}

proptest! {
    #[test]
    fn what_the_schema_accepts_is_never_changed(size in any::<f64>(), code in ".*", flag in any::<bool>()) {
        let Some(size) = serde_json::Number::from_f64(size) else { return Ok(()) };
        let mut arguments = Map::new();
        arguments.insert("size".to_owned(), Value::Number(size));
        arguments.insert("code".to_owned(), Value::String(code));
        arguments.insert("flag".to_owned(), Value::Bool(flag));
        let before = arguments.clone();
        repair(&mut arguments, &schema());
        prop_assert_eq!(arguments, before);
    }

    #[test]
    fn any_text_is_repaired_or_refused_without_a_panic(text in ".{0,40}") {
        for key in ["size", "count", "flag", "names", "frame", "fmt"] {
            let _ = repaired(json!({"size": 1, key: text}));
        }
    }
}

#[test]
fn a_value_that_fits_no_form_is_told_the_forms() {
    let faults = |schema: Value, value: Value| -> Vec<String> {
        let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
        let faults = schema.validate(&value).unwrap_err();
        faults
            .into_iter()
            .map(|fault| format!("{}: {}", fault.path, fault.message))
            .collect()
    };
    let size = json!({"type": "object", "properties": {"size": {"anyOf": [
        {"type": "number"},
        {"enum": ["small", "large"]},
        {"type": "object", "properties": {"w": {"type": "number"}}, "required": ["w"]},
    ]}}});
    assert_eq!(
        faults(size.clone(), json!({"size": "huge"})),
        [
            "size: expected number or one of \"small\", \"large\" or object with `w`, found the text \"huge\""
        ]
    );
    assert_eq!(
        faults(size, json!({"size": {"w": "wide"}})),
        [
            "size: expected number or one of \"small\", \"large\" or object with `w`, found the object {\"w\":\"wide\"}; \
             the nearest form wants `size.w`: expected number, found the text \"wide\""
        ]
    );
    let either = json!({"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [
        {"required": ["a"]}, {"required": ["b"]},
    ]});
    assert_eq!(
        faults(either.clone(), json!({})),
        [": expected with `a` or with `b`, found the object {}"]
    );
    assert_eq!(
        faults(either, json!({"a": 1, "b": 2})),
        [
            ": expected exactly one of these forms, found the object {\"a\":1,\"b\":2}, which is several of them: with `a` or with `b`"
        ]
    );
}

#[test]
fn a_number_out_of_range_is_told_the_range() {
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": "integer", "minimum": 1, "maximum": 200, "description": "At most so many."},
        "share": {"type": "number", "exclusiveMinimum": 0},
    }});
    let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
    let faults = schema
        .validate(&json!({"limit": 18_446_744_073_709_551_616_f64, "share": 0}))
        .unwrap_err();
    let texts: Vec<_> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.message))
        .collect();
    assert_eq!(
        texts,
        [
            "limit: expected 1 to 200, found the number 1.8446744073709552e+19 (At most so many.)",
            "share: expected more than 0, found the number 0",
        ]
    );
}
