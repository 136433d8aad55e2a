//! Calls: their progress, their log lines, their end.

use metier_mcp::Reply;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::bench::{Bench, hear, modern_request};

async fn permit(semaphore: &Semaphore) {
    semaphore.acquire().await.unwrap().forget();
}

fn call(id: &Value, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}

#[tokio::test]
async fn progress_goes_to_whoever_gave_a_token_and_rises() {
    let bench = Bench::new();
    let client = bench.session().await;
    for token in [json!(0), json!("t"), json!("")] {
        let params =
            json!({"name": "steps", "arguments": {"count": 5}, "_meta": {"progressToken": token}});
        let heard = client.request("tools/call", params).await;
        assert_eq!(heard.methods(), ["notifications/progress"; 5]);
        for (n, message) in heard.messages.iter().enumerate() {
            assert_eq!(message["params"]["progressToken"], token);
            assert_eq!(message["params"]["progress"], n + 1);
        }
        assert_eq!(heard.answer["result"]["content"][0]["text"], "done");
    }
    let silent = client.call("steps", json!({})).await;
    assert!(silent.messages.is_empty());
}

#[tokio::test]
async fn a_client_without_streams_gets_its_answer_alone() {
    let bench = Bench::new();
    let client = bench.session().await;
    client
        .request("logging/setLevel", json!({"level": "debug"}))
        .await;
    let heard = client.call_for_json("steps", json!({})).await;
    assert!(heard.messages.is_empty());
    assert_eq!(heard.answer["result"]["isError"], false);
}

#[tokio::test]
async fn log_lines_come_when_asked_for() {
    let bench = Bench::new();
    let client = bench.session().await;
    assert!(client.call("steps", json!({})).await.messages.is_empty());
    assert_eq!(
        client
            .request("logging/setLevel", json!({"level": "info"}))
            .await
            .answer["result"],
        json!({})
    );
    assert_eq!(
        client.call("steps", json!({})).await.methods(),
        ["notifications/message"; 3]
    );
    client
        .request("logging/setLevel", json!({"level": "error"}))
        .await;
    assert!(client.call("steps", json!({})).await.messages.is_empty());
    assert!(
        bench
            .modern("tools/call", json!({"name": "steps"}))
            .await
            .messages
            .is_empty()
    );
}

#[tokio::test]
async fn a_cancelled_call_stops_without_an_answer_and_others_go_on() {
    let bench = Bench::new();
    let (client, other) = (bench.session().await, bench.session().await);
    let long = tokio::spawn(hear(client.start(&call(&json!("long"), "wait"))));
    let kept = tokio::spawn(hear(other.start(&call(&json!("long"), "wait"))));
    permit(&bench.waiting).await;
    permit(&bench.waiting).await;

    client.cancel(json!("nobody")).await;
    assert_eq!(client.request("ping", json!({})).await.status, 200);
    client.cancel(json!("long")).await;
    let heard = long.await.unwrap();
    assert_eq!((heard.status, heard.answer), (0, Value::Null));
    permit(&bench.stopped).await;
    assert!(
        !kept.is_finished() && bench.stopped.available_permits() == 0,
        "another session's call has the same id"
    );
    assert_eq!(client.call("echo", json!({})).await.status, 200);
    other.cancel(json!("long")).await;
    kept.await.unwrap();
}

#[tokio::test]
async fn equal_ids_in_one_session_are_answered_each_on_its_own() {
    let bench = Bench::new();
    let client = bench.session().await;
    let long = tokio::spawn(hear(client.start(&call(&json!(1), "wait"))));
    permit(&bench.waiting).await;
    let quick = client.call("echo", json!({"n": 5})).await;
    assert_eq!(quick.answer["result"]["structuredContent"]["n"], 5);
    assert!(!long.is_finished());
    client.cancel(json!(1)).await;
    assert_eq!(long.await.unwrap().status, 0);
}

#[tokio::test]
async fn a_dropped_stateless_call_is_cancelled_and_one_with_a_session_is_not() {
    let bench = Bench::new();
    let poll_once_and_drop = async |reply: Reply| {
        let Reply::Exchange(mut exchange) = reply else {
            panic!()
        };
        tokio::select! {
            frame = exchange.next() => panic!("{frame:?}"),
            () = permit(&bench.waiting) => {}
        }
    };
    let body = modern_request("tools/call", json!({"name": "wait", "arguments": {}}));
    poll_once_and_drop(
        bench
            .server
            .receive(metier_mcp::Incoming::new(body.to_string())),
    )
    .await;
    permit(&bench.stopped).await;

    let client = bench.session().await;
    poll_once_and_drop(client.start(&call(&json!(9), "wait"))).await;
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.stopped.available_permits(), 0);
    client.cancel(json!(9)).await;
    permit(&bench.stopped).await;
}

