//! What is refused ahead of any method.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};

use crate::bench::{Bench, Got, initialize, request};

fn error(got: &Got) -> (u16, i64, bool) {
    let json = got.json();
    (
        got.status.as_u16(),
        json["error"]["code"].as_i64().unwrap(),
        json.get("id").is_some(),
    )
}

#[tokio::test]
async fn foreign_pages_and_foreign_names_are_refused_on_every_method() {
    let client = Bench::new().client();
    for origin in [
        "-",
        "http://localhost:3000",
        "http://127.0.0.1",
        "http://[::1]:8080",
        "HTTP://LOCALHOST",
    ] {
        let got = client.post(&[("origin", origin)], &initialize(1)).await;
        assert_eq!(got.status, StatusCode::OK, "{origin}");
        assert_ne!(got.header("access-control-allow-origin"), "*");
    }
    let bad = [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "null",
    ];
    for origin in bad {
        for method in [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS] {
            // A body that never comes: the refusal does not wait for it.
            let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
            let got = client
                .send(method.clone(), &[("origin", origin)], body)
                .await;
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{method} {origin}");
            assert_eq!(got.header("access-control-allow-origin"), "");
        }
    }
    let twice = [
        ("origin", "http://localhost"),
        ("origin", "http://evil.example"),
    ];
    assert_eq!(
        client.post(&twice, &initialize(1)).await.status,
        StatusCode::FORBIDDEN
    );
    for host in ["evil.example", "localhost.evil.example", "-"] {
        let got = client.post(&[("host", host)], &initialize(1)).await;
        assert_eq!(error(&got), (403, -32600, false), "{host}");
    }
}

#[tokio::test]
async fn other_names_can_be_allowed() {
    let bench = Bench::with(|config| {
        config.allowed_hosts = vec!["tools.example".into()];
        config.allowed_origins = vec!["https://app.example".into()];
    });
    let got = bench
        .client()
        .post(
            &[
                ("host", "tools.example:1"),
                ("origin", "https://app.example"),
            ],
            &initialize(1),
        )
        .await;
    assert_eq!(got.status, StatusCode::OK);
    assert_eq!(
        got.header("access-control-allow-origin"),
        "https://app.example"
    );
}

#[tokio::test]
async fn a_batch_is_refused_and_none_of_it_is_served() {
    let client = Bench::new().client();
    let id = client.session().await;
    for body in [
        json!([
            request(2, "tools/list", json!({})),
            request(3, "ping", json!({}))
        ]),
        json!([]),
        json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]),
    ] {
        let got = client.post(&[("mcp-session-id", &id)], &body).await;
        assert_eq!(error(&got), (400, -32600, false));
        assert!(got.text.contains("batches are not supported"));
    }
}

