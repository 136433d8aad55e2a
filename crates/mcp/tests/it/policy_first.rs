//! Nobody is asked to choose among skills before the policy has spoken and the arguments are as the tool gets them.

use std::sync::Arc;

use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
use metier_mcp::{Frame, Reply};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::selecting::{VAGUE, bench, call, client, message, names, select};

/// The queries that a policy on searches was asked about.
fn policy(bench: &Bench, denies: bool) -> Arc<std::sync::Mutex<Vec<String>>> {
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let hooks = LifecycleHooks::new();
    let seen = Arc::clone(&asked);
    hooks.on(HookEvent::BeforeSearch, move |context: &HookContext| {
        if let HookPayload::BeforeSearch { query } = &context.payload {
            seen.lock().unwrap().push(query.clone());
        }
        if denies {
            return Err(HookDeny::new("closed today").into());
        }
        Ok(())
    });
    let _ = bench.catalog.clone().with_hooks(hooks);
    asked
}

#[tokio::test]
async fn the_policy_speaks_before_a_model_sees_the_names_of_skills() {
    let bench = bench();
    let client = client(&bench, json!({"sampling": {}})).await;
    let asked = policy(&bench, true);
    let refused = client
        .call("discover_skills", json!({"query": VAGUE}))
        .await;
    assert!(refused.messages.is_empty(), "{:?}", refused.messages);
    assert_eq!(
        refused.answer["result"]["structuredContent"]["code"],
        "denied"
    );
    let mut params = call(&json!({"query": VAGUE}));
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}});
    let refused = bench.modern("tools/call", params).await;
    assert_eq!(
        refused.answer["result"]["structuredContent"]["code"], "denied",
        "{}",
        refused.raw
    );
    assert!(asked.lock().unwrap().iter().all(|query| query == VAGUE));

    let asked = policy(&bench, false);
    let chosen = json!({"result": message(r#"{"skills": ["bake-two"]}"#)});
    let (_, answer) = select(&client, chosen).await;
    assert_eq!(names(&answer), ["bake-two"]);
    assert_eq!(*asked.lock().unwrap(), [VAGUE], "once for a call");
}

#[tokio::test]
async fn what_a_model_is_asked_comes_from_the_arguments_as_the_tool_gets_them() {
    let bench = bench();
    let client = client(&bench, json!({"sampling": {}})).await;
    // Text for a number is mended, and so it is before somebody is asked.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call(&json!({"query": VAGUE, "limit": "1"}))});
    let Reply::Exchange(mut exchange) = client.start(&body) else {
        panic!()
    };
    let Some(Frame::Message(asked)) = exchange.next().await else {
        panic!("no question")
    };
    let asked: Value = serde_json::from_slice(&asked).unwrap();
    assert!(asked.to_string().contains("Choose at most 1."), "{asked}");
    let error = json!({"code": -1, "message": "no"});
    let response = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
    client.text(&response.to_string()).await;
    assert!(matches!(exchange.next().await, Some(Frame::Answer(_))));
    // What the tool would refuse is asked of nobody.
    let wrong = client
        .call("discover_skills", json!({"query": VAGUE, "limit": 0}))
        .await;
    assert!(wrong.messages.is_empty());
    assert_eq!(wrong.answer["result"]["isError"], true);
}
