//! A server that listens, and clients with sessions.

use metier_mcp_http::McpHttpHandle;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::bench::{Bench, initialize};
use crate::socket::{Socket, within};

pub(crate) async fn permit(semaphore: &Semaphore) {
    within("a permit", semaphore.acquire())
        .await
        .unwrap()
        .forget();
}

pub(crate) async fn start(bench: &Bench) -> McpHttpHandle {
    bench.server().start().await.unwrap()
}

pub(crate) async fn session(handle: &McpHttpHandle) -> (Socket, String) {
    let mut socket = Socket::open(handle.local_addr()).await;
    let (head, _) = socket.ask(&[], &initialize(1)).await;
    let id = head.get("mcp-session-id").unwrap().to_owned();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let (head, text) = socket.ask(&[("mcp-session-id", &id)], &note).await;
    assert_eq!((head.status, text.as_str()), (202, ""));
    (socket, id)
}

/// Opens a session's stream and waits until it is open.
pub(crate) async fn listen(handle: &McpHttpHandle, id: &str) -> Socket {
    let mut socket = Socket::open(handle.local_addr()).await;
    socket
        .write(
            "GET",
            &[("mcp-session-id", id), ("accept", "text/event-stream")],
            "",
        )
        .await;
    let head = socket.head().await;
    assert_eq!(
        (head.status, head.get("content-type")),
        (200, Some("text/event-stream"))
    );
    assert!(socket.chunk().await.unwrap().starts_with(':'));
    socket
}

pub(crate) async fn ask(socket: &mut Socket, id: &str, body: &Value) -> Value {
    let (_, text) = socket.ask(&[("mcp-session-id", id)], body).await;
    let data = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap_or(&text);
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}
