//! Many calls at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use metier_runner::{Exit, Gate, Limits, Quiet, RunError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stage::{Stage, json, patient, wait_for};

/// Leaves a file in `running` while it runs, and tells how many others it saw there.
const COUNTED: &str = "\
import json, os, sys, time
n = json.load(sys.stdin)['n']
mine = f'running/{n}'
open(mine, 'w').close()
seen = 0
for _ in range(5):
    seen = max(seen, len(os.listdir('running')))
    time.sleep(0.01)
os.remove(mine)
print(json.dumps({'n': n, 'seen': seen}))
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_calls_share_eight_places() {
    let stage = Stage::python(COUNTED);
    std::fs::create_dir(stage.path("running")).unwrap();
    let handles = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let gate = Gate::new(8);
    let mut before = 0;
    for round in 0..2 {
        let calls: Vec<_> = (0..50)
            .map(|n| {
                let (gate, mut job) = (gate.clone(), stage.job());
                job.input.insert("n".into(), n.into());
                tokio::spawn(async move {
                    gate.run(job, &patient(), CancellationToken::new(), Arc::new(Quiet))
                        .await
                })
            })
            .collect();
        let mut most = 0;
        for (n, call) in calls.into_iter().enumerate() {
            let report = call.await.unwrap().unwrap();
            assert_eq!(json(&report)["n"], json!(n));
            most = most.max(json(&report)["seen"].as_u64().unwrap());
        }
        assert!((1..=8).contains(&most), "{most} at once");
        assert_eq!(gate.free(), 8);
        if round == 0 {
            before = handles();
        }
    }
    // Other tests of this process open and close handles of their own meanwhile.
    wait_for("the handles to be given back", || {
        (handles() <= before + 40).then_some(())
    })
    .await;
}

#[tokio::test]
async fn whoever_came_first_starts_first() {
    let script =
        "import json, sys\nn = json.load(sys.stdin)['n']\nopen('order', 'a').write(f'{n}\\n')\n";
    let stage = Stage::python(script);
    let gate = Gate::new(1);
    let mut calls = Vec::new();
    for n in 0..12 {
        let (gate, mut job) = (gate.clone(), stage.job());
        job.input.insert("n".into(), n.into());
        calls.push(tokio::spawn(async move {
            gate.run(job, &patient(), CancellationToken::new(), Arc::new(Quiet))
                .await
        }));
        // One thread: the call goes as far as it can, which is into the queue.
        tokio::task::yield_now().await;
    }
    for call in calls {
        let report = call.await.unwrap().unwrap();
        assert!(report.failure().is_none());
    }
    let order = std::fs::read_to_string(stage.path("order")).unwrap();
    let expected: Vec<_> = (0..12).map(|n| n.to_string()).collect();
    assert_eq!(order.lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn whoever_asks_once_does_not_wait_for_all_calls_of_another() {
    let script =
        "import json, sys\nn = json.load(sys.stdin)['n']\nopen('order', 'a').write(f'{n}\\n')\n";
    let stage = Stage::python(script);
    let gate = Gate::new(1);
    let mut calls = Vec::new();
    for (n, asker) in ["a", "a", "a", "a", "b"].into_iter().enumerate() {
        let (gate, mut job) = (gate.clone(), stage.job());
        job.input.insert("n".into(), n.into());
        job.asker = Some(asker.into());
        calls.push(tokio::spawn(async move {
            gate.run(job, &patient(), CancellationToken::new(), Arc::new(Quiet))
                .await
        }));
        tokio::task::yield_now().await;
    }
    for call in calls {
        assert!(call.await.unwrap().unwrap().failure().is_none());
    }
    let order = std::fs::read_to_string(stage.path("order")).unwrap();
    assert_eq!(order.lines().collect::<String>(), "01423");
}

#[tokio::test]
async fn the_deadline_starts_with_the_script_and_cancel_reaches_the_queue() {
    let stage = Stage::new("go.sh", "exec sleep 600\n");
    let gate = Gate::new(0);
    let limits = Limits {
        deadline: Duration::from_millis(500),
        ..patient()
    };
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let first = gate.run(
        stage.job(),
        &limits,
        CancellationToken::new(),
        Arc::new(Quiet),
    );
    let second = gate.run(
        stage.job(),
        &limits,
        CancellationToken::new(),
        Arc::new(Quiet),
    );
    let third = gate.run(stage.job(), &limits, cancel.clone(), Arc::new(Quiet));
    let cancelling = async {
        wait_for("the first to take the place", || {
            (gate.free() == 0).then_some(())
        })
        .await;
        cancel.cancel();
    };
    let (first, second, third, ()) = tokio::join!(first, second, third, cancelling);
    for report in [first.unwrap(), second.unwrap()] {
        assert_eq!(
            report.exit,
            Exit::DeadlineExceeded {
                limit: limits.deadline
            }
        );
        assert!(report.elapsed >= limits.deadline);
    }
    assert!(
        started.elapsed() >= limits.deadline * 2,
        "the second did not wait, or its wait was counted"
    );
    assert_eq!(
        third.unwrap().failure().unwrap(),
        "the call was cancelled before the script started"
    );
}

#[tokio::test]
async fn the_queue_is_bounded_in_jobs_and_bytes_and_a_cancelled_job_leaves_it() {
    let stage = Stage::new("go.sh", "exec sleep 600\n");
    let gate = Gate::new(1).with_queue(2, 1_000);
    let limits = patient();
    let call = |bytes: usize, cancel: &CancellationToken| {
        let (gate, limits, cancel) = (gate.clone(), limits.clone(), cancel.clone());
        let mut job = stage.job();
        job.input.insert("text".into(), "x".repeat(bytes).into());
        tokio::spawn(async move { gate.run(job, &limits, cancel, Arc::new(Quiet)).await })
    };
    let (first, second, third) = (
        CancellationToken::new(),
        CancellationToken::new(),
        CancellationToken::new(),
    );
    let running = call(0, &first);
    wait_for("the place to be taken", || (gate.free() == 0).then_some(())).await;
    let waiting = call(600, &second);
    wait_for("the first to wait", || (gate.waiting() == 1).then_some(())).await;

    let refused = call(600, &third).await.unwrap().unwrap_err();
    assert!(
        matches!(refused, RunError::Busy { waiting: 1 }),
        "{refused}"
    );
    let small = call(10, &third);
    wait_for("the second to wait", || (gate.waiting() == 2).then_some(())).await;
    let refused = call(10, &third).await.unwrap().unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the server is busy: all places for scripts are taken, and 2 calls wait already, which is all that may; try again in a few seconds"
    );

    second.cancel();
    assert_eq!(waiting.await.unwrap().unwrap().exit, Exit::Cancelled);
    assert_eq!(gate.waiting(), 1, "a cancelled job keeps its room");
    let large = call(600, &second.child_token());
    assert_eq!(large.await.unwrap().unwrap().exit, Exit::Cancelled);
    first.cancel();
    third.cancel();
    for call in [running, small] {
        assert_eq!(call.await.unwrap().unwrap().exit, Exit::Cancelled);
    }
    assert_eq!((gate.waiting(), gate.free()), (0, 1));
}
