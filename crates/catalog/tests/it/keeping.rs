//! What was answered is kept, where somebody keeps it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bench_folder::Bench;

/// Every call that changes what is loaded, in an order in which each does.
fn changes() -> [(&'static str, Value); 4] {
    let group = json!({"skill_name": "set", "group": "g"});
    [
        ("load_skill", json!({"skill_name": "set"})),
        ("deactivate_tool_group", group.clone()),
        ("activate_tool_group", group),
        ("unload_skill", json!({"skill_name": "set"})),
    ]
}

#[tokio::test]
async fn an_answer_waits_until_it_is_kept() {
    let bench = Bench::with_a_group();
    let mut events = bench.catalog.subscribe();
    let keeper = bench.catalog.keeper(Duration::from_hours(1));
    for (tool, arguments) in changes() {
        let answer = bench.structured(tool, arguments);
        tokio::pin!(answer);
        let event = tokio::select! {
            biased;
            answer = &mut answer => panic!("{tool} was answered before it was kept: {answer}"),
            event = events.recv() => event.unwrap(),
        };
        // A moment later is not too early either.
        for _ in 0..100 {
            tokio::select! {
                biased;
                answer = &mut answer => panic!("{tool} was answered before it was kept: {answer}"),
                () = tokio::task::yield_now() => {}
            }
        }
        keeper.kept(event.generation);
        assert_eq!(answer.await.get("diagnostics"), None, "{tool}");
    }
}

#[tokio::test]
async fn a_slow_or_broken_disk_costs_the_promise_and_not_the_answer() {
    let bench = Bench::with_a_group();
    let slow = bench.catalog.keeper(Duration::from_millis(1));
    for (tool, arguments) in changes() {
        let answer = bench.structured(tool, arguments).await;
        let found = &answer["diagnostics"][0];
        assert_eq!(found["code"], "MT509", "{tool}: {answer}");
        assert_eq!(
            found["message"],
            "done, and not on the server's disk yet: saving takes longer than 1 ms"
        );
    }
    drop(slow);
    let broken = bench.catalog.keeper(Duration::from_hours(1));
    broken.failed(u64::MAX);
    let answer = bench
        .structured("load_skill", json!({"skill_name": "set"}))
        .await;
    assert_eq!(answer["loaded"], json!(["set"]));
    assert_eq!(
        answer["diagnostics"][0]["message"],
        "done, and not on the server's disk yet: it could not be saved"
    );
    // Whoever kept it has ended.
    drop(broken);
    let answer = bench
        .structured("unload_skill", json!({"skill_name": "set"}))
        .await;
    assert_eq!(answer.get("diagnostics"), None);
}
