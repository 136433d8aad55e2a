//! Schemas and values that are much work, and how that is told.

use serde_json::json;

use super::*;
use crate::schema_written::MOST_NESTING;

/// Each definition is two ways to the next.
fn doubling(depth: usize) -> Value {
    let mut definitions = Map::new();
    for n in 0..depth {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        definitions.insert(format!("d{n}"), json!({"anyOf": [next, next]}));
    }
    definitions.insert(format!("d{depth}"), json!({"type": "integer"}));
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
}

#[test]
fn references_are_counted_as_often_as_they_lead_somewhere() {
    // The root, the property, and 29 for `d0`: one for itself, twice one for a reference and 13 for `d1`.
    assert_eq!(Shape::of(&doubling(3)).unwrap().parts, 31);
    assert!(Shape::of(&doubling(14)).is_ok());
    let error = Shape::of(&doubling(60)).unwrap_err();
    assert_eq!(error, SchemaError::TooManyParts { limit: MOST_PARTS });
}

#[test]
fn steps_follow_the_value() {
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
    let shape = Shape::of(&tree).unwrap();
    assert!(shape.is_recursive);
    assert_eq!(shape.steps(&tree, &json!({}), 100), 1);
    assert_eq!(shape.steps(&tree, &json!({"left": {"right": {}}}), 100), 5);
    assert_eq!(shape.steps(&tree, &json!({"left": {"right": {}}}), 3), 3);

    let list = json!({"items": {"type": "integer"}});
    let shape = Shape::of(&list).unwrap();
    let long = Value::from(vec![1; 1_000]);
    assert_eq!(shape.steps(&list, &long, 10_000), 2_002);
    assert_eq!(shape.steps(&list, &long, 1_500), 1_001);

    let shape = Shape::of(&tree).unwrap();
    assert_eq!(shape.effort(&tree, &json!({"left": {}})), Effort::Full);
}

#[test]
fn what_is_long_to_look_through_costs_more() {
    let options: Vec<u32> = (0..10_000).collect();
    let text = "x".repeat(25_600);
    for (schema, value, effort) in [
        (
            json!({"items": {"enum": options}}),
            json!([1, 2, 3]),
            Effort::Full,
        ),
        (
            json!({"items": {"enum": options}}),
            json!(vec![1; 20]),
            Effort::Brief,
        ),
        (
            json!({"items": {"enum": options}}),
            json!(vec![1; 100_000]),
            Effort::TooMuch,
        ),
        (json!({"pattern": "^a+$"}), json!(text), Effort::Full),
        (
            json!({"items": {"pattern": "^a+$"}}),
            json!(vec![text.as_str(); 200]),
            Effort::Brief,
        ),
        (
            json!({"items": {"pattern": "^(?=a)"}}),
            json!(["a", "b"]),
            Effort::Full,
        ),
        (
            json!({"items": {"pattern": "^(a)\\1"}}),
            json!(vec!["a"; 30]),
            Effort::Brief,
        ),
    ] {
        let shape = Shape::of(&schema).unwrap();
        assert_eq!(shape.effort(&schema, &value), effort);
    }
    // A wide object is dear wherever it applies.
    let wide: Map<String, Value> = (0..10_000).map(|n| (format!("p{n}"), json!({}))).collect();
    let schema = json!({"items": {"$ref": "#/$defs/wide"}, "$defs": {"wide": {"properties": wide, "not": {"items": {"$ref": "#"}}}}});
    let shape = Shape::of(&schema).unwrap();
    assert_eq!(shape.effort(&schema, &json!([{}, {}])), Effort::Full);
    assert_eq!(
        shape.effort(&schema, &json!(vec![json!({}); 100])),
        Effort::Brief
    );
    assert_eq!(
        shape.effort(&schema, &json!(vec![json!({}); 20_000])),
        Effort::TooMuch
    );
}

#[test]
fn anchors_are_for_small_schemas() {
    let mut members: Map<String, Value> =
        (0..3_000).map(|n| (format!("p{n}"), json!({}))).collect();
    assert!(Shape::of(&json!({ "properties": members })).is_ok());
    members.insert("last".to_owned(), json!({"$anchor": "x"}));
    let error = Shape::of(&json!({ "properties": members })).unwrap_err();
    assert_eq!(error, SchemaError::TooLargeForAnchors);
}

#[test]
fn two_ways_down_at_each_level_are_counted_and_not_walked() {
    let schema = json!({"anyOf": [
        {"properties": {"a": {"$ref": "#"}}},
        {"properties": {"a": {"$ref": "#"}}},
    ]});
    let mut value = json!({});
    for _ in 0..100 {
        value = json!({ "a": value });
    }
    let shape = Shape::of(&schema).unwrap();
    assert_eq!(shape.steps(&schema, &value, 10_000), 10_000);
}

#[test]
fn anchors_escapes_and_inner_resources_are_followed() {
    for schema in [
        json!({"properties": {"a": {"$ref": "#node"}}, "$defs": {"n": {"$anchor": "node", "properties": {"b": {"$ref": "#node"}}}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/a%20b~1c"}}, "$defs": {"a b/c": {"items": {"$ref": "#"}}}}),
        json!({"properties": {"a": {"$id": "inner", "items": {"$ref": "#"}}}}),
        json!({"$dynamicAnchor": "x", "items": {"$dynamicRef": "#x"}}),
    ] {
        assert!(Shape::of(&schema).unwrap().is_recursive, "{schema}");
    }
}

#[test]
fn what_leads_back_to_itself_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"type": "object"}, {"$ref": "#"}]}),
        json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}]},
            "b": {"not": {"$ref": "#/$defs/a"}},
        }}),
    ] {
        let error = Shape::of(&schema).unwrap_err();
        assert!(
            matches!(error, SchemaError::CircularReference(_)),
            "{schema}: {error}"
        );
    }
}

#[test]
fn long_chains_and_deep_nesting_are_refused() {
    let mut chain = Map::new();
    for n in 0..10_000 {
        let next = format!("#/$defs/d{}", n + 1);
        chain.insert(format!("d{n}"), json!({ "$ref": next }));
    }
    chain.insert("d10000".to_owned(), json!({}));
    for first in ["d0", "d9900"] {
        // The second is short when it is met first, and a part of a long way afterwards.
        let schema = json!({
            "properties": {"b": {"$ref": format!("#/$defs/{first}")}, "a": {"$ref": "#/$defs/d0"}},
            "$defs": chain,
        });
        let error = Shape::of(&schema).unwrap_err();
        assert_eq!(error, SchemaError::TooDeep { limit: MOST_DEPTH });
    }
    let mut deep = json!({});
    for _ in 0..40 {
        deep = json!({ "items": [deep] });
    }
    let error = Shape::of(&deep).unwrap_err();
    assert_eq!(
        error,
        SchemaError::TooDeep {
            limit: MOST_NESTING
        }
    );
}
