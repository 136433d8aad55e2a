//! Schemas, and the arguments that are held against them.

use serde_json::{Value, json};

use super::bench::Case;

#[tokio::test]
async fn case_050_schema_spellings() {
    let case = Case::spec(50).await;
    let names = case.lenient.load("spelled").await.unwrap();
    assert_eq!(names.len(), 4);
    for name in &names {
        let schema = case.lenient.tool(name)["inputSchema"].clone();
        assert_eq!(
            schema,
            json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
            "{name}"
        );
    }
}

#[tokio::test]
async fn case_058_bad_schema_isolated() {
    let case = Case::empty();
    case.skill_with_tools(
        "plans",
        concat!(
            "tools:\n",
            "  - {name: good, input_schema: {type: object, properties: {n: {type: integer}}}}\n",
            "  - {name: any_of, input_schema: {anyOf: [{required: [a]}, {required: [b]}]}}\n",
            "  - {name: nothing, input_schema: ~}\n",
            "  - {name: bare, input_schema: {}}\n",
            "  - {name: a_string, input_schema: {type: string}}\n",
            "  - {name: broken, input_schema: '{\"type\": '}\n",
            "  - {name: yes_schema, input_schema: true}\n",
            "  - {name: circle, input_schema: {type: object, $ref: '#'}}\n",
        ),
    );
    case.discover();
    case.holds().await;
    let told: &[&str] = &["`a_string: input_schema`", "`broken:", "`yes_schema:"];
    case.fares("plans", ("unloaded", told), ("skipped", told));
    let names = case.lenient.load("plans").await.unwrap();
    assert_eq!(names.len(), 8);
    // What only shows when a schema is compiled is told with the load.
    assert!(case.lenient.said("plans").contains("circle"));
    let schema = |name: &str| case.lenient.tool(&format!("plans__{name}"))["inputSchema"].clone();
    assert!(schema("good")["properties"]["n"].is_object());
    assert_eq!(schema("any_of")["anyOf"].as_array().unwrap().len(), 2);
    for plain in [
        "nothing",
        "bare",
        "a_string",
        "broken",
        "yes_schema",
        "circle",
    ] {
        let mut plain_one = schema(plain);
        let members = plain_one.as_object_mut().unwrap();
        let inside = members.remove("properties").unwrap_or_else(|| json!({}));
        assert_eq!(
            (plain_one, inside),
            (json!({"type": "object"}), json!({})),
            "{plain}"
        );
    }
    for (name, is_error) in [
        ("good", false),
        ("nothing", false),
        ("bare", false),
        ("a_string", true),
        ("broken", true),
        ("yes_schema", true),
        ("circle", true),
    ] {
        let tool = format!("plans__{name}");
        let called = case.lenient.call(&tool, json!({"a": 1})).await;
        assert_eq!(called.is_error, is_error, "{name}: {called:?}");
    }
    let wrong = case.lenient.call("plans__any_of", json!({"c": 1})).await;
    assert!(
        wrong.joined_text().contains("with `a` or with `b`"),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn case_059_defaults_and_dialects() {
    let case = Case::spec(59).await;
    case.fares_alike("dialect", "unloaded", &["MT229", "2020-12"]);
    case.lenient.load("dialect").await.unwrap();
    let said = case.lenient.said("dialect");
    assert_eq!(said.lines().count(), 1, "the dialect is told once: {said}");
    let shown = case.lenient.tool("dialect__make");
    assert_eq!(shown["inputSchema"]["properties"]["size"]["default"], 1);
    let plain = case
        .lenient
        .call("dialect__make", json!({"when": "soon"}))
        .await;
    assert!(!plain.is_error, "{plain:?}");
    let looked = case
        .lenient
        .call("dialect__make", json!({"code": "xab"}))
        .await;
    assert!(
        looked.is_error && looked.joined_text().contains("code"),
        "{looked:?}"
    );
    // A pattern that nobody can compile is told, and the rest of the schema counts.
    let case = Case::empty();
    case.skill_with_tools(
        "odd",
        "tools: [{name: go, input_schema: {type: object, properties: {code: {type: string, pattern: 'a(['}}}}]\n",
    );
    case.discover();
    case.lenient.load("odd").await.unwrap();
    assert!(case.lenient.said("odd").contains("`a([`"));
    let wrong = case.lenient.call("odd__go", json!({"code": 7})).await;
    assert!(
        wrong.is_error && wrong.joined_text().contains("code"),
        "{wrong:?}"
    );
}

const TAKE: &str = "tools:
  - name: take
    input_schema:
      type: object
      required: [size]
      additionalProperties: false
      properties:
        size: {type: number}
        count: {type: integer}
        flag: {type: boolean}
        fmt: {enum: [obj, fbx]}
        names: {type: array, items: {type: string}}
        code: {type: string}
  - name: open
    input_schema: {type: object, properties: {size: {type: number}}}
";

#[tokio::test]
async fn case_060_model_made_arguments() {
    let case = Case::empty();
    case.skill_with_tools("coerce", TAKE);
    case.discover();
    case.lenient.load("coerce").await.unwrap();
    let take = async |arguments: Value| case.lenient.call("coerce__take", arguments).await;
    for (sent, got) in [
        (json!({"size": "5"}), json!({"size": 5})),
        (json!({"size": "5.50"}), json!({"size": 5.5})),
        (
            json!({"size": 1, "count": "3"}),
            json!({"size": 1, "count": 3}),
        ),
        (
            json!({"size": 1, "count": 3.0}),
            json!({"size": 1, "count": 3}),
        ),
        (
            json!({"size": 1, "flag": "TRUE"}),
            json!({"size": 1, "flag": true}),
        ),
        (json!({"size": 1, "count": null}), json!({"size": 1})),
        (
            json!({"size": 1, "names": "[\"a\", \"b\"]"}),
            json!({"size": 1, "names": ["a", "b"]}),
        ),
        (
            json!({"size": 1, "code": "007"}),
            json!({"size": 1, "code": "007"}),
        ),
    ] {
        let answer = take(sent.clone()).await;
        let structured = answer.structured.unwrap();
        assert_eq!(structured["got"], got, "{sent}");
    }
    for (sent, field) in [
        (json!({"size": "5px"}), "size"),
        (json!({"size": ""}), "size"),
        (json!({"size": 1, "count": 1.5}), "count"),
        (json!({"size": 1, "flag": "yes please"}), "flag"),
        (json!({"size": null}), "size"),
        (json!({"size": 1, "fmt": "FBX"}), "fmt"),
    ] {
        let answer = take(sent.clone()).await;
        assert!(
            answer.is_error && answer.joined_text().contains(&format!("- {field}: ")),
            "{sent}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn case_061_arguments_absent_or_odd() {
    let case = Case::empty();
    case.skill_with_tools("coerce", TAKE);
    case.discover();
    case.lenient.load("coerce").await.unwrap();
    for nothing in [None, Some(Value::Null)] {
        let answer = case
            .lenient
            .try_call("coerce__take", nothing)
            .await
            .unwrap();
        assert!(
            answer.is_error && answer.joined_text().contains("size"),
            "{answer:?}"
        );
    }
    for odd in [json!([1]), json!("x"), json!(7)] {
        let refused = case.lenient.try_call("coerce__take", Some(odd)).await;
        assert!(
            matches!(
                refused,
                Err(metier::catalog::CallError::ArgumentsNotObject { .. })
            ),
            "{refused:?}"
        );
    }
    let spoofed = json!({"size": 1, "_workspace_roots": ["file:///projects"], "_x": 1});
    let got = case.lenient.structured("coerce__take", spoofed).await;
    assert_eq!(got["got"], json!({"size": 1}));
    let slip = case
        .lenient
        .call("coerce__take", json!({"size": 1, "cuont": 2}))
        .await;
    assert!(
        slip.is_error && slip.joined_text().contains("`count`"),
        "{slip:?}"
    );
    let passed = case
        .lenient
        .structured("coerce__open", json!({"more": 2}))
        .await;
    assert_eq!(passed["got"], json!({"more": 2}));
}
