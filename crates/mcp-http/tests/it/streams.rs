//! Streams over a real socket.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::bench::{Bench, borrowed, call, modern, request};
use crate::running::{ask, listen, permit, session, start};
use crate::socket::{LIMIT, Socket, within};

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
async fn a_host_that_can_more_than_before_is_told_in_both_eras() {
    let bench = Bench::new();
    let tools = bench.folder.path().join("one/tools.yaml");
    let text = std::fs::read_to_string(&tools).unwrap();
    std::fs::write(&tools, format!("{text}    required_capabilities: [usd]\n")).unwrap();
    bench
        .catalog
        .discover(&[bench.folder.path().to_owned()], None);
    bench.catalog.load_skill("one").await.unwrap();
    let handle = start(&bench).await;
    let (mut client, id) = session(&handle).await;
    let mut stream = listen(&handle, &id).await;
    let listened = json!({"notifications": {"toolsListChanged": true}});
    let (headers, body) = modern("subscriptions/listen", listened);
    let mut subscription = Socket::open(handle.local_addr()).await;
    subscription
        .write("POST", &borrowed(&headers), &body.to_string())
        .await;
    assert_eq!(subscription.head().await.status, 200);
    subscription.event().await.unwrap();

    let mut seen = async || {
        let listed = ask(&mut client, &id, &request(3, "tools/list", json!({}))).await;
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let tool = tools.into_iter().find(|tool| tool["name"] == "one__go");
        let called = ask(&mut client, &id, &call(4, "one__go", json!({}))).await;
        let code = called["error"]["code"].clone();
        let usable = call(5, "search_skills", json!({"usable": true}));
        let found = ask(&mut client, &id, &usable).await;
        json!([
            tool.unwrap()["_meta"]["dcc"]["missing_capabilities"],
            code,
            found["result"]["structuredContent"]["total"],
        ])
    };
    assert_eq!(seen().await, json!([["usd"], -32001, 0]));
    bench.catalog.declare_capabilities(["usd"]);
    let changed = "notifications/tools/list_changed";
    assert_eq!(stream.event().await.unwrap()["method"], changed);
    assert_eq!(subscription.event().await.unwrap()["method"], changed);
    assert_eq!(seen().await, json!([null, null, 1]));
    bench.catalog.declare_capabilities(["USD"]);
    assert_eq!(stream.event().await.unwrap()["method"], changed);
    assert_eq!(subscription.event().await.unwrap()["method"], changed);
    assert_eq!(seen().await, json!([["usd"], -32001, 0]));
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
async fn a_stream_that_broke_off_goes_on_after_the_last_event() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (mut socket, id) = session(&handle).await;
    let mut first = listen(&handle, &id).await;
    let change = async |socket: &mut Socket, tool: &str| {
        ask(socket, &id, &call(2, tool, json!({"skill_name": "one"}))).await;
    };
    change(&mut socket, "load_skill").await;
    let chunk = first.chunk().await.unwrap();
    let seen = chunk
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .unwrap()
        .to_owned();
    change(&mut socket, "unload_skill").await;
    assert!(
        first.event().await.is_some(),
        "sent, and lost by the client"
    );
    let resume = async |seen: &str| {
        let mut again = Socket::open(handle.local_addr()).await;
        let headers = [
            ("mcp-session-id", id.as_str()),
            ("accept", "text/event-stream"),
            ("last-event-id", seen),
        ];
        again.write("GET", &headers, "").await;
        assert_eq!(again.head().await.status, 200);
        again
    };
    let mut again = resume(&seen).await;
    let missed = again.event().await.unwrap();
    assert_eq!(missed["method"], "notifications/tools/list_changed");
    assert_eq!(first.event().await, None, "taken up elsewhere");
    // It goes on as the same stream; an id that means nothing is passed over.
    change(&mut socket, "load_skill").await;
    assert!(again.event().await.is_some());
    let mut other = resume("nonsense").await;
    handle.shutdown().await;
    assert_eq!((again.event().await, other.event().await), (None, None));
}
