//! Standard output as a result, standard error as progress and log.

use std::sync::Arc;
use std::time::Duration;

use metier_runner::{Exit, Limits, Output, Progress, run};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stage::{Heard, Stage, go, json, patient, wait_for};

#[tokio::test]
async fn json_of_any_type_is_the_result() {
    for (shell, expected) in [
        ("echo '[1, 2]'", Output::Json(json!([1, 2]))),
        ("echo '\"text\"'", Output::Json(json!("text"))),
        ("echo 3", Output::Json(json!(3))),
        ("echo null", Output::Json(json!(null))),
        ("exit 0", Output::Empty),
        ("echo done", Output::Text("done".to_owned())),
    ] {
        let report = Stage::new("go.sh", shell).run().await;
        assert_eq!((report.failure(), report.output), (None, expected));
    }
}

#[tokio::test]
async fn lines_before_and_after_come_apart() {
    let stage = Stage::python(
        "print('loading plugins {3 of 3}')\nprint('{\"step\": 1}')\nprint('{\"success\": false}')\nprint('bye')\n",
    );
    let report = stage.run().await;
    assert_eq!(json(&report), &json!({ "success": false }));
    assert_eq!(report.noise, "loading plugins {3 of 3}\n{\"step\": 1}\nbye");
}

#[tokio::test]
async fn marks_and_colours_are_no_matter() {
    for printed in [
        &b"\xef\xbb\xbf{\"success\": true}\n"[..],
        b"\x1b[32m{\"success\": true}\x1b[0m\n",
    ] {
        let stage =
            Stage::python("import sys\nsys.stdout.buffer.write(open('printed', 'rb').read())\n");
        std::fs::write(stage.path("printed"), printed).unwrap();
        let report = stage.run().await;
        assert_eq!(json(&report), &json!({ "success": true }));
        assert_eq!(report.noise, "");
        assert!(!report.replaced_bytes);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_and_flagged() {
    let stage =
        Stage::python("import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\xc4\\xe3 tail\\n')\n");
    let report = stage.run().await;
    let Output::Text(text) = &report.output else {
        panic!("{report:?}")
    };
    assert!(text.ends_with(" tail") && report.replaced_bytes);
}

#[tokio::test]
async fn a_flood_is_dropped_while_the_script_goes_on() {
    let stage = Stage::python(
        "for _ in range(50):\n    print('球' * 333_333)\nopen('ended', 'w').close()\n",
    );
    let limits = Limits {
        output_bytes: 100_000,
        ..patient()
    };
    let report = go(stage.job(), &limits).await;
    assert_eq!(report.exit, Exit::Code(0));
    assert!(stage.path("ended").exists());
    let Output::Truncated {
        head,
        tail,
        dropped,
        limit,
    } = &report.output
    else {
        panic!("{report:?}")
    };
    assert_eq!(*limit, 100_000);
    assert_eq!(
        head.len() as u64 + dropped + tail.len() as u64,
        50 * 1_000_000
    );
    assert_eq!(report.dropped_bytes, *dropped);
    assert!(head.chars().all(|character| character == '球') && tail.ends_with("球\n"));
    assert!(!report.replaced_bytes);
    let failure = report.failure().unwrap();
    assert!(failure.contains("over the limit of 97.6 KiB"), "{failure}");
}

#[tokio::test]
async fn endless_output_ends_at_the_deadline() {
    let stage = Stage::new(
        "go.sh",
        "exec yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
    );
    let limits = Limits {
        deadline: Duration::from_millis(1500),
        output_bytes: 100_000,
        ..Limits::default()
    };
    let report = go(stage.job(), &limits).await;
    assert_eq!(
        report.exit,
        Exit::DeadlineExceeded {
            limit: limits.deadline
        }
    );
    assert!(
        report.elapsed < Duration::from_secs(10),
        "{:?}",
        report.elapsed
    );
    let failure = report.describe_failure().unwrap();
    assert!(
        failure.contains("time limit of 1.5 s") && failure.contains("bytes were dropped"),
        "{failure}"
    );
    assert!(failure.len() < 20_000);
}

#[tokio::test]
async fn a_flood_on_one_stream_does_not_hide_the_other() {
    let stage = Stage::new(
        "go.sh",
        "yes &\nread -t 0.3 < <(sleep 600)\necho here >&2\nwait\n",
    );
    let heard = Arc::new(Heard::default());
    let (cancel, limits) = (CancellationToken::new(), patient());
    let call = run(stage.job(), &limits, cancel.clone(), heard.clone());
    let cancelling = async {
        wait_for("the other stream", || {
            (!heard.lines.lock().unwrap().is_empty()).then_some(())
        })
        .await;
        cancel.cancel();
    };
    let (report, ()) = tokio::join!(call, cancelling);
    assert_eq!(report.unwrap().stderr_tail.text, "here");
}

#[tokio::test]
async fn a_failure_keeps_both_streams() {
    let stage = Stage::python(
        "import sys\nfor n in range(200):\n    print('step', n)\nraise SystemExit('no scene')\n",
    );
    let report = stage.run().await;
    assert_eq!(report.exit, Exit::Code(1));
    let text = report.describe_failure().unwrap();
    assert!(
        text.contains("exit code 1") && text.contains("step 199") && text.contains("no scene"),
        "{text}"
    );
}

#[tokio::test]
async fn progress_and_log_lines_are_heard() {
    let stage = Stage::python(
        "import sys\n\
         print('::progress:: {\"progress\": 1, \"total\": 2, \"message\": \"烘焙\"}', file=sys.stderr)\n\
         print('a warning', file=sys.stderr)\n\
         print('::progress:: {\"progress\": 2, \"total\": 2}', file=sys.stderr)\n\
         print('{}')\n",
    );
    let heard = Arc::new(Heard::default());
    let report = run(
        stage.job(),
        &patient(),
        CancellationToken::new(),
        heard.clone(),
    )
    .await
    .unwrap();
    let step = |progress, message: Option<&str>| Progress {
        progress,
        total: Some(2.0),
        message: message.map(Into::into),
    };
    assert_eq!(
        *heard.progress.lock().unwrap(),
        [step(1.0, Some("烘焙")), step(2.0, None)]
    );
    assert_eq!(*heard.lines.lock().unwrap(), ["a warning"]);
    assert_eq!(report.stderr_tail.text, "a warning");
}
