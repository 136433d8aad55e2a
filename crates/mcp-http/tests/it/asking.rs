//! Requests of the server to its client, and what comes of them, over real sockets.

use metier_mcp_http::{ConfirmPolicy, McpHttpHandle};
use metier_tool::{ToolError, ToolSpec};
use serde_json::{Map, Value, json};

use crate::bench::{Bench, borrowed, call, modern, request};
use crate::running::{listen, start};
use crate::socket::Socket;

/// Tools that tell their roots and that destroy something.
fn bench() -> Bench {
    let bench = Bench::with(|config| {
        config.declared_capabilities = vec!["filesystem.read".to_owned()];
        config.confirm = ConfirmPolicy::Destructive;
    });
    let echo = |name: &str| {
        ToolSpec::from_fn(name, |arguments: Map<String, Value>, _| async {
            Ok::<_, ToolError>(arguments)
        })
    };
    let registry = bench.catalog.registry();
    registry
        .register(echo("where").requires(["filesystem.read"]))
        .unwrap();
    let mut wipe = echo("wipe");
    wipe.annotations.destructive_hint = Some(true);
    registry.register(wipe).unwrap();
    bench
}

async fn session(handle: &McpHttpHandle) -> (Socket, String) {
    let mut socket = Socket::open(handle.local_addr()).await;
    let capabilities = json!({"roots": {"listChanged": true}, "elicitation": {}});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities});
    let (head, _) = socket.ask(&[], &request(1, "initialize", params)).await;
    let id = head.get("mcp-session-id").unwrap().to_owned();
    tell(
        &mut socket,
        &id,
        &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    )
    .await;
    (socket, id)
}

/// Sends what is not answered.
async fn tell(socket: &mut Socket, session: &str, message: &Value) {
    let (head, text) = socket.ask(&[("mcp-session-id", session)], message).await;
    assert_eq!((head.status, text.as_str()), (202, ""));
}

fn roots(id: &Value, uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": uri}]}})
}

#[tokio::test]
async fn roots_are_asked_for_on_the_open_stream() {
    let handle = start(&bench()).await;
    let (mut socket, id) = session(&handle).await;
    let mut stream = listen(&handle, &id).await;
    let asked = stream.event().await.unwrap();
    assert_eq!(asked["method"], "roots/list");
    tell(&mut socket, &id, &roots(&asked["id"], "file:///first")).await;
    let (_, text) = socket
        .ask(&[("mcp-session-id", &id)], &call(2, "where", json!({})))
        .await;
    assert!(text.contains("/first"), "{text}");
    tell(
        &mut socket,
        &id,
        &json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
    )
    .await;
    let again = stream.event().await.unwrap();
    assert_ne!(again["id"], asked["id"]);
    tell(&mut socket, &id, &roots(&again["id"], "file:///second")).await;
    let (head, text) = socket
        .ask(&[("mcp-session-id", &id)], &call(3, "where", json!({})))
        .await;
    assert_eq!(head.get("content-type"), Some("application/json"));
    assert!(
        text.contains("/second") && !text.contains("/first"),
        "{text}"
    );
    handle.shutdown().await;
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn a_call_asks_on_its_own_stream_and_goes_on_with_the_answer() {
    let handle = start(&bench()).await;
    let (mut socket, id) = session(&handle).await;
    let mut calling = Socket::open(handle.local_addr()).await;
    let body = call("c", "where", json!({})).to_string();
    calling
        .write("POST", &[("mcp-session-id", &id)], &body)
        .await;
    assert_eq!(
        calling.head().await.get("content-type"),
        Some("text/event-stream")
    );
    let asked = calling.event().await.unwrap();
    assert_eq!(asked["method"], "roots/list");
    tell(&mut socket, &id, &roots(&asked["id"], "file:///mine")).await;
    let answer = calling.event().await.unwrap();
    assert_eq!(
        answer["result"]["structuredContent"]["_workspace_roots"],
        json!(["/mine"])
    );
    assert_eq!(calling.event().await, None);

    let body = call("d", "wipe", json!({"path": "/a"})).to_string();
    let mut calling = Socket::open(handle.local_addr()).await;
    calling
        .write("POST", &[("mcp-session-id", &id)], &body)
        .await;
    calling.head().await;
    let asked = calling.event().await.unwrap();
    assert_eq!(asked["method"], "elicitation/create");
    let declined = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}});
    tell(&mut socket, &id, &declined).await;
    let answer = calling.event().await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["reason"], "declined");
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_leaves_nothing_waiting() {
    let handle = start(&bench()).await;
    let (mut socket, id) = session(&handle).await;
    for n in 0..40 {
        let mut calling = Socket::open(handle.local_addr()).await;
        let body = call(n, "wipe", json!({})).to_string();
        calling
            .write("POST", &[("mcp-session-id", &id)], &body)
            .await;
        calling.head().await;
        assert_eq!(
            calling.event().await.unwrap()["method"],
            "elicitation/create",
            "{n}"
        );
    }
    // More than may wait at once have come and gone; the session is as it was.
    let (head, _) = socket
        .ask(&[("mcp-session-id", &id)], &request(2, "ping", json!({})))
        .await;
    assert_eq!(head.status, 200);
    handle.shutdown().await;
}

