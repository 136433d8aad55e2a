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

/// The schema that pydantic and friends write for maps, pairs and unions.
fn composed() -> CompiledSchema {
    let schema = json!({
        "type": "object",
        "allOf": [{"properties": {"own": {"type": "integer"}}}],
        "properties": {
            "ref": {"allOf": [{"$ref": "#/$defs/x"}], "default": 1},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "named": {"type": "object", "patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": {"type": "boolean"}},
            "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "boolean"}], "items": {"type": "integer"}},
            "mixed": {"anyOf": [{"$ref": "#/$defs/p"}, {"type": "array", "items": {"type": "number"}}]},
            "shape": {"oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}]},
            "open": {"anyOf": [{"type": "object", "properties": {"i": {"type": "integer"}}}, {"type": "object", "properties": {"s": {"type": "integer"}}}]},
            "word": {"allOf": [{"type": ["string", "integer"]}, {"minLength": 1}]},
        },
        "$defs": {
            "x": {"type": "integer"},
            "p": {"type": "object", "properties": {"i": {"type": "integer"}}},
            "circle": {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
            "square": {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]},
        },
    });
    CompiledSchema::compile(schema.as_object().unwrap())
        .unwrap()
        .0
}

#[test]
fn repair_reaches_wherever_the_schema_asks() {
    let schema = composed();
    for (came, got) in [
        (json!({"own": "5"}), json!({"own": 5})),
        (json!({"own": null}), json!({})),
        (json!({"ref": "5"}), json!({"ref": 5})),
        (json!({"map": {"a": "1"}}), json!({"map": {"a": 1}})),
        (json!({"map": "{\"a\": \"1\"}"}), json!({"map": {"a": 1}})),
        (
            json!({"named": {"x_a": "1", "b": "true"}}),
            json!({"named": {"x_a": 1, "b": true}}),
        ),
        (
            json!({"pair": ["1", "true", "2"]}),
            json!({"pair": [1, true, 2]}),
        ),
        (json!({"pair": "[1, true]"}), json!({"pair": [1, true]})),
        (json!({"mixed": {"i": "5"}}), json!({"mixed": {"i": 5}})),
        (json!({"mixed": ["1"]}), json!({"mixed": [1]})),
        (
            json!({"shape": {"kind": "circle", "r": "5"}}),
            json!({"shape": {"kind": "circle", "r": 5}}),
        ),
        (
            json!({"shape": "{\"kind\": \"square\", \"side\": \"5\"}"}),
            json!({"shape": {"kind": "square", "side": 5}}),
        ),
        // A null in a map is a value, not an argument that was left out; two forms that fit are not one.
        (json!({"map": {"a": null}}), json!({"map": {"a": null}})),
        (json!({"open": {"i": "5"}}), json!({"open": {"i": "5"}})),
        (json!({"word": "5"}), json!({"word": "5"})),
    ] {
        let mut arguments = came.as_object().unwrap().clone();
        repair(&mut arguments, &schema);
        assert_eq!(Value::Object(arguments), got, "{came}");
    }
}

#[test]
fn a_refused_form_names_field_and_want() {
    let schema = composed();
    let told = |value: Value| -> String { schema.validate(&value).unwrap_err()[0].to_string() };
    insta::assert_snapshot!(
        [
            json!({"shape": {"kind": "circle", "r": "x"}}),
            json!({"shape": {"kind": "circle"}}),
            json!({"shape": {"kind": "tri"}}),
            json!({"shape": {"r": 1}}),
            json!({"shape": 5}),
        ]
        .map(told)
        .join("\n")
    );
}

#[test]
fn a_wide_schema_and_many_names_are_repaired_within_bounds() {
    let patterns: Map<String, Value> = (0..200)
        .map(|n| (format!("^{n}(a|b)*c$"), json!({"type": "integer"})))
        .collect();
    let schema = json!({"type": "object", "patternProperties": patterns});
    let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
    let mut arguments: Map<String, Value> = (0..100_000)
        .map(|n| (format!("k{n}"), json!("1")))
        .collect();
    let before = arguments.clone();
    repair(&mut arguments, &schema);
    assert_eq!(arguments, before);
}

/// Of one member, whose schema is given.
fn repaired_member(schema: &Value, came: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"x": schema}});
    let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
    let mut arguments = Map::new();
    arguments.insert("x".to_owned(), came);
    repair(&mut arguments, &schema);
    arguments["x"].take()
}

