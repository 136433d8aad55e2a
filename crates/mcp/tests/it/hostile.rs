//! Bytes of any kind: never a panic, and an answer that is one JSON object.

use metier_mcp::envelope::{self, Message};
use metier_mcp::{Incoming, Reply};
use proptest::prelude::*;
use serde_json::Value;

use crate::bench::Bench;

/// The fuzz target: reads a message and holds what came of it against the rules.
fn fuzz(bytes: &[u8]) {
    match envelope::read(bytes.to_vec()) {
        Ok(Message::Request(request)) => {
            let id: Value = serde_json::from_str(request.id.as_json()).unwrap();
            assert!(id.is_string() || id.is_number());
            assert!(request.params.as_json().starts_with('{'));
        }
        Ok(Message::Notification(note)) => assert!(note.params.as_json().starts_with('{')),
        Ok(Message::Response(answer)) => assert!(!answer.id.as_json().is_empty()),
        Err(refused) => assert!([-32700, -32600, -32602].contains(&refused.error.code)),
    }
}

/// Well-formed and broken messages from which mutations start.
const CORPUS: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"x","arguments":{"a":[1,2.5e3,null]}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"{"jsonrpc":"2.0","id":-9007199254740993,"result":{"a":"\u0041"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","params":{"_meta":{"progressToken":0}}}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
];

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz(&bytes);
    }

    #[test]
    fn changed_messages(which in 0..CORPUS.len(), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 0..6)) {
        let mut bytes = CORPUS[which].as_bytes().to_vec();
        for (at, byte, insert) in edits {
            let at = at.index(bytes.len());
            if insert { bytes.insert(at, byte) } else { bytes[at] = byte }
        }
        fuzz(&bytes);
    }

    #[test]
    fn any_integer_or_text_comes_back_as_it_was(number in any::<i128>(), text in ".*") {
        for id in [number.to_string(), Value::from(text).to_string()] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            match envelope::read(body.into_bytes()) {
                Ok(Message::Request(request)) => prop_assert_eq!(request.id.as_json(), id),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

#[test]
fn nesting_costs_no_stack() {
    for open in ["[", "{\"a\":", "{\"params\":["] {
        fuzz(open.repeat(200_000).as_bytes());
        fuzz(
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}"#,
                open.repeat(200_000)
            )
            .as_bytes(),
        );
    }
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    fuzz(deep.as_bytes());
    fuzz(format!(r#"{{"jsonrpc":"2.0","id":{deep},"method":"m"}}"#).as_bytes());
    fuzz(
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"_meta":{deep}}}}}"#)
            .as_bytes(),
    );
}

#[tokio::test]
async fn the_server_answers_whatever_comes_with_one_object() {
    let bench = Bench::new();
    let client = bench.session().await;
    for seed in CORPUS {
        for cut in (0..seed.len()).filter(|at| seed.is_char_boundary(*at)) {
            let mut incoming = Incoming::new(&seed.as_bytes()[..cut]);
            incoming.session = Some(client.id.clone());
            match bench.server.receive(incoming) {
                Reply::Answer(answer) => {
                    let value: Value = serde_json::from_slice(&answer.body).unwrap();
                    assert!(
                        value["error"]["code"].is_i64() && answer.status == 400,
                        "{value}"
                    );
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(
        client.request("ping", serde_json::json!({})).await.status,
        200
    );
}
