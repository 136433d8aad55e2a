//! Cancellation, clients that go away, and the end of the server.

use std::path::Path;
use std::time::{Duration, Instant};

use metier_catalog::CatalogSettings;
use metier_mcp_http::{McpHttpConfig, McpHttpServer, StartError};
use metier_runner::Gate;
use serde_json::{Value, json};

use crate::bench::{Bench, borrowed, call, modern, request};
use crate::running::{ask, listen, permit, session, start};
use crate::socket::{LIMIT, Socket, within};

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

/// A server with one place for scripts, and the skill `slow`: each call of its tool notes what it was sent, and ends when
/// the file `go` is there.
fn one_place() -> (Bench, Gate) {
    let mut settings = CatalogSettings::default();
    settings.run.gate = Gate::new(1);
    let gate = settings.run.gate.clone();
    let bench = Bench::of(settings, |_| ());
    let script = "read -r sent\necho \"$sent\" >> started\nuntil [ -e go ]; do sleep 0.02; done\necho \"$sent\"\n";
    bench.skill("slow", "go", script);
    (bench, gate)
}

/// One place for scripts. A first call has it until the file `go` is there; the second waits.
#[tokio::test]
async fn a_call_that_waits_for_a_place_goes_with_a_stateless_client_and_stays_in_a_session() {
    let (bench, gate) = one_place();
    let folder = bench.folder.path().join("slow");
    let handle = start(&bench).await;
    let (mut keeper, id) = session(&handle).await;
    let load = call(2, "load_skill", json!({"skill_name": "slow"}));
    ask(&mut keeper, &id, &load).await;
    let in_session = [("mcp-session-id", id.as_str())];
    let mut first = Socket::open(handle.local_addr()).await;
    let body = call("first", "slow__go", json!({"n": "first"}));
    first.write("POST", &in_session, &body.to_string()).await;
    let started = folder.join("started");
    until(&started).await;
    let waiting = async |wanted: usize| {
        within("the queue", async {
            while gate.waiting() != wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    };

    let mut kept = Socket::open(handle.local_addr()).await;
    let body = call("kept", "slow__go", json!({"n": "kept"}));
    kept.write("POST", &in_session, &body.to_string()).await;
    waiting(1).await;
    let params = json!({"name": "slow__go", "arguments": {"n": "stateless"}});
    let (headers, body) = modern("tools/call", params);
    let mut gone = Socket::open(handle.local_addr()).await;
    gone.write("POST", &borrowed(&headers), &body.to_string())
        .await;
    waiting(2).await;

    drop((kept, gone));
    waiting(1).await;
    for n in 0..20 {
        ask(&mut keeper, &id, &request(n, "ping", json!({}))).await;
    }
    assert_eq!(gate.waiting(), 1, "a drop is no cancellation in a session");
    std::fs::write(folder.join("go"), "").unwrap();
    first.head().await;
    let all = "{\"n\":\"first\"}\n{\"n\":\"kept\"}";
    while until(&started).await != all {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// One place for scripts, and a client with many calls beside one with a single one.
#[tokio::test]
async fn sessions_take_turns_for_places() {
    let (bench, gate) = one_place();
    let folder = bench.folder.path().join("slow");
    let handle = start(&bench).await;
    let (mut busy, busy_id) = session(&handle).await;
    let (_, modest_id) = session(&handle).await;
    let load = call(2, "load_skill", json!({"skill_name": "slow"}));
    ask(&mut busy, &busy_id, &load).await;
    let mut sockets = Vec::new();
    let sent = [
        (&busy_id, "first"),
        (&busy_id, "second"),
        (&busy_id, "third"),
        (&busy_id, "fourth"),
        (&modest_id, "modest"),
    ];
    for (before, (id, name)) in sent.into_iter().enumerate() {
        let mut socket = Socket::open(handle.local_addr()).await;
        let body = call(name, "slow__go", json!({"n": name}));
        let headers = [("mcp-session-id", id.as_str())];
        socket.write("POST", &headers, &body.to_string()).await;
        within("the queue", async {
            while (gate.free(), gate.waiting()) != (0, before) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        sockets.push(socket);
    }
    std::fs::write(folder.join("go"), "").unwrap();
    for socket in &mut sockets {
        socket.head().await;
    }
    let started = std::fs::read_to_string(folder.join("started")).unwrap();
    let started: Vec<Value> = started
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["n"].take())
        .collect();
    assert_eq!(started, ["first", "second", "modest", "third", "fourth"]);
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