#[test]
fn text_is_repaired_in_a_choice_where_one_form_takes_what_it_says() {
    let integer = json!({"type": "integer"});
    let boolean = json!({"type": "boolean"});
    let number = json!({"type": "number"});
    let numbers = json!({"type": "array", "items": {"type": "number"}});
    let auto = json!({"const": "auto", "type": "string"});
    let size =
        json!({"type": "object", "properties": {"w": {"type": "number"}}, "required": ["w"]});
    for choice in ["anyOf", "oneOf"] {
        for (forms, came, got) in [
            (json!([integer, boolean]), json!("7"), json!(7)),
            (json!([integer, boolean]), json!("True"), json!(true)),
            (json!([integer, boolean]), json!("7.5"), json!("7.5")),
            (json!([integer, boolean]), json!("seven"), json!("seven")),
            (json!([integer, number]), json!("7.5"), json!(7.5)),
            (json!([integer, auto]), json!("7"), json!(7)),
            (json!([integer, auto]), json!("auto"), json!("auto")),
            (
                json!([integer, {"enum": ["7", "8"]}]),
                json!("7"),
                json!("7"),
            ),
            (json!([numbers, size]), json!("[\"1\"]"), json!([1])),
            (
                json!([numbers, size]),
                json!("{\"w\": \"2\"}"),
                json!({"w": 2}),
            ),
            (
                json!([boolean, numbers, {"type": "null"}]),
                json!("[1]"),
                json!([1]),
            ),
            // Text is what one form takes.
            (json!([integer, {"type": "string"}]), json!("7"), json!("7")),
            (json!([integer, {"minLength": 1}]), json!("7"), json!("7")),
        ] {
            let schema = json!({choice: forms});
            assert_eq!(
                repaired_member(&schema, came.clone()),
                got,
                "{schema} {came}"
            );
        }
    }
    // Both forms would take the number, and then `oneOf` takes it in neither.
    let both = json!([integer, number]);
    assert_eq!(
        repaired_member(&json!({"oneOf": both}), json!("7")),
        json!("7")
    );
    assert_eq!(
        repaired_member(&json!({"anyOf": both}), json!("7")),
        json!(7)
    );
    // The type beside the choice counts as well.
    let beside = json!({"type": ["boolean", "string"], "oneOf": [integer, boolean]});
    assert_eq!(repaired_member(&beside, json!("true")), json!(true));
    assert_eq!(repaired_member(&beside, json!("7")), json!("7"));
}

#[test]
fn a_value_of_the_right_kind_is_not_told_its_kind() {
    let told = |schema: Value, value: Value| -> String {
        let schema = json!({"type": "object", "properties": {"x": schema}});
        let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
        schema.validate(&json!({"x": value})).unwrap_err()[0].to_string()
    };
    let consts: Vec<Value> = (0..2000)
        .map(|number| json!({"properties": {"s": {"const": number}}}))
        .collect();
    insta::assert_snapshot!(
        [
            told(json!({"oneOf": consts}), json!({"s": "x"})),
            told(json!({"oneOf": [{"properties": {"a": false}}, {"properties": {"b": false}}]}), json!({"a": 1, "b": 1})),
            told(
                json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "integer"}]}),
                json!({"a": "x"}),
            ),
            told(json!({"anyOf": [{"type": "string", "not": {"const": "x"}}, {"type": "boolean"}]}), json!("x")),
            told(json!({"oneOf": [{"type": "integer", "not": {"const": 7}}, {"type": "boolean"}]}), json!(7)),
            told(json!({"anyOf": [{"type": ["array", "null"], "contains": {"const": 1}}, {"type": "boolean"}]}), json!([])),
            told(json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}), json!(1.5)),
        ]
        .join("\n")
    );
}
