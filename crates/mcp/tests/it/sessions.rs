//! Sessions: their beginning, their end, and what hooks hear of them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use metier_hooks::{HookContext, HookEvent, HookPayload, LifecycleHooks, Registration};
use metier_mcp::{Incoming, Reply};
use serde_json::json;
use tokio::sync::{Barrier, Semaphore};

use crate::bench::{Bench, hear, modern_request};

/// Writes down each begin and end as `start ID CLIENT` or `end ID REASON`.
fn watch(bench: &Bench) -> Arc<Mutex<Vec<String>>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hooks = LifecycleHooks::new();
    for event in [HookEvent::SessionStart, HookEvent::SessionEnd] {
        let seen = Arc::clone(&seen);
        hooks.on(event, move |context: &HookContext| {
            let id = context.session_id.clone().unwrap_or_default();
            let line = match &context.payload {
                HookPayload::SessionStart { client } => {
                    format!("start {id} {}", client.as_deref().unwrap_or("-"))
                }
                HookPayload::SessionEnd { reason } => format!("end {id} {reason}"),
                other => panic!("{other:?}"),
            };
            seen.lock().unwrap().push(line);
            Ok(())
        });
    }
    let _ = bench.catalog.clone().with_hooks(hooks);
    seen
}

fn taken(seen: &Mutex<Vec<String>>) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap())
}

#[tokio::test]
async fn a_session_begins_and_ends_once() {
    let bench = Bench::new();
    let seen = watch(&bench);
    let client = bench.session().await;
    assert_eq!(taken(&seen), [format!("start {} probe", client.id)]);
    assert!(bench.server.end_session(&client.id).await);
    assert!(!bench.server.end_session(&client.id).await);
    assert_eq!(taken(&seen), [format!("end {} closed", client.id)]);
    assert_eq!(client.request("ping", json!({})).await.status, 404);
    assert!(bench.server.open_stream(Some(&client.id)).is_err());
}

#[tokio::test]
async fn an_ended_session_takes_its_calls_and_streams_along() {
    let bench = Bench::new();
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}});
    let call = tokio::spawn(hear(client.start(&body)));
    bench.waiting.acquire().await.unwrap().forget();
    bench.server.end_session(&client.id).await;
    assert!(stream.next().await.is_none());
    assert_eq!(call.await.unwrap().status, 0);
    assert_eq!(bench.stopped.available_permits(), 1);
}

#[tokio::test]
async fn made_up_ids_are_unknown_and_make_nothing() {
    let bench = Bench::new();
    for id in ["no-such", "", "../x"] {
        let mut incoming = Incoming::new(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        incoming.session = Some(id.into());
        assert_eq!(bench.send(incoming).await.status, 404);
    }
    assert_eq!(
        bench
            .text(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)
            .await
            .status,
        400
    );
    assert_eq!(
        bench
            .text(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await
            .status,
        400
    );
    assert_eq!(bench.server.session_count(), 0);
    let mut incoming = Incoming::new(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}).to_string());
    incoming.session = Some("no-such".into());
    let fresh = bench.send(incoming).await;
    assert_eq!(fresh.status, 200);
    assert_ne!(fresh.session.unwrap(), "no-such");
}

#[tokio::test]
async fn idle_sessions_expire_and_busy_ones_stay() {
    let bench = Bench::with(|config| config.session_idle = std::time::Duration::from_mins(1));
    let seen = watch(&bench);
    let (idle, busy) = (bench.session().await, bench.session().await);
    let stream = bench.server.open_stream(Some(&busy.id)).unwrap();
    taken(&seen);
    bench.time.store(61, Ordering::SeqCst);
    bench.server.sweep().await;
    assert_eq!(taken(&seen), [format!("end {} expired", idle.id)]);
    assert_eq!(
        (
            idle.request("ping", json!({})).await.status,
            busy.request("ping", json!({})).await.status
        ),
        (404, 200)
    );
    drop(stream);
}

#[tokio::test]
async fn five_thousand_clients_that_never_leave_are_bounded() {
    let bench = Bench::with(|config| config.session_cap = 10);
    let seen = watch(&bench);
    for _ in 0..5_000 {
        assert_eq!(
            bench
                .initialize(json!({"protocolVersion": "2025-06-18"}))
                .await
                .status,
            200
        );
    }
    assert_eq!(bench.server.session_count(), 10);
    let lines = taken(&seen);
    let count = |what: &str| lines.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!((count("start"), count("end")), (5_000, 4_990));
}