#[tokio::test]
async fn broken_bodies_leave_the_session_alive() {
    let client = Bench::new().client();
    let id = client.session().await;
    let post = async |body: Vec<u8>| {
        client
            .send(Method::POST, &[("mcp-session-id", id.as_str())], body)
            .await
    };
    let brackets = "[".repeat(100_000);
    let nan = r#"{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "x", "arguments": {"a": NaN}}}"#;
    for (body, code, has_id) in [
        ("{", -32700, false),
        ("", -32700, false),
        (nan, -32700, false),
        (brackets.as_str(), -32700, false),
        ("123", -32600, false),
        (r#"{"id": 4, "method": "ping"}"#, -32600, true),
        (
            r#"{"jsonrpc": "1.0", "id": 4, "method": "ping"}"#,
            -32600,
            true,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            -32600,
            false,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            -32600,
            false,
        ),
    ] {
        let got = post(body.as_bytes().to_vec()).await;
        assert_eq!(
            error(&got),
            (400, code, has_id),
            "{}",
            &body[..body.len().min(60)]
        );
    }
    assert_eq!(
        error(&post(vec![b'"', 0xff, b'"']).await),
        (400, -32700, false)
    );
    let got =
        post(br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": "x"}"#.to_vec())
            .await;
    assert_eq!(
        (got.json()["error"]["code"].as_i64(), &got.json()["id"]),
        (Some(-32602), &json!(7))
    );
    let got = client
        .post(
            &[("mcp-session-id", &id)],
            &request(2, "tools/list", json!({})),
        )
        .await;
    assert_eq!(got.status, StatusCode::OK);
}

#[tokio::test]
async fn a_message_over_the_limit_is_refused_announced_or_not() {
    let bench = Bench::with(|config| config.body_limit = 1_000);
    let client = bench.client();
    let big = vec![b' '; 1_001];
    let got = client
        .send(Method::POST, &[("content-length", "1001")], big.clone())
        .await;
    assert_eq!(got.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Announces nothing and never ends.
    let endless = stream::unfold((), |()| async {
        Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 300])), ()))
    });
    let got = client
        .send(Method::POST, &[], Body::from_stream(endless))
        .await;
    assert_eq!(error(&got), (413, -32600, false));
    let got = client
        .send(
            Method::POST,
            &[("content-length", "999999999999999999999")],
            "",
        )
        .await;
    assert_ne!(got.status, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_does_not_arrive_is_given_up() {
    let bench = Bench::with(|config| config.body_timeout = Duration::from_secs(30));
    let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
    let got = bench.client().send(Method::POST, &[], body).await;
    assert_eq!(error(&got), (408, -32600, false));
}

#[tokio::test]
async fn there_is_one_path_and_a_health_check() {
    let client = Bench::new().client();
    let at = async |path: &str, method: Method| client.send_to(path, method, &[], "").await;
    assert_eq!(
        at("/healthz", Method::GET).await.json(),
        json!({"status": "ok"})
    );
    for path in [
        "/",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/sse",
    ] {
        assert_eq!(
            at(path, Method::GET).await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    let got = at("/mcp", Method::PUT).await;
    assert_eq!(
        (got.status, got.header("allow")),
        (StatusCode::METHOD_NOT_ALLOWED, "GET, POST, DELETE, OPTIONS")
    );
}

#[tokio::test]
async fn a_page_of_this_machine_may_ask_before_it_sends() {
    let client = Bench::new().client();
    let headers = [
        ("origin", "http://localhost:6274"),
        ("access-control-request-headers", "mcp-protocol-version"),
    ];
    let got = client.send(Method::OPTIONS, &headers, "").await;
    assert_eq!(got.status, StatusCode::NO_CONTENT);
    assert_eq!(
        got.header("access-control-allow-origin"),
        "http://localhost:6274"
    );
    assert_eq!(
        got.header("access-control-allow-headers"),
        "mcp-protocol-version"
    );
    assert_eq!(
        got.header("access-control-expose-headers"),
        "Mcp-Session-Id"
    );
    assert_eq!(got.header("vary"), "Origin");
    // The files for installers are asked about in the same way.
    let index = "/.well-known/agent-skills/index.json";
    let got = client.send_to(index, Method::OPTIONS, &headers, "").await;
    assert_eq!(got.status, StatusCode::NO_CONTENT);
    for (header, value) in [
        ("access-control-allow-origin", "http://localhost:6274"),
        ("access-control-allow-headers", "mcp-protocol-version"),
        ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
    ] {
        assert_eq!(got.header(header), value);
    }
    let foreign = [("origin", "https://elsewhere.example")];
    let got = client.send_to(index, Method::OPTIONS, &foreign, "").await;
    assert_eq!(got.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_notification_is_accepted_with_an_empty_body() {
    let client = Bench::new().client();
    let id = client.session().await;
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/unheard-of"}),
        json!({"jsonrpc": "2.0", "id": 5, "result": {}}),
    ] {
        let got = client.post(&[("mcp-session-id", &id)], &body).await;
        assert_eq!(
            (got.status, got.text.as_str()),
            (StatusCode::ACCEPTED, ""),
            "{body}"
        );
    }
}

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let client = Bench::new().client();
    let id = client.session().await;
    for request_id in ["\"1\"", "1", "\"\"", "0", "-1", "9007199254740993", "\"é\""] {
        let body = format!(r#"{{"jsonrpc": "2.0", "id": {request_id}, "method": "ping"}}"#);
        let got = client
            .send(Method::POST, &[("mcp-session-id", &id)], body)
            .await;
        assert_eq!(
            got.text,
            format!(r#"{{"jsonrpc":"2.0","id":{request_id},"result":{{}}}}"#)
        );
    }
}

#[tokio::test]
async fn refusals_are_json_for_programs() {
    let client = Bench::new().client();
    let got = client
        .post(&[("accept", "text/html")], &initialize(1))
        .await;
    assert_eq!(error(&got), (406, -32600, false));
    assert_eq!(got.header("content-type"), "application/json");
    assert!(
        got.json()["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("application/json"))
    );
    assert_eq!(got.json()["jsonrpc"], Value::from("2.0"));
}
