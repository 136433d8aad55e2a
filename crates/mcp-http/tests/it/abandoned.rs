//! Clients that send a whole request and close before it is answered, or looked at.
//!
//! The client's end is closed without a pause after its last byte, on the thread that the server runs on as well: the
//! server finds the request and the end of its connection together, each time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metier_hooks::{HookEvent, HookPayload, Registration};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::bench::{Bench, borrowed, call, initialize, modern};
use crate::running::{ask, permit, session, start};
use crate::socket::{Socket, within};

const TIMES: usize = 100;

/// How a client closes.
#[derive(Clone, Copy, Debug)]
enum Closes {
    InOrder,
    WithReset,
}

/// How often each was heard of, by session.
type Heard = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

fn heard(bench: &Bench) -> Heard {
    let heard = Heard::default();
    for event in [HookEvent::SessionEnd, HookEvent::AfterToolCall] {
        let all = Arc::clone(&heard);
        bench.catalog.hooks().on(event, move |context| {
            let what = match &context.payload {
                HookPayload::SessionEnd { reason } => reason.clone(),
                HookPayload::AfterToolCall { ok, .. } => format!("called {ok}"),
                other => format!("{other:?}"),
            };
            let id = context.session_id.clone().unwrap_or_default();
            all.lock().unwrap().entry(id).or_default().push(what);
            Ok(())
        });
    }
    heard
}

async fn sends_and_goes(
    handle: &metier_mcp_http::McpHttpHandle,
    closes: Closes,
    method: &str,
    headers: &[(&str, &str)],
    body: &str,
) {
    let mut socket = Socket::open(handle.local_addr()).await;
    if matches!(closes, Closes::WithReset) {
        socket.stream.get_ref().set_zero_linger().unwrap();
    }
    socket.write(method, headers, body).await;
}

/// Waits until each of these was heard of, as often as that.
async fn until_heard(heard: &Heard, ids: &[String], what: &str) {
    let missing = || {
        let heard = heard.lock().unwrap();
        let missed = ids.iter().filter(|id| !heard.contains_key(*id));
        missed.count()
    };
    let all = async {
        while missing() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(10), all).await;
    assert!(in_time.is_ok(), "{} of {} {what}", missing(), ids.len());
}

#[tokio::test]
async fn a_deletion_counts_whether_or_not_its_answer_is_waited_for() {
    let bench = Bench::new();
    let heard = heard(&bench);
    let handle = start(&bench).await;
    for closes in [Closes::InOrder, Closes::WithReset] {
        let mut ids = Vec::new();
        for _ in 0..TIMES {
            let (_, id) = session(&handle).await;
            sends_and_goes(&handle, closes, "DELETE", &[("mcp-session-id", &id)], "").await;
            ids.push(id);
        }
        until_heard(&heard, &ids, &format!("were not ended: {closes:?}")).await;
    }
    within("the shutdown", handle.shutdown()).await;
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2 * TIMES);
    for told in heard.values() {
        assert_eq!(told, &["closed"], "once, and not by the shutdown");
    }
}

/// Nobody has the id of such a session, so nobody could end it.
#[tokio::test]
async fn a_session_whose_client_goes_before_it_has_begun_is_ended_at_once() {
    let bench = Bench::new();
    let heard = heard(&bench);
    let begun = Arc::new(Mutex::new(Vec::new()));
    let (runs, may_go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (ids, gates) = (Arc::clone(&begun), (Arc::clone(&runs), Arc::clone(&may_go)));
    let handle = start(&bench).await;
    let (mut keeper, kept) = session(&handle).await;
    let handler = Registration::future(HookEvent::SessionStart, move |context| {
        let (runs, may_go) = gates.clone();
        ids.lock().unwrap().extend(context.session_id.clone());
        async move {
            runs.add_permits(1);
            may_go.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    let handler = handler.limit(Duration::from_mins(1));
    bench.catalog.hooks().register(handler);
    for closes in [Closes::InOrder, Closes::WithReset] {
        for accept in ["application/json, text/event-stream", "text/event-stream"] {
            let body = initialize(1).to_string();
            sends_and_goes(&handle, closes, "POST", &[("accept", accept)], &body).await;
            permit(&runs).await;
            // What comes and goes meanwhile shows that the server has looked at its connections since.
            for _ in 0..3 {
                let list: Value = crate::bench::request(1, "tools/list", json!({}));
                assert!(ask(&mut keeper, &kept, &list).await["result"].is_object());
            }
            may_go.add_permits(1);
        }
    }
    let ids: Vec<String> = begun.lock().unwrap().clone();
    assert_eq!(ids.len(), 4);
    until_heard(&heard, &ids, "were not ended").await;
    assert!(!heard.lock().unwrap().contains_key(&kept));
    drop(keeper);
    within("the shutdown", handle.shutdown()).await;
    let heard = heard.lock().unwrap();
    assert!(ids.iter().all(|id| heard[id] == ["closed"]), "{heard:?}");
    assert_eq!(heard[&kept], ["shutdown"]);
}

#[tokio::test]
async fn a_call_of_a_session_runs_whether_or_not_its_answer_is_waited_for() {
    let bench = Bench::new();
    let heard = heard(&bench);
    let handle = start(&bench).await;
    // One in a single piece, and one that needs several reads.
    for (closes, size) in [
        (Closes::InOrder, 1),
        (Closes::WithReset, 1),
        (Closes::InOrder, 400_000),
    ] {
        let mut ids = Vec::new();
        let arguments = json!({"count": 1, "pad": "x".repeat(size)});
        let body = call("lost", "steps", arguments).to_string();
        for _ in 0..TIMES / 4 {
            let (_, id) = session(&handle).await;
            sends_and_goes(&handle, closes, "POST", &[("mcp-session-id", &id)], &body).await;
            ids.push(id);
        }
        until_heard(&heard, &ids, &format!("did not run: {closes:?}, {size}")).await;
    }
    for told in heard.lock().unwrap().values() {
        assert_eq!(told, &["called true"]);
    }
}

#[tokio::test]
async fn a_stateless_call_of_a_client_that_is_gone_is_not_carried_on() {
    let bench = Bench::new();
    let handle = start(&bench).await;
    let (headers, body) = modern("tools/call", json!({"name": "wait", "arguments": {}}));
    for _ in 0..TIMES {
        let body = body.to_string();
        sends_and_goes(&handle, Closes::InOrder, "POST", &borrowed(&headers), &body).await;
    }
    // Whatever of them began was told to stop.
    let (mut keeper, id) = session(&handle).await;
    let list: Value = crate::bench::request(1, "tools/list", json!({}));
    assert!(ask(&mut keeper, &id, &list).await["result"].is_object());
    drop(keeper);
    within("the end of all", async {
        while bench.stopped.available_permits() < bench.waiting.available_permits() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    within("the shutdown", handle.shutdown()).await;
}