#[tokio::test]
async fn when_every_session_is_at_work_one_more_is_refused() {
    let bench = Bench::with(|config| config.session_cap = 1);
    let client = bench.session().await;
    let _stream = bench.server.open_stream(Some(&client.id)).unwrap();
    let heard = bench
        .initialize(json!({"protocolVersion": "2025-06-18"}))
        .await;
    assert_eq!((heard.status, heard.code()), (503, 1002));
}

#[tokio::test]
async fn a_stateless_client_begins_with_its_first_request_and_ends_when_idle() {
    let bench = Bench::with(|config| config.session_idle = std::time::Duration::from_mins(1));
    let seen = watch(&bench);
    for _ in 0..3 {
        bench.modern("tools/list", json!({})).await;
    }
    bench.modern("tools/call", json!({"name": "echo"})).await;
    assert_eq!(taken(&seen), ["start client:probe probe"]);
    bench.time.store(61, Ordering::SeqCst);
    bench.server.sweep().await;
    bench.server.sweep().await;
    assert_eq!(taken(&seen), ["end client:probe expired"]);
}

#[tokio::test]
async fn a_call_that_lasts_longer_than_the_idle_time_keeps_its_client() {
    let bench = Bench::new();
    let seen = watch(&bench);
    let session = bench.session().await;
    let body = modern_request("tools/call", json!({"name": "wait"}));
    let reply = bench.server.receive(Incoming::new(body.to_string()));
    let stateless = tokio::spawn(hear(reply));
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}});
    let legacy = tokio::spawn(hear(session.start(&body)));
    bench.waiting.acquire_many(2).await.unwrap().forget();
    taken(&seen);
    for hours in 1..=48 {
        bench.time.store(hours * 3_600, Ordering::SeqCst);
        bench.server.sweep().await;
    }
    assert_eq!(taken(&seen), [""; 0]);
    // Who gives its call up is gone thirty minutes later.
    stateless.abort();
    assert!(stateless.await.unwrap_err().is_cancelled());
    session.cancel(json!(1)).await;
    assert_eq!(legacy.await.unwrap().status, 0);
    bench.stopped.acquire_many(2).await.unwrap().forget();
    let mut ended = Vec::new();
    while ended.len() < 2 {
        bench.time.fetch_add(30 * 60, Ordering::SeqCst);
        bench.server.sweep().await;
        ended.append(&mut taken(&seen));
        tokio::task::yield_now().await;
    }
    ended.sort_unstable();
    // A session's name is drawn by lot, and so is its place.
    let mut expected = [
        format!("end {} expired", session.id),
        "end client:probe expired".to_owned(),
    ];
    expected.sort_unstable();
    assert_eq!(ended, expected);
}

#[tokio::test]
async fn a_shutdown_ends_a_stateless_client_once_and_nobody_begins_after_it() {
    let bench = Bench::new();
    let seen = watch(&bench);
    bench.modern("tools/list", json!({})).await;
    bench.server.shutdown().await;
    bench.server.shutdown().await;
    bench.modern("tools/list", json!({})).await;
    bench.server.sweep().await;
    assert_eq!(
        taken(&seen),
        ["start client:probe probe", "end client:probe shutdown"]
    );
}

#[tokio::test]
async fn a_shutdown_ends_everything_once() {
    let bench = Bench::new();
    let seen = watch(&bench);
    let client = bench.session().await;
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}});
    let call = tokio::spawn(hear(client.start(&body)));
    bench.waiting.acquire().await.unwrap().forget();
    taken(&seen);
    bench.server.shutdown().await;
    let heard = call.await.unwrap();
    assert_eq!(heard.code(), -32603);
    assert!(heard.raw.contains("stopping"), "{}", heard.raw);
    assert_eq!(
        bench.stopped.available_permits(),
        1,
        "the call had ended before the shutdown returned"
    );
    assert_eq!(taken(&seen), [format!("end {} shutdown", client.id)]);
}

