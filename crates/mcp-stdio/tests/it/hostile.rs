//! Lines that no client should send.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bench::{Bench, request};

#[tokio::test]
async fn each_bad_line_is_answered_and_the_next_one_counts() {
    let bench = Bench::new();
    let mut client = bench.client_with(64 * 1024, |config| config.line_limit = 1_000);
    client.initialize().await;
    let long = "x".repeat(5_000);
    for (line, code) in [
        (&b"{"[..], -32700),
        (b"nonsense", -32700),
        (b"\xff\xfe{}", -32700),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
            -32700,
        ),
        (long.as_bytes(), -32600),
        (b"[]", -32600),
        (b"7", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
            -32600,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"method\":5}", -32600),
    ] {
        client.raw(line).await;
        client.raw(b"\r\n\n").await;
        let answer = client.next().await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer.get("id").is_none(), "{answer}");
        let ping = client.ask(&request(9, "ping", json!({}))).await;
        assert_eq!(ping["result"], json!({}));
    }
}

#[tokio::test]
async fn a_call_that_is_too_long_is_answered_with_its_id() {
    let bench = Bench::new();
    let mut client = bench.client_with(64 * 1024, |config| config.line_limit = 10_000);
    client.initialize().await;
    for size in [9_990, 100_000] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{{"name":"talk","arguments":{{"x":"{}"}}}}}}"#,
            "x".repeat(size)
        );
        client.raw(text.as_bytes()).await;
        client.raw(b"\n").await;
        let answer = client.next().await;
        assert_eq!(answer["id"], "big", "{answer}");
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        let ping = client.ask(&request(9, "ping", json!({}))).await;
        assert_eq!(ping["result"], json!({}));
    }
}

#[tokio::test]
async fn what_takes_no_answer_gets_none() {
    let bench = Bench::new();
    let mut client = bench.client();
    for _ in 0..2 {
        for line in [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "method": "no/such", "params": {"a": 1}}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
            json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"_meta": 7}}),
            json!({"jsonrpc": "2.0", "id": 5, "result": {}}),
            json!({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}}),
        ] {
            client.send(&line).await;
        }
        client.initialize().await;
    }
    let (_, rest) = client.close().await;
    assert_eq!(rest, "");
}

/// Lines that are nearly messages, and some that are nothing like it.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![
        Just(json!(1)),
        Just(json!("a")),
        Just(json!(null)),
        Just(json!(-1.5)),
        Just(json!([]))
    ];
    let method = prop_oneof![
        Just("ping"),
        Just("tools/list"),
        Just("tools/call"),
        Just("initialize"),
        Just("subscriptions/listen"),
        Just("notifications/cancelled"),
        Just("nothing")
    ];
    let params = prop_oneof![
        Just(json!({})),
        Just(json!({"name": "talk", "requestId": 1, "cursor": "x"})),
        Just(
            json!({"name": "wait", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}})
        ),
        Just(json!({"protocolVersion": "2025-11-25"})),
        Just(json!([1])),
        Just(json!(null)),
    ];
    let message = (id, method, params).prop_map(|(id, method, params)| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            .to_string()
            .into_bytes()
    });
    let cut = (message.clone(), 0..200_usize).prop_map(|(mut bytes, at)| {
        bytes.truncate(at);
        bytes
    });
    let noise = proptest::collection::vec(any::<u8>(), 0..300);
    prop_oneof![3 => message, 1 => cut, 1 => noise]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever comes, every line that goes out is a message, and the connection ends in peace.
    #[test]
    fn only_messages_are_written(lines in proptest::collection::vec(line(), 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let written = runtime.block_on(async {
            let bench = Bench::new();
            let mut client = bench.client_with(1 << 20, |config| config.line_limit = 150);
            for mut line in lines {
                line.push(b'\n');
                client.raw(&line).await;
            }
            client.close().await.1
        });
        for line in written.lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            let kinds = ["method", "result", "error"];
            let kind = kinds.iter().filter(|kind| message.get(**kind).is_some()).count();
            prop_assert_eq!(kind, 1, "{}", line);
        }
    }
}
