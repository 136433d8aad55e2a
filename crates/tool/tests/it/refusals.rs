//! What a refusal says: what was wanted, what came, and of both no more than helps.

use metier_tool::CompiledSchema;
use serde_json::{Value, json};

fn refusal(schema: &Value, value: &Value) -> String {
    let schema = json!({"type": "object", "properties": {"a": schema}});
    let (schema, _) = CompiledSchema::compile(schema.as_object().unwrap()).unwrap();
    let faults = schema.validate(&json!({"a": value})).unwrap_err();
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("\n")
}

fn letters(count: usize) -> String {
    "x".repeat(count)
}

#[test]
fn what_was_wanted_is_said_of_short_values_and_of_long_ones() {
    let long = letters(300);
    let names = json!({letters(300): 1, "y".repeat(300): 2});
    for (schema, values, wanted) in [
        (
            json!({"maxLength": 50}),
            vec![json!(letters(51)), json!(long), json!(letters(100_000))],
            "expected at most 50 characters",
        ),
        (
            json!({"minLength": 500}),
            vec![json!("x"), json!(long)],
            "expected at least 500 characters",
        ),
        (
            json!({"pattern": "^[a-z]+$"}),
            vec![json!("A"), json!("A".repeat(300))],
            "expected a text that matches `^[a-z]+$`",
        ),
        (
            json!({"not": {"type": "string"}}),
            vec![json!("x"), json!(long)],
            "expected anything but the form {\"type\":\"string\"}",
        ),
        (
            json!({"minItems": 2}),
            vec![json!([1]), json!([long])],
            "expected at least 2 items",
        ),
        (
            json!({"maxItems": 1}),
            vec![json!([1, 2]), json!([1, long])],
            "expected at most 1 item,",
        ),
        (
            json!({"minProperties": 3}),
            vec![json!({}), names.clone()],
            "expected at least 3 members",
        ),
        (
            json!({"maxProperties": 1}),
            vec![json!({"b": 1, "c": 2}), names.clone()],
            "expected at most 1 member,",
        ),
        (
            json!({"uniqueItems": true}),
            vec![json!([1, 1]), json!([long, long])],
            "expected a list in which nothing stands twice",
        ),
        (
            json!({"contains": {"const": 1}}),
            vec![json!([2]), json!([long])],
            "expected a list that contains an item of the form {\"const\":1}",
        ),
        (
            json!({"multipleOf": 0.25}),
            vec![json!(0.3)],
            "expected a multiple of 0.25",
        ),
        (
            json!({"propertyNames": {"pattern": "^a+$"}}),
            vec![json!({"b": 1}), json!({letters(300): 1})],
            "expected a text that matches `^a+$`",
        ),
        (
            json!({"const": "abc"}),
            vec![json!("x"), json!(long)],
            "expected \"abc\"",
        ),
        (
            json!({"enum": ["x", "y"]}),
            vec![json!("z"), json!(long)],
            "expected one of [\"x\",\"y\"]",
        ),
        (
            json!({"type": "integer"}),
            vec![json!("z"), json!(long)],
            "expected integer",
        ),
    ] {
        for value in values {
            let said = refusal(&schema, &value);
            assert!(said.starts_with("a: ") && said.contains(wanted), "{said}");
            assert!(said.len() < 700, "{} bytes: {said}", said.len());
        }
    }
}

#[test]
fn a_refusal_for_size_says_how_much_came() {
    assert_eq!(
        refusal(&json!({"maxLength": 3}), &json!("灯光检查")),
        "a: expected at most 3 characters, found the text \"灯光检查\" (4 characters)"
    );
    assert!(
        refusal(&json!({"maxLength": 50}), &json!(letters(400))).ends_with("x… (400 characters)")
    );
    assert_eq!(
        refusal(&json!({"minItems": 1}), &json!([])),
        "a: expected at least 1 item, found the list [] (0 items)"
    );
}

/// A look ahead goes back for each letter, up to a bound.
#[test]
fn a_pattern_that_takes_too_many_steps_is_named() {
    let said = refusal(
        &json!({"pattern": "^(?=(a+)+$)b"}),
        &json!(format!("{}!", "a".repeat(3_000))),
    );
    assert!(said.contains("`^(?=(a+)+$)b`"), "{said}");
    assert!(!said.to_lowercase().contains("regex"), "{said}");
}
