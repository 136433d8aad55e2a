//! A person confirms what destroys something, in both eras.

use metier_mcp::{ConfirmPolicy, Frame, Reply};
use metier_tool::{ToolError, ToolSpec};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, Client, Heard, LATEST};

fn bench() -> Bench {
    let bench = Bench::with(|config| config.confirm = ConfirmPolicy::Destructive);
    let mut spec = ToolSpec::from_fn("wipe", |arguments: Map<String, Value>, _| async {
        Ok::<_, ToolError>(arguments)
    });

    spec.annotations.destructive_hint = Some(true);
    bench.registry.register(spec).unwrap();
    bench
}

async fn client(bench: &Bench, capabilities: Value) -> Client<'_> {
    let params = json!({"protocolVersion": LATEST, "capabilities": capabilities});
    let id = bench.initialize(params).await.session.unwrap();
    Client { bench, id }
}

/// Calls the tool and answers its question.
async fn decide(client: &Client<'_>, answer: Value) -> (Value, Value) {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wipe", "arguments": {"path": "/a"}}});
    let Reply::Exchange(mut exchange) = client.start(&body) else {
        panic!()
    };
    let Some(Frame::Message(asked)) = exchange.next().await else {
        panic!("no question")
    };
    let asked: Value = serde_json::from_slice(&asked).unwrap();
    let mut response = json!({"jsonrpc": "2.0", "id": asked["id"]});
    response
        .as_object_mut()
        .unwrap()
        .extend(answer.as_object().unwrap().clone());
    client.text(&response.to_string()).await;
    let Some(Frame::Answer(answer)) = exchange.next().await else {
        panic!("no answer")
    };
    (asked, serde_json::from_slice(&answer.body).unwrap())
}

#[tokio::test]
async fn a_session_is_asked_and_the_tool_runs_when_somebody_agrees() {
    let bench = bench();
    let client = client(&bench, json!({"elicitation": {}})).await;
    let (asked, done) = decide(
        &client,
        json!({"result": {"action": "accept", "content": {}}}),
    )
    .await;
    insta::assert_snapshot!(asked);
    assert_eq!(done["result"]["structuredContent"], json!({"path": "/a"}));
    let (_, declined) = decide(&client, json!({"result": {"action": "decline"}})).await;
    insta::assert_snapshot!(declined);
    for answer in [
        json!({"result": {"action": "cancel"}}),
        json!({"result": {}}),
        json!({"error": {"code": -1, "message": "busy"}}),
    ] {
        let (_, refused) = decide(&client, answer).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
    }
    assert!(client.call("echo", json!({})).await.messages.is_empty());
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused() {
    let bench = bench();
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let client = client(&bench, capabilities).await;
        let heard = client.call("wipe", json!({})).await;
        assert_eq!(heard.answer["result"]["isError"], true);
        assert_eq!(
            heard.answer["result"]["structuredContent"]["code"],
            "not_confirmed"
        );
    }
    let client = client(&bench, json!({"elicitation": {}})).await;
    let heard = client.call_for_json("wipe", json!({})).await;
    assert_eq!(heard.answer["result"]["isError"], true, "no way to ask");
    let stateless = bench.modern("tools/call", json!({"name": "wipe"})).await;
    assert_eq!((stateless.status, stateless.code()), (400, -32021));
    assert_eq!(
        stateless.answer["error"]["data"]["requiredCapabilities"],
        json!({"elicitation": {}})
    );
}

async fn modern(bench: &Bench, mut params: Value) -> Heard {
    params["name"] = json!("wipe");
    params["_meta"] =
        json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    bench.modern("tools/call", params).await
}

#[tokio::test]
async fn a_stateless_client_asks_and_repeats_its_call() {
    let bench = bench();
    let asked = modern(&bench, json!({"arguments": {"path": "/a"}})).await;
    assert_eq!(
        asked.answer["result"]["inputRequests"]["confirm"]["method"],
        "elicitation/create"
    );
    let state = asked.answer["result"]["requestState"].clone();
    let retry = |action: &str, path: &str| json!({"arguments": {"path": path}, "requestState": state, "inputResponses": {"confirm": {"action": action}}});
    let done = modern(&bench, retry("accept", "/a")).await;
    assert_eq!(
        done.answer["result"]["structuredContent"],
        json!({"path": "/a"})
    );
    let declined = modern(&bench, retry("decline", "/a")).await;
    assert_eq!(declined.answer["result"]["isError"], true);
    let other = modern(&bench, retry("accept", "/b")).await;
    assert_eq!(other.code(), -32602, "agreed to something else");
    // An answer that nobody asked for agrees to nothing.
    let forged =
        json!({"arguments": {"path": "/a"}, "inputResponses": {"confirm": {"action": "accept"}}});
    let forged = modern(&bench, forged).await;
    assert_eq!(forged.answer["result"]["resultType"], "input_required");
}
