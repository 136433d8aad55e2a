//! Requests of the server to the client at the other end of the pipe, and skills as texts.

use metier_mcp::ConfirmPolicy;
use metier_tool::{ToolError, ToolSpec};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, call, modern, request};

fn bench() -> Bench {
    let bench = Bench::with(|config| config.confirm = ConfirmPolicy::Destructive);
    bench.catalog.declare_capabilities(["filesystem.read"]);
    let echo = |name: &str| {
        ToolSpec::from_fn(name, |arguments: Map<String, Value>, _| async {
            Ok::<_, ToolError>(arguments)
        })
    };
    let registry = bench.catalog.registry();
    registry
        .register(echo("where").requires(["filesystem.read"]))
        .unwrap();
    let mut wipe = echo("wipe");
    wipe.annotations.destructive_hint = Some(true);
    registry.register(wipe).unwrap();
    bench
}

#[tokio::test]
async fn a_client_is_asked_for_its_roots_and_for_its_word() {
    let bench = bench();
    let mut client = bench.client();
    let capabilities = json!({"roots": {}, "elicitation": {}});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities});
    client.ask(&request(0, "initialize", params)).await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let asked = client.next().await;
    assert_eq!(asked["method"], "roots/list");
    // The call is there before the answer and waits for it.
    client.send(&call(1, "where", json!({}))).await;
    client
        .send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///r"}]}}))
        .await;
    let done = client.next().await;
    assert_eq!(
        done["result"]["structuredContent"]["_workspace_roots"],
        json!(["/r"])
    );

    client.send(&call(2, "wipe", json!({"path": "/a"}))).await;
    let asked = client.next().await;
    assert_eq!(asked["method"], "elicitation/create");
    client
        .send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}))
        .await;
    assert_eq!(
        client.next().await["result"]["structuredContent"],
        json!({"path": "/a"})
    );

    client.send(&call(3, "wipe", json!({}))).await;
    assert_eq!(client.next().await["method"], "elicitation/create");
    // The client goes without an answer: nothing runs, nothing stays.
    let (_, rest) = client.close().await;
    assert!(!rest.contains("structuredContent"), "{rest}");
}

#[tokio::test]
async fn a_client_without_a_session_gets_its_call_back() {
    let bench = bench();
    let mut client = bench.client();
    let mut body = modern(call(1, "where", json!({})));
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
    let asked = client.ask(&body).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    body["params"]["requestState"] = asked["result"]["requestState"].clone();
    body["params"]["inputResponses"] = json!({"roots": {"roots": [{"uri": "file:///r"}]}});
    let done = client.ask(&body).await;
    assert_eq!(
        done["result"]["structuredContent"]["_workspace_roots"],
        json!(["/r"])
    );
}

#[tokio::test]
async fn skills_go_over_the_pipe_in_both_eras() {
    let bench = bench();
    bench.skill("one", "echo '{}'\n");
    let mut client = bench.client();
    client.initialize().await;
    let mut script = Vec::new();
    for message in [
        request(1, "skills/list", json!({})),
        modern(request(
            2,
            "skills/get",
            json!({"uri": "skill://one/SKILL.md"}),
        )),
        request(3, "resources/list", json!({})),
        modern(request(
            4,
            "resources/read",
            json!({"uri": "skill://one/scripts/run.sh"}),
        )),
        request(
            5,
            "resources/directory/read",
            json!({"uri": "skill://one/scripts"}),
        ),
        request(6, "prompts/list", json!({})),
    ] {
        client.send(&message).await;
        script.push(client.line().await);
    }
    insta::with_settings!({filters => [(r"\d{4}-\d\d-\d\dT[\d:]+Z", "[date]")]}, {
        insta::assert_snapshot!(script.join("\n"));
    });
}