#[tokio::test]
async fn a_panic_is_one_requests_error() {
    let bench = Bench::new();
    let client = bench.session().await;
    let heard = client.call("panics", json!({})).await;
    assert_eq!((heard.status, heard.code()), (200, -32603));
    assert!(
        !heard.raw.contains("on purpose"),
        "details belong in the log"
    );
    assert_eq!(client.call("echo", json!({})).await.status, 200);
}

#[tokio::test]
async fn unknown_tools_and_unloaded_skills_are_told_apart() {
    let bench = Bench::new();
    let client = bench.session().await;
    for name in ["no_such", "__skill__nope"] {
        let heard = client.call(name, json!({})).await;
        assert_eq!((heard.status, heard.code()), (200, -32602));
        assert!(heard.raw.contains(name));
    }
    let near = client.call("load_skil", json!({})).await;
    assert_eq!(near.answer["error"]["data"]["nearest"][0], "load_skill");
    for name in ["__skill__one", "one__go"] {
        let heard = client.call(name, json!({})).await;
        assert_eq!(
            heard.answer["result"]["isError"], true,
            "{name}: {}",
            heard.raw
        );
        assert!(
            heard.answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains("load_skill"),
            "{name}"
        );
        assert!(
            heard.answer["result"]["structuredContent"].is_object(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn missing_capabilities_are_told_with_their_names() {
    use metier_tool::{ToolError, ToolSpec};
    let bench = Bench::new();
    let spec = ToolSpec::from_fn("open_stage", |_: serde_json::Map<String, Value>, _| async {
        Ok::<_, ToolError>(serde_json::Map::new())
    });
    bench.registry.register(spec.requires(["usd"])).unwrap();
    let heard = bench.session().await.call("open_stage", json!({})).await;
    assert_eq!((heard.status, heard.code()), (200, -32001));
    insta::assert_snapshot!(heard.answer["error"]["data"], @r#"{"tool":"open_stage","required":["usd"],"missing":["usd"],"declared":[],"retry":false}"#);
}

#[tokio::test]
async fn deep_arguments_are_refused_with_the_id() {
    let bench = Bench::new();
    let client = bench.session().await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{deep}}}}}}}"#
    );
    let heard = client.text(&text).await;
    assert_eq!(heard.answer["id"], 3);
    assert_eq!(heard.answer["result"]["isError"], true);
}

#[tokio::test]
async fn a_megabyte_of_arguments_comes_through_whole() {
    let bench = Bench::new();
    let client = bench.session().await;
    let big = "é".repeat(500_000);
    let heard = client.call("echo", json!({"a": big})).await;
    assert_eq!(
        heard.answer["result"]["structuredContent"]["a"]
            .as_str()
            .unwrap(),
        big
    );
}

#[tokio::test]
async fn arguments_that_would_change_on_the_way_are_refused_by_name() {
    let bench = Bench::new();
    let client = bench.session().await;
    let text = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        )
    };
    let heard = client
        .text(&text(r#"{"id": 123456789012345678901234, "a": 1, "a": 2}"#))
        .await;
    let result = &heard.answer["result"];
    assert_eq!(result["isError"], true, "{result}");
    insta::assert_snapshot!(result["content"][0]["text"].as_str().unwrap(), @r"
    invalid arguments for `echo`:
    - id: the integer 123456789012345678901234 is too large to be carried exactly: 64 bits are the most (send text where the tool takes it)
    - a: stands twice in the same object; send it once
    ");
    let heard = client.text(&text(r#"{"id": 18446744073709551615}"#)).await;
    assert_eq!(
        heard.answer["result"]["structuredContent"]["id"],
        json!(u64::MAX)
    );
}

#[tokio::test]
async fn arguments_that_are_no_value_are_a_result_that_a_model_sees() {
    let bench = Bench::new();
    let client = bench.session().await;
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(200), "]".repeat(200));
    let mut told = Vec::new();
    for arguments in [
        r#"{"a": 1e400}"#,
        r#"{"long": "ééééééééééééééééééééééééééééééééééééééé", "b": "\ud800"}"#,
        deep.as_str(),
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        );
        let heard = client.text(&body).await;
        let result = &heard.answer["result"];
        assert_eq!(result["isError"], true, "{}", heard.answer);
        told.push(
            result["content"][0]["text"]
                .as_str()
                .unwrap()
                .chars()
                .take(220)
                .collect::<String>(),
        );
    }
    insta::assert_snapshot!(told.join("\n"));
    // Elsewhere in the parameters it is a fault of the request.
    let body = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","requestState":1e400}}"#;
    assert_eq!(client.text(body).await.code(), -32602);
}