#[tokio::test]
async fn a_stateless_client_repeats_its_call_with_the_answers() {
    let client = bench().client();
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"roots": {}}});
    let (headers, body) = modern("tools/call", json!({"name": "where", "_meta": meta}));
    let asked = client.post(&borrowed(&headers), &body).await.json();
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(result["inputRequests"]["roots"]["method"], "roots/list");
    let mut retry = body.clone();
    retry["id"] = json!(2);
    retry["params"]["requestState"] = result["requestState"].clone();
    retry["params"]["inputResponses"] = json!({"roots": {"roots": [{"uri": "file:///m"}]}});
    let done = client.post(&borrowed(&headers), &retry).await.json();
    assert_eq!(
        done["result"]["structuredContent"]["_workspace_roots"],
        json!(["/m"])
    );
    retry["params"]["requestState"] = json!("forged");
    let refused = client.post(&borrowed(&headers), &retry).await.json();
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test]
async fn skills_are_read_in_both_eras_and_as_files() {
    let bench = bench();
    let client = bench.client();
    let id = client.session().await;
    let body = request(1, "skills/list", json!({}));
    let legacy = client.post(&[("mcp-session-id", &id)], &body).await.json();
    let entry = &legacy["result"]["skills"][0];
    assert_eq!(entry["uri"], "skill://one/SKILL.md");
    let (mut headers, body) = modern("resources/read", json!({"uri": entry["uri"]}));
    headers.push(("mcp-name", "skill://one/SKILL.md".to_owned()));
    let read = client.post(&borrowed(&headers), &body).await.json();
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.starts_with("---\nname: one"));
    let get = axum::http::Method::GET;
    let at = async |path: &str| client.send_to(path, get.clone(), &[], "").await;
    let index = at("/.well-known/agent-skills/index.json").await;
    assert_eq!(index.header("content-type"), "application/json");
    let file = index.json()["skills"][0].clone();
    let found = at(file["url"].as_str().unwrap()).await;
    assert_eq!(found.header("content-type"), "text/markdown; charset=utf-8");
    assert_eq!(found.text, text);
    let first = &entry["resources"][0];
    assert_eq!(file["digest"], first["digest"]);
    for path in [
        "one",
        "one/../one/SKILL.md",
        "one/%2e%2e/one/SKILL.md",
        "nope/SKILL.md",
        "",
    ] {
        let path = format!("/.well-known/agent-skills/{path}");
        assert_eq!(at(&path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_nonsense_version_refuses_a_notification() {
    let client = bench().client();
    let id = client.session().await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for (version, status) in [("nonsense", 400), ("2024-11-05", 400), ("2025-06-18", 202)] {
        let headers = [
            ("mcp-session-id", id.as_str()),
            ("mcp-protocol-version", version),
        ];
        assert_eq!(
            client.post(&headers, &note).await.status,
            status,
            "{version}"
        );
    }
}