/// A handler of an event that says that it runs and waits for a permit, before the others.
fn held(bench: &Bench, event: HookEvent) -> (Arc<Semaphore>, Arc<Semaphore>) {
    let (runs, may_go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let gates = (Arc::clone(&runs), Arc::clone(&may_go));
    let handler = Registration::future(event, move |_| {
        let (runs, may_go) = gates.clone();
        async move {
            runs.add_permits(1);
            may_go.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    let handler = handler.limit(std::time::Duration::from_mins(1));
    bench.catalog.hooks().register(handler.before_others());
    (runs, may_go)
}

#[tokio::test]
async fn a_client_that_does_not_wait_for_its_end_is_ended_for_every_handler() {
    let bench = Bench::new();
    let seen = watch(&bench);
    let client = bench.session().await;
    taken(&seen);
    let (_, may_go) = held(&bench, HookEvent::SessionEnd);
    // The connection closes before the answer is there.
    let ending = bench.server.end_session(&client.id).now_or_never();
    assert_eq!(ending, None);
    assert_eq!(taken(&seen), [""; 0]);
    may_go.add_permits(1);
    bench.server.shutdown().await;
    assert_eq!(taken(&seen), [format!("end {} closed", client.id)]);
}

#[tokio::test]
async fn a_stateless_client_that_gives_up_its_first_request_has_begun_for_every_handler() {
    let bench = Bench::new();
    let seen = watch(&bench);
    let (runs, may_go) = held(&bench, HookEvent::SessionStart);
    let body = modern_request("tools/call", json!({"name": "echo"}));
    let reply = bench.server.receive(Incoming::new(body.to_string()));
    let first = tokio::spawn(hear(reply));
    runs.acquire().await.unwrap().forget();
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    may_go.add_permits(1);
    bench.modern("tools/call", json!({"name": "echo"})).await;
    bench.server.shutdown().await;
    assert_eq!(
        taken(&seen),
        ["start client:probe probe", "end client:probe shutdown"]
    );
}

/// A beginning that is still being told is over before the end is, however the session ends.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_session_is_told_after_its_beginning() {
    for stop in [false, true] {
        let bench = Bench::new();
        let seen = watch(&bench);
        let (runs, may_go) = held(&bench, HookEvent::SessionStart);
        let body = modern_request("tools/call", json!({"name": "echo"}));
        let reply = bench.server.receive(Incoming::new(body.to_string()));
        let first = tokio::spawn(hear(reply));
        runs.acquire().await.unwrap().forget();
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        bench.time.store(3_600, Ordering::SeqCst);
        let ending = async {
            if stop {
                bench.server.shutdown().await;
            } else {
                bench.server.sweep().await;
            }
        };
        let release = async {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            may_go.add_permits(1);
        };
        tokio::join!(ending, release);
        let reason = if stop { "shutdown" } else { "expired" };
        let end = format!("end client:probe {reason}");
        assert_eq!(taken(&seen), ["start client:probe probe", &end]);
    }
}

#[tokio::test]
async fn a_slow_end_holds_up_no_notice() {
    let idle = std::time::Duration::from_millis(1);
    let bench = Bench::with(|config| config.session_idle = idle);
    let client = bench.session().await;
    let stream = bench.server.open_stream(Some(&client.id)).unwrap();
    bench.session().await;
    let (runs, may_go) = held(&bench, HookEvent::SessionEnd);
    bench.time.store(61, Ordering::SeqCst);
    runs.acquire().await.unwrap().forget();
    bench.add_tool("news");
    assert!(stream.next().await.is_some());
    may_go.add_permits(2);
    bench.server.shutdown().await;
}

#[tokio::test]
async fn many_sessions_end_together() {
    let bench = Bench::new();
    let meeting = Arc::new(Barrier::new(8));
    let handler = Registration::future(HookEvent::SessionEnd, move |_| {
        let met = Arc::clone(&meeting);
        async move {
            met.wait().await;
            Ok(())
        }
    });
    let seen = watch(&bench);
    bench.catalog.hooks().register(handler.before_others());
    for _ in 0..16 {
        bench.session().await;
    }
    taken(&seen);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(4), bench.server.shutdown());
    assert!(ended.await.is_ok(), "they waited for each other");
    assert_eq!(taken(&seen).len(), 16);
}

/// A client of the stateless era may ask several things at once, with the first of all.
#[tokio::test]
async fn nothing_of_a_client_runs_before_hooks_have_heard_of_it() {
    let bench = Bench::new();
    let (runs, may_go) = held(&bench, HookEvent::SessionStart);
    let ran = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&ran);
    bench
        .catalog
        .hooks()
        .on(HookEvent::BeforeToolCall, move |_: &HookContext| {
            *counted.lock().unwrap() += 1;
            Ok(())
        });
    let call = modern_request("tools/call", json!({"name": "steps", "arguments": {}}));
    let list = modern_request("tools/list", json!({}));
    let asked = [&call, &call, &list, &call].map(|body| {
        let reply = bench.server.receive(Incoming::new(body.to_string()));
        tokio::spawn(hear(reply))
    });
    runs.acquire().await.unwrap().forget();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*ran.lock().unwrap(), 0);
    assert!(asked.iter().all(|asked| !asked.is_finished()));
    may_go.add_permits(1);
    for asked in asked {
        assert!(asked.await.unwrap().answer["result"].is_object());
    }
    assert_eq!(*ran.lock().unwrap(), 3);
    assert_eq!(runs.available_permits(), 0, "told once");
}

