//! Change notices: once per session and change, on one stream.

use std::time::Duration;

use metier_mcp::{Exchange, Frame, Incoming, NoticeStream, Reply, Streaming};
use serde_json::{Value, json};

use crate::bench::{Bench, modern_request};

const LIMIT: Duration = Duration::from_secs(10);

async fn notice(stream: &NoticeStream) -> Value {
    let message = tokio::time::timeout(LIMIT, stream.next())
        .await
        .expect("a notice")
        .unwrap();
    serde_json::from_slice(&message).unwrap()
}

/// Whether nothing comes although everything that is under way has had its turn.
async fn is_quiet(stream: &NoticeStream) -> bool {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    tokio::time::timeout(Duration::ZERO, stream.next())
        .await
        .is_err()
}

pub(crate) fn listen(bench: &Bench, filter: &Value) -> Exchange {
    let mut body = modern_request("subscriptions/listen", json!({"notifications": filter}));
    body["id"] = json!("listen-1");
    match bench.server.receive(Incoming::new(body.to_string())) {
        Reply::Exchange(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

async fn frame(exchange: &mut Exchange) -> Value {
    match tokio::time::timeout(LIMIT, exchange.next())
        .await
        .expect("a frame")
    {
        Some(Frame::Message(message)) => serde_json::from_slice(&message).unwrap(),
        Some(Frame::Answer(answer)) => serde_json::from_slice(&answer.body).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_session_hears_of_each_real_change_once() {
    let bench = Bench::new();
    let (a, b, c) = (
        bench.session().await,
        bench.session().await,
        bench.session().await,
    );
    let open = |id: &str| bench.server.open_stream(Some(id)).unwrap();
    let (a1, a2, b1) = (open(&a.id), open(&a.id), open(&b.id));

    let loaded = a.call("load_skill", json!({"skill_name": "one"})).await;
    assert!(
        loaded.messages.is_empty(),
        "its stream is told, not its call"
    );
    let expected = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(notice(&a1).await, expected);
    assert_eq!(notice(&b1).await, expected);
    assert!(is_quiet(&a1).await && is_quiet(&a2).await && is_quiet(&b1).await);

    a.call("load_skill", json!({"skill_name": "one"})).await;
    assert!(
        is_quiet(&a1).await && is_quiet(&b1).await,
        "nothing changed"
    );

    b.call("unload_skill", json!({"skill_name": "one"})).await;
    notice(&a1).await;
    notice(&b1).await;
    assert!(is_quiet(&a2).await);
    let list = c.request("tools/list", json!({})).await;
    assert!(list.raw.contains("__skill__one"));
    assert!(is_quiet(&open(&c.id)).await, "it has read the list");
}

#[tokio::test]
async fn without_a_stream_the_call_that_made_the_change_tells_it() {
    let bench = Bench::new();
    let client = bench.session().await;
    let heard = client
        .call("load_skill", json!({"skill_name": "one"}))
        .await;
    assert_eq!(heard.methods(), ["notifications/tools/list_changed"]);
    let again = client
        .call("load_skill", json!({"skill_name": "one"}))
        .await;
    assert!(again.messages.is_empty());
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    assert!(is_quiet(&stream).await, "told once");
}

#[tokio::test]
async fn a_client_without_streams_is_told_when_it_opens_one() {
    let bench = Bench::new();
    let client = bench.session().await;
    let heard = client
        .call_for_json("load_skill", json!({"skill_name": "one"}))
        .await;
    assert!(heard.messages.is_empty());
    notice(&bench.server.open_stream(Some(&client.id)).unwrap()).await;
}

#[tokio::test]
async fn a_client_that_named_no_stream_is_not_surprised_by_one() {
    let bench = Bench::new();
    let client = bench.session().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "load_skill", "arguments": {"skill_name": "one"}}});
    let mut incoming = client.incoming(body.to_string());
    incoming.streaming = Streaming::IfAsked;
    assert!(bench.send(incoming).await.messages.is_empty());
}

#[tokio::test]
async fn a_subscription_is_acknowledged_first_and_gets_what_it_asked_for() {
    let bench = Bench::new();
    let mut tools = listen(
        &bench,
        &json!({"toolsListChanged": true, "weatherListChanged": true}),
    );
    let mut nothing = listen(&bench, &json!({"toolsListChanged": false}));
    insta::assert_snapshot!(frame(&mut tools).await, @r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"listen-1"}}}"#);
    assert_eq!(
        frame(&mut nothing).await["params"]["notifications"],
        json!({})
    );

    let call = bench
        .modern(
            "tools/call",
            json!({"name": "load_skill", "arguments": {"skill_name": "one"}}),
        )
        .await;
    assert!(
        call.messages.is_empty(),
        "never on a stateless call's stream"
    );
    insta::assert_snapshot!(frame(&mut tools).await, @r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"listen-1"}}}"#);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(
        tokio::time::timeout(Duration::ZERO, nothing.next())
            .await
            .is_err()
    );

    bench.server.shutdown().await;
    insta::assert_snapshot!(frame(&mut tools).await, @r#"{"jsonrpc":"2.0","id":"listen-1","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"listen-1","io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#);
    assert!(tools.next().await.is_none());
}

#[tokio::test]
async fn a_subscription_needs_a_stream_and_a_filter() {
    let bench = Bench::new();
    let mut incoming = Incoming::new(
        modern_request("subscriptions/listen", json!({"notifications": {}})).to_string(),
    );
    incoming.streaming = Streaming::No;
    assert_eq!(bench.send(incoming).await.status, 406);
    assert_eq!(
        bench.modern("subscriptions/listen", json!({})).await.code(),
        -32602
    );
}

#[tokio::test]
async fn each_server_over_one_catalog_counts_for_itself() {
    let bench = Bench::new();
    let beside = bench.beside();
    let (a, b) = (bench.session().await, beside.session().await);
    let streams = [
        bench.server.open_stream(Some(&a.id)).unwrap(),
        beside.server.open_stream(Some(&b.id)).unwrap(),
    ];
    let expected = json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"});
    a.request("skills/list", json!({})).await;
    b.request("skills/list", json!({})).await;
    for text in ["one", "more", "at last"] {
        std::fs::write(bench.root().join("one/more.txt"), text).unwrap();
        // One looks; both have been shown what is not so any more.
        a.request("skills/list", json!({})).await;
        for stream in &streams {
            assert_eq!(notice(stream).await, expected, "{text}");
            assert!(is_quiet(stream).await);
        }
    }
    // A server that comes later begins with what there is.
    let late = bench.beside();
    let c = late.session().await;
    let stream = late.server.open_stream(Some(&c.id)).unwrap();

    std::fs::remove_file(bench.root().join("one/more.txt")).unwrap();
    c.request("skills/list", json!({})).await;
    assert_eq!(notice(&stream).await, expected);
    assert_eq!(notice(&streams[0]).await, expected);
    assert!(is_quiet(&stream).await);
}
