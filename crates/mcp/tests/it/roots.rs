//! The client's workspace: asked of a session, and of a stateless client by way of its own call.

use std::time::Duration;

use futures_util::FutureExt as _;
use metier_mcp::{Exchange, Frame, NoticeStream, Reply, Streaming};
use metier_tool::{BoxFuture, CallContext, ToolError, ToolHandler, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, Client, LATEST, hear, modern_request};

const LIMIT: Duration = Duration::from_secs(20);

/// Answers with the roots that it got.
struct Where;

impl ToolHandler for Where {
    fn call(
        &self,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        let roots = arguments.get("_workspace_roots").cloned();
        Box::pin(async move {
            let mut found = Map::new();
            found.insert("roots".into(), roots.unwrap_or_default());
            Ok(ToolOutput::structured(found))
        })
    }
}

pub(crate) fn bench() -> Bench {
    let bench = Bench::new();
    bench.catalog.declare_capabilities(["filesystem.read"]);
    let spec = ToolSpec::new("where", std::sync::Arc::new(Where)).description("Tells its roots.");
    bench
        .registry
        .register(spec.requires(["filesystem.read"]))
        .unwrap();
    bench
}

async fn client(bench: &Bench) -> Client<'_> {
    let params =
        json!({"protocolVersion": LATEST, "capabilities": {"roots": {"listChanged": true}}});
    let id = bench.initialize(params).await.session.unwrap();
    Client { bench, id }
}

async fn note(client: &Client<'_>, method: &str) {
    let note = json!({"jsonrpc": "2.0", "method": method});
    assert_eq!(client.text(&note.to_string()).await.status, 202);
}

async fn answer(client: &Client<'_>, id: &Value, roots: &[&str]) {
    let roots: Vec<_> = roots.iter().map(|uri| json!({"uri": uri})).collect();
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"roots": roots}});
    assert_eq!(client.text(&answer.to_string()).await.status, 202);
}

async fn message(stream: &NoticeStream) -> Value {
    let message = tokio::time::timeout(LIMIT, stream.next()).await.unwrap();
    serde_json::from_slice(&message.unwrap()).unwrap()
}