/// The tool had ended before anybody told the server to.
#[tokio::test(start_paused = true)]
async fn a_result_that_only_hooks_hold_up_is_given_by_a_server_that_ends() {
    for (takes, ends) in [(3, 3), (600, 10)] {
        let bench = Bench::new();
        let client = bench.session().await;
        let (runs, may_go) = held(&bench, HookEvent::AfterToolCall);
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "steps"}});
        let stateless = modern_request("tools/call", json!({"name": "steps", "arguments": {}}));
        let stateless = bench.server.receive(Incoming::new(stateless.to_string()));
        let calls = [client.start(&body), stateless].map(|reply| tokio::spawn(hear(reply)));
        runs.acquire_many(2).await.unwrap().forget();
        let began = tokio::time::Instant::now();
        let stop = bench.server.shutdown();
        let hook = async {
            tokio::time::sleep(std::time::Duration::from_secs(takes)).await;
            may_go.add_permits(2);
        };
        tokio::select! {
            () = stop => {}
            () = async { tokio::join!(hook, std::future::pending::<()>()); } => {}
        }
        assert_eq!(began.elapsed().as_secs(), ends, "{takes}");
        for call in calls {
            let heard = call.await.unwrap();
            let text = &heard.answer["result"]["content"][0]["text"];
            assert_eq!(text, "done", "{takes}: {}", heard.raw);
        }
    }
}

#[tokio::test]
async fn a_client_that_cancels_while_hooks_hear_of_the_result_gets_no_answer() {
    let bench = Bench::new();
    let client = bench.session().await;
    let (runs, may_go) = held(&bench, HookEvent::AfterToolCall);
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "steps"}});
    let call = tokio::spawn(hear(client.start(&body)));
    runs.acquire().await.unwrap().forget();
    client.cancel(json!(1)).await;
    may_go.add_permits(1);
    assert_eq!(call.await.unwrap().answer, json!(null));
}

/// A handler of an event that never answers and may take ten minutes.
fn hangs(bench: &Bench, event: HookEvent) {
    let hangs = Registration::future(event, |_| std::future::pending());
    let hangs = hangs.limit(std::time::Duration::from_mins(10));
    bench.catalog.hooks().register(hangs);
}

#[tokio::test(start_paused = true)]
async fn hooks_that_hang_hold_up_a_stop_for_six_seconds_and_what_keeps_is_first() {
    let bench = Bench::new();
    let seen = watch(&bench);
    for _ in 0..400 {
        bench.session().await;
    }
    taken(&seen);
    hangs(&bench, HookEvent::SessionEnd);
    let began = tokio::time::Instant::now();
    bench.server.shutdown().await;
    assert_eq!(began.elapsed().as_secs(), 6);
    assert_eq!(taken(&seen).len(), 400);
}

#[tokio::test(start_paused = true)]
async fn hooks_that_were_being_told_hold_up_a_stop_no_longer() {
    for event in [HookEvent::SessionStart, HookEvent::SessionEnd] {
        let bench = Bench::new();
        let client = bench.session().await;
        let (runs, _) = held(&bench, event);
        let waiting: Vec<Reply> = match event {
            HookEvent::SessionEnd => {
                let ending = bench.server.end_session(&client.id).now_or_never();
                assert_eq!(ending, None);
                Vec::new()
            }
            _ => ["initialize", "tools/list"]
                .map(|method| {
                    let body = match method {
                        "initialize" => json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"protocolVersion": "2025-11-25"}}),
                        _ => modern_request(method, json!({})),
                    };
                    bench.server.receive(Incoming::new(body.to_string()))
                })
                .into(),
        };
        let many = u32::try_from(waiting.len().max(1)).unwrap();
        let waiting: Vec<_> = waiting
            .into_iter()
            .map(|reply| tokio::spawn(hear(reply)))
            .collect();
        runs.acquire_many(many).await.unwrap().forget();
        let began = tokio::time::Instant::now();
        bench.server.shutdown().await;
        assert_eq!(began.elapsed().as_secs(), 6, "{event}");
        futures_util::future::join_all(waiting).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_session_of_a_transport_waits_six_seconds_for_its_hooks() {
    let bench = Bench::new();
    let client = bench.session().await;
    hangs(&bench, HookEvent::SessionEnd);
    let began = tokio::time::Instant::now();
    assert!(bench.server.end_last_session(&client.id).await);
    bench.server.shutdown().await;
    assert_eq!(began.elapsed().as_secs(), 6);
}
