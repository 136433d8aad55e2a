//! The queue for a main thread of this process.

use std::time::Duration;

use metier_host::queue;
use metier_skill_model::Affinity;
use metier_tool::{CallContext, HostExecutor as _, HostJob, ToolOutput};
use serde_json::Map;

fn job(name: &str) -> HostJob {
    HostJob::new(
        "demo",
        name,
        "demo".into(),
        "demo/x.py".into(),
        Affinity::Main,
        Map::new(),
    )
}

fn context() -> CallContext {
    CallContext::new("demo__x", "1")
}

#[tokio::test]
async fn calls_run_where_the_queue_is_and_in_their_order() {
    let (host, jobs) = queue(8);
    // Both are put into the queue by hand, so that the order is ours.
    let mut first = Box::pin(host.execute(job("a"), context()));
    assert!(futures_util::poll!(&mut first).is_pending());
    let mut second = Box::pin(host.execute(job("b"), context()));
    assert!(futures_util::poll!(&mut second).is_pending());
    let main = std::thread::spawn(move || {
        let mut order = Vec::new();
        let ran = jobs.run_pending(|job, _| {
            order.push(job.tool_name.clone());
            Ok(ToolOutput::text(job.tool_name.clone()))
        });
        (ran, order)
    });
    assert_eq!(
        main.join().unwrap(),
        (2, vec!["a".to_owned(), "b".to_owned()])
    );
    assert_eq!(first.await.unwrap().joined_text(), "a");
    assert_eq!(second.await.unwrap().joined_text(), "b");
}

#[tokio::test]
async fn a_full_queue_says_so_and_so_does_one_without_a_reader() {
    let (host, jobs) = queue(1);
    let mut waiting = Box::pin(host.execute(job("a"), context()));
    assert!(futures_util::poll!(&mut waiting).is_pending());
    let error = host.execute(job("b"), context()).await.unwrap_err();
    insta::assert_snapshot!(error, @"the application is busy: too many calls wait for its main thread; try again later");
    drop(jobs);
    insta::assert_snapshot!(waiting.await.unwrap_err(), @"the application takes no calls any more");
    insta::assert_snapshot!(host.execute(job("c"), context()).await.unwrap_err(), @"the application takes no calls any more");
}

#[tokio::test]
async fn a_caller_that_has_gone_is_passed_over_and_a_panic_is_one_call_s_error() {
    let (host, jobs) = queue(8);
    let mut gone = Box::pin(host.execute(job("gone"), context()));
    assert!(futures_util::poll!(&mut gone).is_pending());
    drop(gone);
    let mut bad = Box::pin(host.execute(job("bad"), context()));
    assert!(futures_util::poll!(&mut bad).is_pending());
    let mut good = Box::pin(host.execute(job("good"), context()));
    assert!(futures_util::poll!(&mut good).is_pending());
    let ran = std::thread::spawn(move || {
        jobs.run_pending(|job, _| {
            assert_ne!(job.tool_name, "bad", "broken on purpose");
            Ok(ToolOutput::text("fine"))
        })
    })
    .join()
    .unwrap();
    assert_eq!(ran, 2);
    insta::assert_snapshot!(bad.await.unwrap_err(), @"the application failed while it ran the tool `bad`");
    assert_eq!(good.await.unwrap().joined_text(), "fine");
}

#[tokio::test]
async fn the_deadline_counts_from_the_beginning_of_the_work() {
    let (host, jobs) = queue(8);
    let mut late = context();
    late.deadline = Some(Duration::from_millis(20));
    let mut call = Box::pin(host.execute(job("slow"), late));
    assert!(futures_util::poll!(&mut call).is_pending());
    let (end, wait) = std::sync::mpsc::channel::<()>();
    let main = std::thread::spawn(move || {
        jobs.run_pending(|_, _| {
            wait.recv().ok();
            Ok(ToolOutput::text("too late"))
        })
    });
    insta::assert_snapshot!(call.await.unwrap_err(), @"the application did not finish within 0.02 s; what it had begun may still go on there");
    drop(end);
    main.join().unwrap();
}
