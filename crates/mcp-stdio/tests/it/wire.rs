//! What goes over the pipe, line by line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::bench::{Bench, Client, call, cancelled, initialize, modern, permit, request};

/// Sends one message and writes down both sides, up to the answer.
async fn exchange(client: &mut Client, script: &mut String, message: &Value) {
    writeln!(script, "> {message}").unwrap();
    client.send(message).await;
    loop {
        let line = client.line().await;
        writeln!(script, "< {line}").unwrap();
        let heard: Value = serde_json::from_str(&line).unwrap();
        if heard.get("method").is_none() {
            return;
        }
    }
}

#[tokio::test]
async fn a_conversation_with_a_session() {
    let bench = Bench::new();
    bench.skill("one", "echo '{\"ok\": true}'\n");
    let mut client = bench.client();
    let mut script = String::new();
    exchange(&mut client, &mut script, &request(7, "ping", json!({}))).await;
    exchange(
        &mut client,
        &mut script,
        &request(8, "tools/list", json!({})),
    )
    .await;
    exchange(&mut client, &mut script, &initialize("2025-06-18")).await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    for message in [
        request("a", "ping", json!({})),
        request(1, "logging/setLevel", json!({"level": "info"})),
        request(
            2,
            "tools/call",
            json!({"name": "talk", "_meta": {"progressToken": "p"}}),
        ),
        call(3, "one__go", json!({})),
        request(4, "no/such", json!({})),
    ] {
        exchange(&mut client, &mut script, &message).await;
    }
    client
        .send(&call(5, "load_skill", json!({"skill_name": "one"})))
        .await;
    let mut heard = [client.next().await, client.next().await];
    heard.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(heard[0]["method"], "notifications/tools/list_changed");
    assert_eq!(heard[1]["id"], 5);
    exchange(&mut client, &mut script, &call(6, "one__go", json!({}))).await;
    let (_, rest) = client.close().await;
    assert_eq!(rest, "");
    insta::assert_snapshot!(script);
}

#[tokio::test]
async fn a_conversation_without_a_session() {
    let bench = Bench::new();
    let mut client = bench.client();
    let mut script = String::new();
    for message in [
        modern(request(1, "server/discover", json!({}))),
        modern(request(
            2,
            "tools/call",
            json!({"name": "talk", "_meta": {"progressToken": 0}}),
        )),
        modern(request(3, "ping", json!({}))),
        request(4, "server/discover", json!({})),
    ] {
        exchange(&mut client, &mut script, &message).await;
    }
    let (_, rest) = client.close().await;
    assert_eq!(rest, "");
    insta::assert_snapshot!(script);
}

#[tokio::test]
async fn a_subscription_hears_of_changes_until_it_is_cancelled() {
    let bench = Bench::new();
    bench.skill("one", "echo '{}'\n");
    let mut client = bench.client();
    let listen = json!({"notifications": {"toolsListChanged": true}});
    client
        .send(&modern(request("s", "subscriptions/listen", listen)))
        .await;
    let acknowledged = client.next().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let subscription = "io.modelcontextprotocol/subscriptionId";
    for (id, tool) in [(1, "load_skill"), (2, "unload_skill")] {
        client
            .send(&modern(call(id, tool, json!({"skill_name": "one"}))))
            .await;
        let heard = [client.next().await, client.next().await];
        let notice = heard.iter().find(|m| m.get("method").is_some()).unwrap();
        assert_eq!(notice["method"], "notifications/tools/list_changed");
        assert_eq!(notice["params"]["_meta"][subscription], "s");
        let answer = heard.iter().find(|m| m.get("id").is_some()).unwrap();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    client.send(&cancelled("s")).await;
    // Nothing follows a cancelled request, so its id can be had again once it has ended.
    client.send(&modern(call(3, "wait", json!({})))).await;
    permit(&bench.waiting).await;
    client
        .send(&modern(call(4, "load_skill", json!({"skill_name": "one"}))))
        .await;
    assert_eq!(client.next().await["id"], 4);
    let (_, rest) = client.close().await;
    assert_eq!(rest, "", "no notice and no answer");
}
