//! Cases from the field: what other servers get wrong about schemas, arguments, results and capabilities.

use metier_catalog::CallError;
use serde_json::{Map, Value, json};

use crate::bench_folder::{Bench, ECHO};

async fn loaded(tools: &str, script: &str, declared: &[&str]) -> Bench {
    let bench = Bench::with(|settings| {
        settings.declared_capabilities = declared.iter().map(|&name| name.to_owned()).collect();
    });
    bench.skill_with_tools("box", tools, script);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    bench
}

fn schema_of(bench: &Bench, tool: &str) -> Map<String, Value> {
    let snapshot = bench.catalog.snapshot();
    let tools = snapshot.tools();
    let tool = tools.iter().find(|listed| listed.name == tool).unwrap();
    tool.input_schema.clone()
}

#[tokio::test]
async fn every_spelling_of_a_schema_is_the_same_schema() {
    let bench = loaded(
        "tools:\n\
         \x20 - name: as_text\n\
         \x20   input_schema: '{\"type\":\"object\",\"properties\":{\"radius\":{\"type\":\"number\"}},\"required\":[\"radius\"]}'\n\
         \x20 - {name: as_map, input_schema: {type: object, properties: {radius: {type: number}}, required: [radius]}}\n\
         \x20 - {name: camel, inputSchema: {type: object, properties: {radius: {type: number}}, required: [radius]}}\n\
         \x20 - {name: dashed, input-schema: {type: object, properties: {radius: {type: number}}, required: [radius]}}\n",
        ECHO,
        &[],
    )
    .await;
    let first = schema_of(&bench, "box__as_text");
    assert_eq!(first["required"], json!(["radius"]));
    for other in ["as_map", "camel", "dashed"] {
        assert_eq!(schema_of(&bench, &format!("box__{other}")), first);
    }
}

#[tokio::test]
async fn a_bad_schema_costs_its_own_tool_alone() {
    let bench = loaded(
        "tools:\n\
         \x20 - {name: good, input_schema: {type: object, properties: {n: {type: integer}}}}\n\
         \x20 - {name: a_string, input_schema: {type: string}}\n\
         \x20 - {name: any_of, input_schema: {anyOf: [{type: object, required: [a]}, {type: object, required: [b]}]}}\n\
         \x20 - {name: nothing, input_schema: null}\n\
         \x20 - {name: broken, input_schema: '{\"type\": \"object\", '}\n\
         \x20 - {name: bare, input_schema: {}}\n\
         \x20 - {name: yes_schema, input_schema: true}\n\
         \x20 - {name: circle, input_schema: {type: object, $ref: '#'}}\n",
        ECHO,
        &[],
    )
    .await;
    let plain = json!({"type": "object"});
    for (tool, keeps, works) in [
        ("good", "properties", true),
        ("a_string", "", false),
        ("any_of", "anyOf", true),
        ("nothing", "", true),
        ("broken", "", false),
        ("bare", "", true),
        ("yes_schema", "", false),
        ("circle", "", false),
    ] {
        let schema = schema_of(&bench, &format!("box__{tool}"));
        assert_eq!(schema["type"], "object", "{tool}");
        if keeps.is_empty() {
            assert!(!schema.contains_key("$ref"), "{tool}: {schema:?}");
            assert_eq!(schema["type"], plain["type"], "{tool}");
        } else {
            assert!(schema.contains_key(keeps), "{tool}: {schema:?}");
        }
        let answer = bench.output(&format!("box__{tool}"), json!({"a": 1})).await;
        assert_eq!(answer.is_error, !works, "{tool}: {answer:?}");
    }
}

