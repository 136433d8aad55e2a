//! Streams, disconnects and the end, over a real socket.

use std::path::Path;
use std::time::{Duration, Instant};

use metier_mcp_http::{McpHttpConfig, McpHttpHandle, McpHttpServer, StartError};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;

use crate::bench::{Bench, borrowed, call, initialize, modern, request};
use crate::socket::{LIMIT, Socket, within};

async fn permit(semaphore: &Semaphore) {
    within("a permit", semaphore.acquire())
        .await
        .unwrap()
        .forget();
}

async fn start(bench: &Bench) -> McpHttpHandle {
    bench.server().start().await.unwrap()
}

async fn session(handle: &McpHttpHandle) -> (Socket, String) {
    let mut socket = Socket::open(handle.local_addr()).await;
    let (head, _) = socket.ask(&[], &initialize(1)).await;
    let id = head.get("mcp-session-id").unwrap().to_owned();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let (head, text) = socket.ask(&[("mcp-session-id", &id)], &note).await;
    assert_eq!((head.status, text.as_str()), (202, ""));
    (socket, id)
}

/// Opens a session's stream and waits until it is open.
async fn listen(handle: &McpHttpHandle, id: &str) -> Socket {
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

async fn ask(socket: &mut Socket, id: &str, body: &Value) -> Value {
    let (_, text) = socket.ask(&[("mcp-session-id", id)], body).await;
    let data = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap_or(&text);
    serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

#[tokio::test]
async fn a_change_is_told_once_to_each_session_on_its_oldest_stream() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (mut a, a_id) = session(&handle).await;
    let (mut b, b_id) = session(&handle).await;
    let (mut c, c_id) = session(&handle).await;
    let mut a1 = listen(&handle, &a_id).await;
    let mut a2 = listen(&handle, &a_id).await;
    let mut b1 = listen(&handle, &b_id).await;

    let load = call(2, "load_skill", json!({"skill_name": "one"}));
    ask(&mut a, &a_id, &load).await;
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(a1.event().await.unwrap(), changed);
    assert_eq!(b1.event().await.unwrap(), changed);
    ask(&mut a, &a_id, &load).await;
    ask(
        &mut b,
        &b_id,
        &call(3, "unload_skill", json!({"skill_name": "one"})),
    )
    .await;
    assert_eq!(a1.event().await.unwrap(), changed);
    assert_eq!(b1.event().await.unwrap(), changed);
    let list = ask(&mut c, &c_id, &request(4, "tools/list", json!({}))).await;
    assert!(list.to_string().contains("__skill__one"));

    // The end of the streams shows that nothing else was on them.
    handle.shutdown().await;
    assert_eq!(
        (a1.event().await, a2.event().await, b1.event().await),
        (None, None, None)
    );
}

#[tokio::test]
async fn an_open_stream_and_a_slow_call_hold_nothing_up() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (mut socket, id) = session(&handle).await;
    let _stream = listen(&handle, &id).await;
    let mut slow = Socket::open(handle.local_addr()).await;
    slow.write(
        "POST",
        &[("mcp-session-id", &id)],
        &call("slow", "wait", json!({})).to_string(),
    )
    .await;
    permit(&bench.waiting).await;
    for method in ["tools/list", "ping"] {
        let answer = ask(&mut socket, &id, &request(2, method, json!({}))).await;
        assert!(answer["result"].is_object());
    }
    let (mut other, other_id) = session(&handle).await;
    assert!(ask(&mut other, &other_id, &request(2, "ping", json!({}))).await["result"].is_object());
}

#[tokio::test]
async fn progress_streams_as_it_happens_and_ends_with_the_answer() {
    let bench = Bench::new();
    bench.skill(
        "slow",
        "bake",
        "echo '::progress:: {\"progress\": 1, \"total\": 2}' >&2\nread line\nwhile [ ! -e \"$(dirname \"$0\")/go\" ]; do sleep 0.02; done\necho '::progress:: {\"progress\": 2, \"total\": 2}' >&2\necho '{\"baked\": true}'\n",
    );
    let handle = start(&bench).await;
    let (mut socket, id) = session(&handle).await;
    ask(
        &mut socket,
        &id,
        &call(2, "load_skill", json!({"skill_name": "slow"})),
    )
    .await;
    let mut body = call("bake", "slow__bake", json!({}));
    body["params"]["_meta"] = json!({"progressToken": 0});
    socket
        .write("POST", &[("mcp-session-id", &id)], &body.to_string())
        .await;
    assert_eq!(
        socket.head().await.get("content-type"),
        Some("text/event-stream")
    );
    let first = socket.event().await.unwrap();
    assert_eq!(
        first["params"],
        json!({"progressToken": 0, "progress": 1, "total": 2})
    );
    // The script is still running: it waits for this file.
    std::fs::write(bench.folder.path().join("slow/scripts/go"), "").unwrap();
    assert_eq!(socket.event().await.unwrap()["params"]["progress"], 2);
    let answer = socket.event().await.unwrap();
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&json!("bake"), &json!(false)),
        "{answer}"
    );
    assert_eq!(socket.event().await, None);
}

