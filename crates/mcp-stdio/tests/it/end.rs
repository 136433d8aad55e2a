//! How a connection ends, and what a reader that does not read costs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use metier_hooks::{HookEvent, Registration};
use metier_mcp_stdio::StdioEnd;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::bench::{Bench, call, modern, permit, request, within};

/// Whether a process is there, and more than an entry that waits to be collected.
fn is_alive(id: &str) -> bool {
    match std::fs::read_to_string(Path::new("/proc").join(id).join("stat")) {
        Ok(stat) => !stat
            .rsplit_once(')')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')),
        Err(_) => false,
    }
}

/// Says which processes it is, then stays.
const STAYS: &str = "sleep 300 &\necho \"::progress::{\\\"progress\\\": 1, \\\"message\\\": \\\"$$ $!\\\"}\" >&2\nwait\n";

#[tokio::test]
async fn the_end_of_the_input_kills_a_script_and_its_child() {
    for stateless in [false, true] {
        let bench = Bench::new();
        bench.skill("long", STAYS);
        let mut client = bench.client();
        if !stateless {
            client.initialize().await;
        }
        let fit = |message| if stateless { modern(message) } else { message };
        client
            .send(&fit(call(1, "load_skill", json!({"skill_name": "long"}))))
            .await;
        while client.next().await.get("id").is_none() {}
        let params = json!({"name": "long__go", "_meta": {"progressToken": 1}});
        client.send(&fit(request(2, "tools/call", params))).await;
        let progress = loop {
            let heard = client.next().await;
            if heard["method"] == "notifications/progress" {
                break heard;
            }
        };
        let ids = progress["params"]["message"].as_str().unwrap().to_owned();
        let (script, child) = ids.split_once(' ').unwrap();
        assert!(is_alive(script) && is_alive(child), "{ids}");
        let (end, rest) = client.close().await;
        assert_eq!((end, rest.as_str()), (StdioEnd::InputClosed, ""));
        assert!(!is_alive(script) && !is_alive(child), "{ids}");
    }
}

#[tokio::test]
async fn a_client_that_is_gone_ends_its_calls() {
    let bench = Bench::new();
    let mut client = bench.client();
    client.initialize().await;
    client.send(&call(1, "wait", json!({}))).await;
    permit(&bench.waiting).await;
    let mut input = client.input.take().unwrap();
    drop(client.output);
    // The end shows when something is written.
    let ping = format!("{}\n", request(2, "ping", json!({})));
    tokio::io::AsyncWriteExt::write_all(&mut input, ping.as_bytes())
        .await
        .unwrap();
    permit(&bench.stopped).await;
    let end = within("the end", client.serving).await.unwrap().unwrap();
    assert_eq!(
        (end, bench.server.session_count()),
        (StdioEnd::OutputClosed, 0)
    );
}

#[tokio::test]
async fn a_program_that_is_told_to_stop_ends_its_calls() {
    let bench = Bench::new();
    let stop = CancellationToken::new();
    let told = stop.clone();
    let mut client = bench.client_with(64 * 1024, |config| config.stop = told);
    client.initialize().await;
    client.send(&call(1, "wait", json!({}))).await;
    permit(&bench.waiting).await;
    stop.cancel();
    permit(&bench.stopped).await;
    let end = within("the end", client.serving).await.unwrap().unwrap();
    assert_eq!(end, StdioEnd::Stopped);
}

/// The tool had ended before anybody told the server to.
#[tokio::test]
async fn a_result_that_only_hooks_hold_up_is_written_at_the_end() {
    for by_signal in [true, false] {
        let bench = Bench::new();
        let (runs, may_go) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let gates = (Arc::clone(&runs), Arc::clone(&may_go));
        let handler = Registration::future(HookEvent::AfterToolCall, move |_| {
            let (runs, may_go) = gates.clone();
            async move {
                runs.add_permits(1);
                may_go.acquire().await.unwrap().forget();
                Ok(())
            }
        });
        let handler = handler.limit(Duration::from_mins(1));
        bench.catalog.hooks().register(handler);
        let stop = CancellationToken::new();
        let told = stop.clone();
        let mut client = bench.client_with(64 * 1024, |config| config.stop = told);
        client.initialize().await;
        client.send(&call(1, "talk", json!({}))).await;
        client.send(&call(2, "talk", json!({}))).await;
        client.send(&call(4, "wait", json!({}))).await;
        permit(&bench.waiting).await;
        permit(&runs).await;
        permit(&runs).await;
        // One that its client gave up before has none.
        let params = json!({"requestId": 1});
        let given_up =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        client.send(&given_up).await;
        client.send(&request(3, "ping", json!({}))).await;
        while client.next().await["id"] != 3 {}
        // No more input, and the hooks still at it.
        if by_signal {
            stop.cancel();
        } else {
            drop(client.input.take());
        }
        permit(&bench.stopped).await;
        may_go.add_permits(3);
        within("the end", client.serving).await.unwrap().unwrap();
        let mut rest = String::new();
        client.output.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest.lines().count(), 1, "{rest}");
        assert!(
            rest.starts_with(r#"{"jsonrpc":"2.0","id":2,"result":"#),
            "{rest}"
        );
    }
}

#[tokio::test]
async fn what_was_answered_before_the_end_is_written() {
    let bench = Bench::new();
    let mut client = bench.client();
    client
        .raw(
            modern(request(1, "server/discover", json!({})))
                .to_string()
                .as_bytes(),
        )
        .await;
    let (end, rest) = client.close().await;
    assert_eq!(end, StdioEnd::InputClosed);
    assert!(
        rest.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":"#),
        "{rest}"
    );
}

#[tokio::test]
async fn a_reader_that_stands_still_stops_the_intake_and_holds_up_no_end() {
    let bench = Bench::new();
    let stop = CancellationToken::new();
    let told = stop.clone();
    let mut client = bench.client_with(1024, |config| {
        config.stop = told;
        config.flush_time = Duration::from_millis(50);
    });
    client.initialize().await;
    // Big answers to requests that nobody reads: they wait, each with its request.
    for id in 0..64 {
        client
            .send(&call(id, "talk", json!({"size": 10_000})))
            .await;
    }
    // And small ones, which are answered where they are read: the intake comes to a halt.
    let input = client.input.as_mut().unwrap();
    let flood = async {
        loop {
            let ping = format!("{}\n", request("p", "ping", json!({})));
            tokio::io::AsyncWriteExt::write_all(input, ping.as_bytes())
                .await
                .unwrap();
        }
    };
    let halted = tokio::time::timeout(Duration::from_millis(200), flood).await;
    assert!(halted.is_err());
    stop.cancel();
    let end = within("the end", client.serving).await.unwrap().unwrap();
    assert_eq!(end, StdioEnd::Stopped);
}
