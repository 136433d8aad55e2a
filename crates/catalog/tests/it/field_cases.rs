//! Cases from the field: what other servers get wrong about results and capabilities. Those about schemas and arguments are
//! in the field tests of `metier`.

use metier_catalog::CallError;
use serde_json::{Value, json};

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
async fn content_items_pass_and_what_stands_beside_them_is_told_with_all_else() {
    let script = "import sys\n\
        sys.stdout.buffer.write(b'caf\\xe9\\n')\n\
        print('{\"content\": [{\"type\": \"text\", \"text\": \"x\"}], \"structuredContent\": [1], \"other\": 1}')\n";
    let bench = loaded("tools:\n  - name: go\n", script, &[]).await;
    let answer = bench.output("box__go", json!({})).await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(answer.joined_text(), "x");
    assert_eq!(
        answer.structured.map(Value::Object),
        Some(json!({"result": [1]}))
    );
    let dcc = answer.meta.get("dcc").unwrap();
    assert_eq!(dcc["log"], json!("caf\u{fffd}"));
    let note = dcc["note"].as_str().unwrap();
    assert!(
        note.contains("`other`") && note.contains("; the script printed bytes"),
        "{note}"
    );
}

#[tokio::test]
async fn case_105_capability_shapes() {
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
async fn case_106_no_family_matching() {
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
