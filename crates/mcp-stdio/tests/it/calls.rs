//! Calls side by side.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::bench::{Bench, call, cancelled, initialize, modern, permit, request, within};

#[tokio::test]
async fn answers_come_as_they_are_ready() {
    let bench = Bench::new();
    let mut client = bench.client();
    client.initialize().await;
    client.send(&call(1, "wait", json!({}))).await;
    permit(&bench.waiting).await;
    assert_eq!(client.ask(&call(2, "talk", json!({}))).await["id"], 2);
    assert!(client.ask(&request(3, "tools/list", json!({}))).await["result"]["tools"].is_array());
    let (_, rest) = client.close().await;
    assert_eq!(rest, "");
}

#[tokio::test]
async fn an_id_that_is_under_way_is_refused_and_free_again_afterwards() {
    let bench = Bench::new();
    let mut client = bench.client();
    client.initialize().await;
    client.send(&call("x", "wait", json!({}))).await;
    permit(&bench.waiting).await;
    let refused = client.ask(&call("x", "talk", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(
        text.contains("\"x\"") && text.contains("under way"),
        "{text}"
    );
    let refused = client.ask(&request("x", "ping", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    client.send(&cancelled("x")).await;
    permit(&bench.stopped).await;
    // It may take a moment until the call is gone, which no client can see.
    loop {
        let again = client.ask(&call("x", "talk", json!({}))).await;
        if again.get("error").is_none() {
            break;
        }
        tokio::task::yield_now().await;
    }
    for _ in 0..50 {
        let again = client.ask(&call("x", "talk", json!({}))).await;
        assert!(
            again.get("error").is_none(),
            "an answered id is free: {again}"
        );
    }
}

#[tokio::test]
async fn a_cancelled_call_stops_in_both_eras_and_is_not_answered() {
    for stateless in [false, true] {
        let bench = Bench::new();
        let mut client = bench.client();
        if !stateless {
            client.initialize().await;
        }
        let fit = |message| if stateless { modern(message) } else { message };
        client.send(&fit(call(1, "wait", json!({})))).await;
        permit(&bench.waiting).await;
        client.send(&cancelled(2)).await;
        client.send(&cancelled("1")).await;
        client.send(&cancelled(json!({}))).await;
        let talk = client.ask(&fit(call(3, "talk", json!({})))).await;
        assert!(talk.get("result").is_some(), "{talk}");
        assert_eq!(
            bench.stopped.available_permits(),
            0,
            "another id stops nothing"
        );
        client.send(&cancelled(1)).await;
        permit(&bench.stopped).await;
        let (_, rest) = client.close().await;
        assert_eq!(rest, "");
    }
}

#[tokio::test]
async fn a_burst_of_slow_calls_keeps_nobody_waiting() {
    let bench = Bench::new();
    let mut client = bench.client();
    client.initialize().await;
    // None of them ends before it is told to.
    let lines: String = (1..=100)
        .map(|id| format!("{}\n", call(id, "wait", json!({}))))
        .collect();
    client.raw(lines.as_bytes()).await;
    let ping = client.ask(&request("ping", "ping", json!({}))).await;
    assert_eq!(ping["result"], json!({}));
    client.send(&cancelled(50)).await;
    // The id is free as soon as the cancellation has been heeded.
    loop {
        let again = client.ask(&request(50, "ping", json!({}))).await;
        if again.get("error").is_none() {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(bench.stopped.available_permits() <= 1, "no other has ended");
    for id in (1..=100).filter(|id| *id != 50) {
        client.send(&cancelled(id)).await;
    }
    let (_, rest) = client.close().await;
    assert_eq!(rest, "");
}

#[tokio::test]
async fn too_many_at_once_are_refused() {
    let bench = Bench::new();
    let mut client = bench.client_with(64 * 1024, |config| config.request_cap = 2);
    client.initialize().await;
    for id in [1, 2] {
        client.send(&call(id, "wait", json!({}))).await;
        permit(&bench.waiting).await;
    }
    let refused = client.ask(&call(3, "talk", json!({}))).await;
    assert_eq!(refused["error"]["code"], 1003, "{refused}");
    // A cancellation gets through all the same.
    client.send(&cancelled(1)).await;
    permit(&bench.stopped).await;
}

#[tokio::test]
async fn messages_sent_at_once_are_taken_in_their_order() {
    let bench = Bench::new();
    let mut client = bench.client();
    let lines = [
        initialize("2025-03-26"),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        request(1, "ping", json!({})),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    client.raw(text.as_bytes()).await;
    assert_eq!(
        client.next().await["result"]["protocolVersion"],
        "2025-03-26"
    );
    assert_eq!(
        client.next().await,
        json!({"jsonrpc": "2.0", "id": 1, "result": {}})
    );
}

#[tokio::test]
async fn a_second_initialize_begins_anew() {
    let bench = Bench::new();
    bench.skill("one", "echo '{}'\n");
    let mut client = bench.client();
    client.initialize().await;
    client.send(&call(1, "wait", json!({}))).await;
    permit(&bench.waiting).await;
    client.initialize().await;
    permit(&bench.stopped).await;
    assert_eq!(bench.server.session_count(), 1);
    client
        .send(&call(2, "load_skill", json!({"skill_name": "one"})))
        .await;
    let heard = [client.next().await, client.next().await];
    assert_eq!(
        heard.iter().filter(|m| m.get("method").is_some()).count(),
        1,
        "one notice, not one for each session: {heard:?}"
    );
    let (_, rest) = client.close().await;
    assert_eq!((rest.as_str(), bench.server.session_count()), ("", 0));
}

#[tokio::test]
async fn answers_that_nobody_reads_do_not_pile_up() {
    const CALLS: usize = 160;
    let bench = Bench::new();
    let mut client = bench.client();
    client.initialize().await;
    let lines: String = (1..=CALLS)
        .map(|id| format!("{}\n", call(id, "talk", json!({"size": 1_000_000}))))
        .collect();
    client.raw(lines.as_bytes()).await;
    // The server gets every chance to run ahead.
    within("the first calls", async {
        while bench.begun.load(Ordering::SeqCst) < 9 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    let mut most = 0;
    let mut answered = 0;
    while answered < CALLS {
        most = most.max(bench.begun.load(Ordering::SeqCst) - answered);
        // Log lines come in between.
        if client.line().await.contains("\"result\"") {
            answered += 1;
        }
    }
    assert!(most < 100, "{most} answers were in the making");
}
