//! Which revision a request speaks, and what that revision demands.

use metier_mcp::Incoming;
use serde_json::{Value, json};

use crate::bench::{Bench, LATEST, MODERN, header_map, modern_request};

#[tokio::test]
async fn a_version_is_negotiated_and_an_unknown_one_gets_the_newest_with_sessions() {
    let bench = Bench::new();
    for (wanted, got) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("1.0", "2025-11-25"),
        (MODERN, "2025-11-25"),
    ] {
        let heard = bench.initialize(json!({"protocolVersion": wanted})).await;
        assert_eq!(heard.answer["result"]["protocolVersion"], got, "{wanted}");
    }
    for params in [json!({"protocolVersion": 7}), json!({})] {
        let heard = bench.initialize(params).await;
        assert_eq!((heard.code(), &heard.answer["id"]), (-32602, &json!(0)));
        assert!(heard.session.is_none());
    }
    assert_eq!(bench.server.session_count(), 6);
}

#[tokio::test]
async fn the_header_never_refuses_initialize_but_nonsense_later() {
    let bench = Bench::new();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": LATEST}});
    for version in ["2099-01-01", MODERN, "nonsense"] {
        let heard = bench
            .modern_with(&body, &[("mcp-protocol-version", version)])
            .await;
        assert_eq!(heard.status, 200, "{version}");
    }
    let client = bench.session().await;
    let list = |version: &str| {
        let mut incoming = client.incoming(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        incoming.headers = Some(header_map(&[("mcp-protocol-version", version)]));
        bench.send(incoming)
    };
    assert_eq!(list(LATEST).await.status, 200);
    let other = list("2025-03-26").await;
    assert_eq!(
        (other.status, &other.answer["result"]["resultType"]),
        (200, &Value::Null)
    );
    for version in ["1999-01-01-x", "2024-11-05", "2099-01-01"] {
        assert_eq!(list(version).await.status, 400, "{version}");
    }
}

#[tokio::test]
async fn a_nonsense_header_refuses_what_is_not_answered_too() {
    let bench = Bench::new();
    let client = bench.session().await;
    let messages = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "metier-1", "result": {}}),
    ];
    for message in messages {
        for (version, status) in [
            (LATEST, 202),
            (MODERN, 202),
            ("1999-01-01-x", 400),
            ("2024-11-05", 400),
            ("2099-01-01", 400),
        ] {
            let mut incoming = client.incoming(message.to_string());
            incoming.headers = Some(header_map(&[("mcp-protocol-version", version)]));
            let heard = bench.send(incoming).await;
            assert_eq!(heard.status, status, "{version} {message}");
        }
    }
}

#[tokio::test]
async fn a_stateless_request_is_checked_in_order() {
    let bench = Bench::new();
    let call = modern_request("tools/call", json!({"name": "echo", "arguments": {}}));
    let fine = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    assert_eq!(bench.modern_with(&call, &fine).await.status, 200);

    let check = async |change: fn(&mut Value), headers: &[(&'static str, &str)]| {
        let mut body = call.clone();
        change(&mut body);
        let heard = bench.modern_with(&body, headers).await;
        (heard.status, heard.code())
    };
    let keep: fn(&mut Value) = |_| ();
    let no_version: fn(&mut Value) = |body| {
        body["params"]["_meta"]
            .as_object_mut()
            .unwrap()
            .remove("io.modelcontextprotocol/protocolVersion");
    };
    let no_capabilities: fn(&mut Value) = |body| {
        body["params"]["_meta"]
            .as_object_mut()
            .unwrap()
            .remove("io.modelcontextprotocol/clientCapabilities");
    };
    let unknown: fn(&mut Value) = |body| {
        body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2027-01-01");
    };
    assert_eq!(check(no_version, &fine).await, (400, -32602));
    assert_eq!(check(no_capabilities, &fine).await, (400, -32602));
    assert_eq!(check(keep, &fine[1..]).await, (400, -32020));
    assert_eq!(
        check(unknown, &fine).await,
        (400, -32020),
        "the header says something else"
    );
    assert_eq!(
        check(unknown, &[("mcp-protocol-version", "2027-01-01")]).await,
        (400, -32022)
    );
    assert_eq!(check(keep, &fine[..1]).await, (400, -32020));
    assert_eq!(check(keep, &fine[..2]).await, (400, -32020));
    assert_eq!(
        check(keep, &[fine[0], fine[1], ("mcp-name", "Echo")]).await,
        (400, -32020)
    );
    assert_eq!(
        check(keep, &[fine[0], fine[1], ("mcp-name", "=?base64?!?=")]).await,
        (400, -32020)
    );
    let encoded = [fine[0], fine[1], ("mcp-name", "=?base64?ZWNobw==?=")];
    assert_eq!(bench.modern_with(&call, &encoded).await.status, 200);
}

#[tokio::test]
async fn an_unserved_version_is_answered_with_the_served_ones() {
    let bench = Bench::new();
    let mut body = modern_request("tools/list", json!({}));
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2027-01-01");
    let heard = bench.text(&body.to_string()).await;
    assert_eq!(
        heard.answer["error"]["data"],
        json!({"supported": [MODERN], "requested": "2027-01-01"})
    );
}

#[tokio::test]
async fn methods_of_the_other_era_are_unknown() {
    let bench = Bench::new();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "no/such",
    ] {
        let heard = bench
            .modern(method, json!({"protocolVersion": LATEST, "level": "info"}))
            .await;
        assert_eq!((heard.status, heard.code()), (404, -32601), "{method}");
    }
    let client = bench.session().await;
    for method in ["subscriptions/listen", "no/such"] {
        let heard = client.request(method, json!({})).await;
        assert_eq!((heard.status, heard.code()), (200, -32601), "{method}");
    }
}

