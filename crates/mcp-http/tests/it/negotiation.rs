//! What the client takes and what it sends.

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::bench::{Bench, borrowed, call, initialize, modern, request};

#[tokio::test]
async fn every_accept_that_covers_an_answer_gets_one_it_can_take() {
    let client = Bench::new().client();
    for (accept, kind) in [
        ("application/json, text/event-stream", "application/json"),
        ("text/event-stream, application/json", "application/json"),
        ("application/json", "application/json"),
        ("text/event-stream", "text/event-stream"),
        ("*/*", "application/json"),
        ("application/*;q=0.9, text/*;q=0.1", "application/json"),
        ("APPLICATION/JSON", "application/json"),
        ("-", "application/json"),
    ] {
        let got = client.post(&[("accept", accept)], &initialize(1)).await;
        assert_eq!(
            (got.status, got.header("content-type")),
            (StatusCode::OK, kind),
            "{accept}"
        );
        assert!(got.session().is_some(), "{accept}");
        let answer = if kind == "application/json" {
            got.json()
        } else {
            got.events().remove(0)
        };
        assert_eq!(answer["id"], 1);
    }
    for accept in ["text/html", "application/json;q=0", "image/png, text/html"] {
        let got = client.post(&[("accept", accept)], &initialize(1)).await;
        assert_eq!(got.status, StatusCode::NOT_ACCEPTABLE, "{accept}");
    }
}

#[tokio::test]
async fn a_stream_is_for_clients_that_take_one_and_calls_that_speak() {
    let client = Bench::new().client();
    let id = client.session().await;
    let mut body = call(2, "steps", json!({}));
    let post = async |body: &serde_json::Value, accept: &str| {
        client
            .post(&[("mcp-session-id", id.as_str()), ("accept", accept)], body)
            .await
    };
    let both = "application/json, text/event-stream";
    assert_eq!(
        post(&body, both).await.header("content-type"),
        "application/json",
        "no token, nothing to say"
    );
    body["params"]["_meta"] = json!({"progressToken": 0});
    let spoken = post(&body, both).await;
    let events = spoken.events();
    assert_eq!(events.len(), 4);
    assert_eq!(events[3]["id"], 2);
    assert_eq!(spoken.header("cache-control"), "no-cache");
    assert_eq!(spoken.header("x-accel-buffering"), "no");
    assert_eq!(
        post(&body, "*/*").await.events().len(),
        4,
        "it asked for progress"
    );
    let plain = post(&body, "application/json").await;
    assert_eq!(plain.json()["result"]["content"][0]["text"], "done");
    assert_eq!(post(&body, "text/event-stream").await.events().len(), 4);
}

#[tokio::test]
async fn a_body_is_json() {
    let client = Bench::new().client();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "-",
    ] {
        let got = client.post(&[("content-type", kind)], &initialize(1)).await;
        assert_eq!(got.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let got = client
        .post(
            &[("content-type", "application/json; charset=utf-8")],
            &initialize(1),
        )
        .await;
    assert_eq!(got.status, StatusCode::OK);
}

#[tokio::test]
async fn a_get_needs_a_client_that_takes_streams() {
    let client = Bench::new().client();
    let id = client.session().await;
    let get = async |headers: &[(&str, &str)]| {
        client.open("/mcp", Method::GET, headers, "").await.status()
    };
    assert_eq!(
        get(&[("mcp-session-id", &id), ("accept", "application/json")]).await,
        StatusCode::NOT_ACCEPTABLE
    );
    assert_eq!(
        get(&[("mcp-session-id", &id), ("accept", "text/event-stream")]).await,
        StatusCode::OK
    );
    assert_eq!(
        get(&[
            ("mcp-session-id", &id),
            ("mcp-protocol-version", "2026-07-28")
        ])
        .await,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(
        get(&[
            ("mcp-session-id", &id),
            ("mcp-protocol-version", "nonsense")
        ])
        .await,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn both_eras_answer_on_one_path() {
    let client = Bench::new().client();
    let (headers, body) = modern("tools/call", json!({"name": "steps", "arguments": {}}));
    let got = client.post(&borrowed(&headers), &body).await;
    assert_eq!(got.json()["result"]["resultType"], "complete");
    assert!(got.session().is_none());
    let id = client.session().await;
    let got = client
        .post(&[("mcp-session-id", &id)], &call(1, "steps", json!({})))
        .await;
    assert!(got.json()["result"].get("resultType").is_none());

    let (headers, body) = modern("ping", json!({}));
    let got = client.post(&borrowed(&headers), &body).await;
    assert_eq!(
        (got.status, &got.json()["error"]["code"]),
        (StatusCode::NOT_FOUND, &json!(-32601))
    );
    let (headers, body) = modern("tools/call", json!({"name": "nope"}));
    let got = client.post(&borrowed(&headers), &body).await;
    assert_eq!(
        (got.status, &got.json()["error"]["code"]),
        (StatusCode::OK, &json!(-32602))
    );
    let got = client.post(&borrowed(&headers[..2]), &body).await;
    assert_eq!(
        (got.status, &got.json()["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32020))
    );
}

#[tokio::test]
async fn the_version_header_counts_from_the_second_message_on() {
    let client = Bench::new().client();
    let first = client
        .post(&[("mcp-protocol-version", "2099-01-01")], &initialize(1))
        .await;
    assert_eq!(first.status, StatusCode::OK);
    let id = first.session().unwrap();
    let list = request(2, "tools/list", json!({}));
    for (version, status) in [
        ("-", 200),
        ("2025-06-18", 200),
        ("2025-11-25", 200),
        ("1999-01-01-x", 400),
        ("2024-11-05", 400),
    ] {
        let got = client
            .post(
                &[("mcp-session-id", &id), ("mcp-protocol-version", version)],
                &list,
            )
            .await;
        assert_eq!(got.status.as_u16(), status, "{version}");
    }
}