fn start(client: &Client<'_>) -> Exchange {
    let body =
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "where"}});
    match client.start(&body) {
        Reply::Exchange(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

async fn frame(exchange: &mut Exchange) -> Value {
    match tokio::time::timeout(LIMIT, exchange.next()).await.unwrap() {
        Some(Frame::Message(message)) => serde_json::from_slice(&message).unwrap(),
        Some(Frame::Answer(answer)) => serde_json::from_slice(&answer.body).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_session_is_asked_on_its_stream_and_again_after_a_change() {
    let bench = bench();
    let client = client(&bench).await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    note(&client, "notifications/initialized").await;
    let asked = message(&stream).await;
    insta::assert_snapshot!(asked, @r#"{"jsonrpc":"2.0","id":"metier-1","method":"roots/list"}"#);
    let mut early = start(&client);
    answer(
        &client,
        &asked["id"],
        &["file:///a%20b", "https://x.example/", "file://localhost/c"],
    )
    .await;
    let result = frame(&mut early).await;
    insta::assert_snapshot!(result);

    note(&client, "notifications/roots/list_changed").await;
    let again = message(&stream).await;
    let mut waits = start(&client);
    answer(&client, &again["id"], &["file:///new"]).await;
    let result = frame(&mut waits).await;
    assert_eq!(
        result["result"]["structuredContent"]["roots"],
        json!(["/new"])
    );
    // The same answer once more is nobody's.
    answer(&client, &again["id"], &["file:///forged"]).await;
    let result = client.call("where", json!({})).await;
    assert_eq!(
        result.answer["result"]["structuredContent"]["roots"],
        json!(["/new"])
    );
    assert!(result.messages.is_empty());
}

#[tokio::test]
async fn case_114_roots_change_and_sessions() {
    let bench = bench();
    let place = async |client: &Client<'_>| {
        let result = client.call("where", json!({})).await;
        result.answer["result"]["structuredContent"]["roots"].clone()
    };
    let (a, b) = (client(&bench).await, client(&bench).await);
    // One without roots of its own.
    let params = json!({"protocolVersion": LATEST, "capabilities": {}});
    let id = bench.initialize(params).await.session.unwrap();
    let bare = Client { bench: &bench, id };
    let mut streams = Vec::new();
    for (client, root) in [(&a, "file:///projects/a"), (&b, "file:///projects/b")] {
        let stream = bench.server.open_stream(Some(&client.id)).unwrap();
        note(client, "notifications/initialized").await;
        let asked = message(&stream).await;
        answer(client, &asked["id"], &[root]).await;
        streams.push(stream);
    }
    assert_eq!(place(&a).await, json!(["/projects/a"]));
    assert_eq!(place(&b).await, json!(["/projects/b"]));
    assert_eq!(place(&bare).await, json!([]));

    note(&a, "notifications/roots/list_changed").await;
    let again = message(&streams[0]).await;
    answer(&a, &again["id"], &["file:///projects/new"]).await;
    assert_eq!(place(&a).await, json!(["/projects/new"]));
    assert_eq!(place(&b).await, json!(["/projects/b"]));
    assert_eq!(place(&bare).await, json!([]));
}

#[tokio::test]
async fn without_a_stream_the_first_call_that_needs_them_asks_on_its_own() {
    let bench = bench();
    let client = client(&bench).await;
    note(&client, "notifications/initialized").await;
    assert!(
        client.call("echo", json!({})).await.messages.is_empty(),
        "it needs none"
    );
    let mut call = start(&client);
    let asked = frame(&mut call).await;
    assert_eq!(asked["method"], "roots/list");
    // Another session cannot answer for this one.
    let other = bench.session().await;
    answer(&other, &asked["id"], &["file:///foreign"]).await;
    answer(&client, &asked["id"], &["file:///mine"]).await;
    let result = frame(&mut call).await;
    assert_eq!(
        result["result"]["structuredContent"]["roots"],
        json!(["/mine"])
    );
}

#[tokio::test]
async fn a_client_that_refuses_is_served_without_and_told_so() {
    let bench = bench();
    let client = client(&bench).await;
    let mut call = start(&client);
    let asked = frame(&mut call).await;
    let refusal = json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no\nroots"}});
    client.text(&refusal.to_string()).await;
    insta::assert_snapshot!(frame(&mut call).await["result"]["_meta"]);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_none_and_asked_for_again() {
    let bench = bench();
    let client = client(&bench).await;
    for broken in [json!({}), json!({"roots": "x"})] {
        let mut call = start(&client);
        let asked = frame(&mut call).await;
        let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": broken});
        client.text(&said.to_string()).await;
        let refused = frame(&mut call).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("no result that can be read"), "{refused}");
    }
    // One entry that is none costs itself alone.
    let mut call = start(&client);
    let asked = frame(&mut call).await;
    let roots = json!([5, {"uri": "file:///good"}, {"name": "nowhere"}]);
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}});
    client.text(&said.to_string()).await;
    let result = frame(&mut call).await["result"].take();
    assert_eq!(result["structuredContent"]["roots"], json!(["/good"]));
    insta::assert_snapshot!(
        result["_meta"]["dcc"]["workspace"].as_str().unwrap(),
        @r#"roots of the client that do not count: '5' is not absolute; expected file:///PATH; '{"name":"nowhere"}' is not absolute; expected file:///PATH"#
    );
}

#[tokio::test]
async fn roots_beyond_the_bound_are_told() {
    let bench = bench();
    let client = client(&bench).await;
    for (count, told) in [(256, false), (300, true)] {
        let mut call = start(&client);
        let asked = frame(&mut call).await;
        let roots: Vec<String> = (0..count).map(|n| format!("file:///r{n}")).collect();
        let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
        answer(&client, &asked["id"], &roots).await;
        let result = frame(&mut call).await["result"].take();
        let taken = result["structuredContent"]["roots"].as_array().unwrap();
        assert_eq!((taken.len(), &taken[255]), (256, &json!("/r255")));
        let note = result["_meta"]["dcc"]["workspace"].as_str();
        assert_eq!(note.is_some(), told, "{note:?}");
        if let Some(note) = note {
            insta::assert_snapshot!(note, @"of the client's 300 roots the first 256 are taken, and no tool is told of the others; name a folder that holds several of them");
        }
        self::note(&client, "notifications/roots/list_changed").await;
    }
}

#[tokio::test]
async fn of_many_roots_that_do_not_count_some_are_named() {
    let bench = bench();
    let client = client(&bench).await;
    let mut call = start(&client);
    let asked = frame(&mut call).await;
    let roots: Vec<String> = (0..8).map(|n| format!("https://r{n}.example/")).collect();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    answer(&client, &asked["id"], &roots).await;
    let result = frame(&mut call).await["result"].take();
    let note = result["_meta"]["dcc"]["workspace"].as_str().unwrap();
    assert!(
        note.contains("r4.example") && note.ends_with("; and 3 more") && !note.contains("r5"),
        "{note}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_answer_costs_a_bounded_wait_and_runs_nothing() {
    let bench = bench();
    let client = client(&bench).await;
    let heard = client.call("where", json!({})).await;
    assert_eq!(heard.methods(), ["roots/list"]);
    assert_eq!(heard.code(), -32602, "{}", heard.answer);
    insta::assert_snapshot!(heard.answer["error"]["message"].as_str().unwrap());
    // What needs no roots runs all the same.
    assert!(client.call("echo", json!({})).await.answer["result"].is_object());
    // Nobody can be asked: it does not wait at all.
    let silent = self::client(&bench).await;
    let before = tokio::time::Instant::now();
    let heard = silent.call_for_json("where", json!({})).await;
    assert_eq!(heard.code(), -32602, "{}", heard.answer);
    insta::assert_snapshot!(heard.answer["error"]["message"].as_str().unwrap());
    assert_eq!(before.elapsed(), Duration::ZERO);
    // The next call asks again.
    let mut call = start(&silent);
    let asked = frame(&mut call).await;
    answer(&silent, &asked["id"], &["file:///late"]).await;
    let result = frame(&mut call).await;
    assert_eq!(
        result["result"]["structuredContent"]["roots"],
        json!(["/late"])
    );
}

#[tokio::test(start_paused = true)]
async fn an_old_list_does_not_stand_in_for_one_that_did_not_come() {
    let bench = bench();
    let client = client(&bench).await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    note(&client, "notifications/initialized").await;
    let asked = message(&stream).await;
    answer(&client, &asked["id"], &["file:///old"]).await;
    note(&client, "notifications/roots/list_changed").await;
    assert_eq!(message(&stream).await["method"], "roots/list");
    let heard = client.call("where", json!({})).await;
    assert_eq!(heard.code(), -32602, "{}", heard.answer);
}

#[tokio::test]
async fn a_storm_of_changes_is_one_question_more_and_the_newest_list_wins() {
    let bench = bench();
    let client = client(&bench).await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    note(&client, "notifications/initialized").await;
    let asked = message(&stream).await;
    for _ in 0..100 {
        note(&client, "notifications/roots/list_changed").await;
    }
    let mut waits = start(&client);
    answer(&client, &asked["id"], &["file:///old"]).await;
    let again = message(&stream).await;
    insta::assert_snapshot!(again, @r#"{"jsonrpc":"2.0","id":"metier-2","method":"roots/list"}"#);
    answer(&client, &again["id"], &["file:///new"]).await;
    let result = frame(&mut waits).await;
    assert_eq!(
        result["result"]["structuredContent"]["roots"],
        json!(["/new"])
    );
    let result = client.call("where", json!({})).await;
    assert!(result.messages.is_empty(), "nothing more is asked");
}

#[tokio::test]
async fn a_question_that_goes_with_its_call_is_asked_again_by_another_that_waits() {
    let bench = bench();
    let client = client(&bench).await;
    let mut first = start(&client);
    assert_eq!(frame(&mut first).await["method"], "roots/list");
    let body =
        json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": "where"}});
    let Reply::Exchange(mut second) = client.start(&body) else {
        panic!("no exchange")
    };
    // It waits for the first one's question.
    assert!(second.next().now_or_never().is_none());
    drop(first);
    let asked = frame(&mut second).await;
    assert_eq!(asked["method"], "roots/list", "{asked}");
    answer(&client, &asked["id"], &["file:///mine"]).await;
    let result = frame(&mut second).await;
    assert_eq!(
        result["result"]["structuredContent"]["roots"],
        json!(["/mine"])
    );
}

#[tokio::test]
async fn the_end_of_a_session_ends_what_it_was_asked() {
    let bench = bench();
    let client = client(&bench).await;
    let mut call = start(&client);
    assert_eq!(frame(&mut call).await["method"], "roots/list");
    bench.server.end_session(&client.id).await;
    assert!(matches!(
        tokio::time::timeout(LIMIT, call.next()).await.unwrap(),
        Some(Frame::Silence)
    ));
}

fn with_roots(mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": {"roots": {}}});
    params
}

#[tokio::test]
async fn a_stateless_client_gets_its_call_back_and_repeats_it_with_its_roots() {
    let bench = bench();
    let asked = bench
        .modern("tools/call", with_roots(json!({"name": "where"})))
        .await;
    let result = &asked.answer["result"];
    let state = result["requestState"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(asked.raw.replace(&state, "STATE"));

    let retry = |state: &str, arguments: Value| {
        with_roots(
            json!({"name": "where", "arguments": arguments, "requestState": state,
            "inputResponses": {"roots": {"roots": [{"uri": "file:///m"}]}, "other": 7}}),
        )
    };
    let without = |state: &str| json!({"name": "where", "requestState": state});
    // What is asked is the same request, and absent arguments are not an empty object to its digest.
    let mut params = retry(&state, Value::Null);
    params.as_object_mut().unwrap().remove("arguments");
    let done = bench.modern("tools/call", params.clone()).await;
    assert_eq!(
        done.answer["result"]["structuredContent"]["roots"],
        json!(["/m"])
    );
    assert_eq!(done.answer["result"]["resultType"], "complete");

    // No answer, or none that can be read: asked again.
    for responses in [json!({}), json!({"roots": {"roots": 7}}), Value::Null] {
        let mut params = params.clone();
        params["inputResponses"] = responses;
        let again = bench.modern("tools/call", params).await;
        assert_eq!(again.answer["result"]["resultType"], "input_required");
    }
    // Another request, a changed state, another client, too late.
    let code = async |params: Value| bench.modern("tools/call", params).await.code();
    assert_eq!(code(retry(&state, json!({"a": 1}))).await, -32602);
    assert_eq!(code(with_roots(without(&state[1..]))).await, -32602);
    assert_eq!(
        code(without("x")).await,
        -32602,
        "also when nothing is to be asked"
    );
    let mut foreign = modern_request("tools/call", params.clone());
    foreign["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = json!("other");
    assert_eq!(bench.text(&foreign.to_string()).await.code(), -32602);
    bench.time.store(601, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(code(params).await, -32602);

    // A client without roots is served at once.
    let plain = bench.modern("tools/call", json!({"name": "where"})).await;
    assert_eq!(
        plain.answer["result"]["structuredContent"]["roots"],
        json!([])
    );
}

#[tokio::test]
async fn a_stream_is_not_forced_on_a_client_for_its_roots() {
    let bench = bench();
    let client = client(&bench).await;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "where"}});
    let mut incoming = client.incoming(body.to_string());
    incoming.streaming = Streaming::No;
    let heard = hear(bench.server.receive(incoming)).await;
    assert!(heard.messages.is_empty() && heard.status == 200);
}