#[tokio::test]
async fn discover_without_meta_is_told_what_is_missing() {
    let bench = Bench::new();
    let heard = bench
        .text(r#"{"jsonrpc":"2.0","id":"d","method":"server/discover"}"#)
        .await;
    assert_eq!(
        (heard.status, heard.code(), &heard.answer["id"]),
        (400, -32602, &json!("d"))
    );
}

#[tokio::test]
async fn a_stateless_request_makes_no_session_and_ignores_an_old_one() {
    let bench = Bench::new();
    let mut incoming = Incoming::new(modern_request("tools/list", json!({})).to_string());
    incoming.session = Some("gone".into());
    let heard = bench.send(incoming).await;
    assert_eq!(
        (heard.status, heard.session, bench.server.session_count()),
        (200, None, 0)
    );
}

#[tokio::test]
async fn ids_are_echoed_byte_for_byte() {
    let bench = Bench::new();
    let client = bench.session().await;
    for id in [
        "\"1\"",
        "1",
        "\"\"",
        "0",
        "-1",
        "9007199254740993",
        "123456789012345678901234567890",
        "\"\\u00e9\"",
    ] {
        let heard = client
            .text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
            .await;
        assert_eq!(
            heard.raw,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
    for id in ["null", "1.5", "{}", "[]", "true"] {
        let heard = client
            .text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
            .await;
        assert_eq!(
            (heard.status, heard.code(), heard.answer.get("id")),
            (400, -32600, None),
            "{id}"
        );
    }
}

#[tokio::test]
async fn arguments_that_a_schema_wants_in_headers_are_compared() {
    use metier_tool::{ToolError, ToolSpec};
    let bench = Bench::new();
    let mut spec = ToolSpec::from_fn(
        "render",
        |arguments: serde_json::Map<String, Value>, _| async { Ok::<_, ToolError>(arguments) },
    );
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "size": {"type": "object", "properties": {"width": {"type": "integer", "x-mcp-header": "Width"}}},
    }});
    spec.input_schema = schema.as_object().unwrap().clone();
    bench.registry.register(spec).unwrap();
    let fine = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "render"),
        ("mcp-param-region", "eu"),
        ("mcp-param-width", "640"),
    ];
    let code = async |arguments: Value, headers: &[(&'static str, &str)]| {
        let body = modern_request(
            "tools/call",
            json!({"name": "render", "arguments": arguments}),
        );
        bench.modern_with(&body, headers).await.answer["error"]["code"].clone()
    };
    let both = json!({"region": "eu", "size": {"width": 640}});
    assert_eq!(code(both.clone(), &fine).await, Value::Null);
    assert_eq!(code(both.clone(), &fine[..4]).await, -32020);
    assert_eq!(
        code(json!({"region": "us", "size": {"width": 640}}), &fine).await,
        -32020
    );
    assert_eq!(code(json!({"region": "eu"}), &fine[..4]).await, Value::Null);
    assert_eq!(code(json!({}), &fine[..3]).await, Value::Null);
    let other = [fine[0], fine[1], fine[2], ("mcp-param-unheard-of", "x")];
    assert_eq!(code(json!({}), &other).await, Value::Null);
}