/// Waits until a file is there.
async fn until(path: &Path) -> String {
    within("a file", async {
        loop {
            match std::fs::read_to_string(path) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    })
    .await
}

/// Waits until a process is gone.
async fn gone(pid: &str) {
    within("the end of a process", async {
        while Path::new("/proc").join(pid).exists() {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if state.contains(") Z ") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// A skill whose script starts a child of its own and writes down both ids.
fn long_skill(bench: &Bench) -> (std::path::PathBuf, &'static str) {
    bench.skill(
        "long",
        "go",
        "here=$(dirname \"$0\")\nsleep 300 &\necho \"$$ $!\" > \"$here/pids.new\"\nmv \"$here/pids.new\" \"$here/pids\"\nwait\n",
    );
    (bench.folder.path().join("long/scripts/pids"), "long__go")
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_cancelled_script_goes_with_its_children_and_its_exchange_ends() {
    let bench = Bench::new();
    let (pids, tool) = long_skill(&bench);
    let handle = start(&bench).await;
    let (mut socket, id) = session(&handle).await;
    ask(
        &mut socket,
        &id,
        &call(2, "load_skill", json!({"skill_name": "long"})),
    )
    .await;
    let mut long = Socket::open(handle.local_addr()).await;
    long.write(
        "POST",
        &[("mcp-session-id", &id)],
        &call("long", tool, json!({})).to_string(),
    )
    .await;
    let pids = until(&pids).await;
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long", "reason": "user"}});
    assert_eq!(
        socket.ask(&[("mcp-session-id", &id)], &note).await.0.status,
        202
    );
    assert_eq!(long.head().await.status, 202);
    for pid in pids.split(' ') {
        gone(pid).await;
    }
    assert!(ask(&mut socket, &id, &request(3, "ping", json!({}))).await["result"].is_object());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_shutdown_takes_running_scripts_along() {
    let bench = Bench::new();
    let (pids, tool) = long_skill(&bench);
    let handle = start(&bench).await;
    let (mut socket, id) = session(&handle).await;
    ask(
        &mut socket,
        &id,
        &call(2, "load_skill", json!({"skill_name": "long"})),
    )
    .await;
    socket
        .write(
            "POST",
            &[("mcp-session-id", &id)],
            &call("long", tool, json!({})).to_string(),
        )
        .await;
    let pids = until(&pids).await;
    within("the shutdown", handle.shutdown()).await;
    for pid in pids.split(' ') {
        gone(pid).await;
    }
    assert!(
        tokio::net::TcpStream::connect(handle.local_addr())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_a_stateless_call_alone() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (headers, body) = modern("tools/call", json!({"name": "wait", "arguments": {}}));
    let mut socket = Socket::open(handle.local_addr()).await;
    socket
        .write("POST", &borrowed(&headers), &body.to_string())
        .await;
    permit(&bench.waiting).await;
    drop(socket);
    permit(&bench.stopped).await;

    let (mut keeper, id) = session(&handle).await;
    let mut socket = Socket::open(handle.local_addr()).await;
    socket
        .write(
            "POST",
            &[("mcp-session-id", &id)],
            &call("long", "wait", json!({})).to_string(),
        )
        .await;
    permit(&bench.waiting).await;
    drop(socket);
    for n in 0..20 {
        assert!(ask(&mut keeper, &id, &request(n, "ping", json!({}))).await["result"].is_object());
    }
    assert_eq!(
        bench.stopped.available_permits(),
        0,
        "a drop is no cancellation here"
    );
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}});
    keeper.ask(&[("mcp-session-id", &id)], &note).await;
    permit(&bench.stopped).await;
}

#[tokio::test]
async fn a_hundred_dropped_calls_leave_nothing_behind() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (headers, body) = modern("tools/call", json!({"name": "wait", "arguments": {}}));
    for _ in 0..100 {
        let mut socket = Socket::open(handle.local_addr()).await;
        socket
            .write("POST", &borrowed(&headers), &body.to_string())
            .await;
        permit(&bench.waiting).await;
        drop(socket);
        permit(&bench.stopped).await;
    }
    let begun = Instant::now();
    within("the shutdown", handle.shutdown()).await;
    assert!(begun.elapsed() < LIMIT / 4, "nothing was left to wait for");
}

#[tokio::test]
async fn a_subscription_lives_as_long_as_its_request() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (headers, body) = modern(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let mut socket = Socket::open(handle.local_addr()).await;
    socket
        .write("POST", &borrowed(&headers), &body.to_string())
        .await;
    assert_eq!(socket.head().await.status, 200);
    assert_eq!(
        socket.event().await.unwrap()["method"],
        "notifications/subscriptions/acknowledged"
    );
    bench.catalog.load_skill("one").await.unwrap();
    let changed = socket.event().await.unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!(
        changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        1
    );
    handle.shutdown().await;
    assert_eq!(
        socket.event().await.unwrap()["result"]["resultType"],
        "complete"
    );
    assert_eq!(socket.event().await, None);
}

#[tokio::test]
async fn a_quiet_stream_is_kept_alive_and_a_long_answer_becomes_one() {
    let bench = Bench::with(|config| config.keep_alive = Duration::from_millis(50));
    let handle = start(&bench).await;
    let (_, id) = session(&handle).await;
    let mut stream = listen(&handle, &id).await;
    assert!(stream.chunk().await.unwrap().starts_with(':'));
    let mut long = Socket::open(handle.local_addr()).await;
    long.write(
        "POST",
        &[("mcp-session-id", &id)],
        &call("long", "wait", json!({})).to_string(),
    )
    .await;
    assert_eq!(
        long.head().await.get("content-type"),
        Some("text/event-stream")
    );
    assert!(long.chunk().await.unwrap().starts_with(':'));
}

#[tokio::test]
async fn a_reader_that_stands_still_is_cut_off() {
    let bench = Bench::with(|config| {
        config.write_stall = Duration::from_millis(200);
        config.shutdown_grace = 3 * LIMIT;
    });
    let handle = start(&bench).await;
    let (mut keeper, id) = session(&handle).await;
    let mut body = call("flood", "steps", json!({"count": 2_000, "size": 100_000}));
    body["params"]["_meta"] = json!({"progressToken": "t"});
    let mut socket = Socket::open(handle.local_addr()).await;
    socket
        .write("POST", &[("mcp-session-id", &id)], &body.to_string())
        .await;
    assert_eq!(socket.head().await.status, 200);
    assert!(ask(&mut keeper, &id, &request(2, "ping", json!({}))).await["result"].is_object());
    // Nothing of the stream is read: only the cut lets the connection end before the grace time.
    let begun = Instant::now();
    within("the shutdown", handle.shutdown()).await;
    assert!(
        begun.elapsed() < LIMIT / 4,
        "the connection is not held open"
    );
}

#[tokio::test]
async fn a_huge_body_gets_its_refusal_even_while_it_is_sent() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let mut socket = Socket::open(handle.local_addr()).await;
    let size = 20 * 1024 * 1024;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    );
    socket
        .stream
        .get_mut()
        .write_all(head.as_bytes())
        .await
        .unwrap();
    let piece = vec![b' '; 1024 * 1024];
    for _ in 0..20 {
        within("a piece", socket.stream.get_mut().write_all(&piece))
            .await
            .unwrap();
    }
    assert_eq!(socket.head().await.status, 413);
}

#[tokio::test]
async fn a_port_in_use_is_named_with_its_cure() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let config = McpHttpConfig::new(handle.local_addr().port());
    let registry = metier_catalog::ToolRegistry::new();
    let dispatcher = metier_catalog::ToolDispatcher::new(registry.clone());
    let server = McpHttpServer::new(
        metier_catalog::SkillCatalog::new(registry),
        dispatcher,
        config,
    );
    let refused = server.start().await.unwrap_err();
    assert!(matches!(refused, StartError::InUse { .. }));
    let text = refused.to_string();
    assert!(
        text.contains(&handle.local_addr().to_string()) && text.contains("choose another port"),
        "{text}"
    );
    assert_eq!(
        handle.mcp_url(),
        format!("http://{}/mcp", handle.local_addr())
    );
}

#[tokio::test]
async fn dropping_the_handle_ends_the_server() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (_, id) = session(&handle).await;
    let mut stream = listen(&handle, &id).await;
    drop(handle);
    assert_eq!(stream.event().await, None);
}