#[tokio::test]
async fn what_models_send_is_mended_where_nothing_is_lost_and_refused_by_name_elsewhere() {
    let bench = loaded(
        "tools:\n\
         \x20 - name: take\n\
         \x20   input_schema:\n\
         \x20     type: object\n\
         \x20     required: [size]\n\
         \x20     properties:\n\
         \x20       size: {type: number}\n\
         \x20       count: {type: integer}\n\
         \x20       flag: {type: boolean}\n\
         \x20       fmt: {type: string, enum: [fbx, usd]}\n\
         \x20       names: {type: array, items: {type: string}}\n\
         \x20       code: {type: string}\n",
        ECHO,
        &[],
    )
    .await;
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
        (
            json!({"size": 1, "_workspace_roots": ["file:///spoofed"], "_x": 1}),
            json!({"size": 1}),
        ),
    ] {
        let answer = bench.structured("box__take", sent.clone()).await;
        assert_eq!(answer, json!({ "got": got }), "{sent}");
    }
    for (sent, place) in [
        (json!({"size": "5px"}), "size"),
        (json!({"size": ""}), "size"),
        (json!({"size": null}), "size"),
        (json!({"size": 1, "count": 1.5}), "count"),
        (json!({"size": 1, "flag": "yes please"}), "flag"),
        (json!({"size": 1, "fmt": "FBX"}), "fmt"),
        (Value::Null, "size"),
    ] {
        let answer = bench.output("box__take", sent.clone()).await;
        assert!(answer.is_error, "{sent}");
        let text = answer.joined_text();
        assert!(text.contains(&format!("- {place}: ")), "{sent}: {text}");
    }
    for sent in [json!([1]), json!("x")] {
        let refused = bench.call("box__take", sent).await.unwrap_err();
        assert!(matches!(refused, CallError::ArgumentsNotObject { .. }));
    }
}

#[tokio::test]
async fn results_that_are_no_object_are_wrapped_and_failures_are_failures() {
    for (script, structured, is_error) in [
        ("print('[1, 2]')", json!({"result": [1, 2]}), false),
        ("print('\"text\"')", json!({"result": "text"}), false),
        ("print('3')", json!({"result": 3}), false),
        ("print('null')", json!({"result": null}), false),
        ("pass", json!({"success": true, "message": ""}), false),
        (
            "print('{\"success\": false, \"message\": \"no selection\"}')",
            json!({"success": false, "message": "no selection"}),
            true,
        ),
        (
            "print('{\"success\": true}'); raise SystemExit(3)",
            json!({"success": true}),
            true,
        ),
    ] {
        let bench = loaded("tools:\n  - name: go\n", script, &[]).await;
        let answer = bench.output("box__go", json!({})).await;
        assert_eq!(answer.is_error, is_error, "{script}: {answer:?}");
        let found = answer.structured.map_or(Value::Null, Value::Object);
        assert_eq!(found, structured, "{script}");
    }
}

#[tokio::test]
async fn a_capability_is_read_in_every_shape_or_closes_the_tool() {
    let tools = "tools:\n\
        \x20 - {name: text, required_capabilities: usd}\n\
        \x20 - {name: dup, required_capabilities: [usd, usd, ' usd ', USD]}\n\
        \x20 - {name: nul, required_capabilities: [null]}\n\
        \x20 - {name: map, required_capabilities: {usd: true}}\n";
    let bench = loaded(tools, ECHO, &["usd"]).await;
    for fine in ["text", "nul"] {
        let answer = bench.output(&format!("box__{fine}"), json!({})).await;
        assert!(!answer.is_error, "{fine}: {answer:?}");
    }
    match bench.call("box__dup", json!({})).await.unwrap_err() {
        CallError::CapabilityMissing(missing) => {
            let told = serde_json::to_value(&missing).unwrap();
            assert_eq!(told["missing"], json!(["USD"]));
            assert_eq!(told["required"], json!(["usd", "USD"]));
        }
        other => panic!("{other}"),
    }
    // What it needs cannot be read, so nobody may call it.
    assert!(bench.output("box__map", json!({})).await.is_error);
}

#[tokio::test]
async fn a_family_of_capabilities_grants_no_member_and_no_member_its_family() {
    let tools = "tools:\n\
        \x20 - {name: a, required_capabilities: [filesystem.write]}\n\
        \x20 - {name: b, required_capabilities: [scene]}\n\
        \x20 - {name: c, required_capabilities: [scene.readonly]}\n";
    for declared in [&["filesystem", "scene.read"][..], &[]] {
        let bench = loaded(tools, ECHO, declared).await;
        for tool in ["a", "b", "c"] {
            let refused = bench.call(&format!("box__{tool}"), json!({})).await;
            assert!(
                matches!(refused, Err(CallError::CapabilityMissing(_))),
                "{tool}: {refused:?}"
            );
        }
    }
}
