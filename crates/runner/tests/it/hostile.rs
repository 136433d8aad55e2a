//! Scripts that do their worst: each ends in one clear report, in bounded time, and nothing of it is left.

use std::time::{Duration, Instant};

use metier_runner::{Exit, Limits, Output};
use serde_json::json;

use crate::stage::{Stage, go, gone, json, patient, pids, wait_for};

fn at_once() -> Limits {
    Limits {
        deadline: Duration::from_millis(400),
        grace: Duration::from_millis(50),
        ..Limits::default()
    }
}

#[tokio::test]
async fn closed_outputs_are_no_end() {
    let script = "import os, time\nopen('pid', 'w').write(f'{os.getpid()}\\n')\nos.close(1); os.close(2); os.close(0)\ntime.sleep(600)\n";
    let stage = Stage::python(script);
    let report = go(stage.job(), &at_once()).await;
    assert!(
        matches!(report.exit, Exit::DeadlineExceeded { .. }),
        "{report:?}"
    );
    gone(pids(&stage.path("pid"), 1).await[0]).await;
}

#[tokio::test]
async fn a_daemon_that_holds_the_pipes_stays_and_delays_nothing() {
    // Two forks and a session of its own: by the rules of the system it is nobody's child any more.
    let script = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        open('pid.new', 'w').write(f'{os.getpid()}\\n'); os.rename('pid.new', 'pid')\n        time.sleep(600)\n    os._exit(0)\nwhile not os.path.exists('pid'): time.sleep(0.01)\nprint('{\"started\": true}')\n";
    let stage = Stage::python(script);
    let begun = Instant::now();
    let report = stage.run().await;
    assert_eq!(*json(&report), json!({"started": true}));
    assert!(begun.elapsed() < Duration::from_secs(10), "{report:?}");
    let daemon = pids(&stage.path("pid"), 1).await[0];
    assert!(crate::stage::is_alive(daemon), "it meant to stay");
    let ended = std::process::Command::new("kill")
        .arg(daemon.to_string())
        .status();
    assert!(ended.unwrap().success());
}

#[tokio::test]
async fn a_gibibyte_is_counted_and_not_kept() {
    let script = "import os\npiece = b'x' * (1 << 20)\nfor _ in range(1024): os.write(1, piece)\n";
    let stage = Stage::python(script);
    let memory = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = status.split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    };
    let before = memory();
    let report = stage.run().await;
    assert_eq!(report.exit, Exit::Code(0));
    assert_eq!(report.output_bytes, 1 << 30);
    assert!(matches!(report.output, Output::Truncated { .. }));
    // Other tests of this process need some as well.
    assert!(memory().saturating_sub(before) < 256 << 20);
}

#[tokio::test]
async fn half_a_character_at_the_end_is_replaced() {
    let stage = Stage::python(
        "import os\nos.write(1, '球'.encode()[:2])\nos.write(2, '球'.encode()[:2])\n",
    );
    let report = stage.run().await;
    assert_eq!(report.output, Output::Text("\u{fffd}".into()));
    assert!(report.replaced_bytes);
    assert_eq!(report.stderr_tail.text.trim(), "\u{fffd}");
}

#[tokio::test]
async fn of_two_objects_the_last_counts_on_one_line_or_two() {
    for between in ["\\n", " ", ""] {
        let stage = Stage::python(&format!("print('{{\"n\": 1}}{between}{{\"n\": 2}}')\n"));
        let report = stage.run().await;
        assert_eq!(*json(&report), json!({"n": 2}), "{between:?}");
    }
}

#[tokio::test]
async fn a_hundred_thousand_brackets_are_no_stack_overflow() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[", ""), ("{\"a\":[", "")] {
        let close = close.repeat(100_000);
        let script = format!(
            "print('{open}' * 100000 + '{}' + '{}')\n",
            if open.ends_with(':') { "1" } else { "" },
            close
        );
        let report = Stage::python(&script).run().await;
        assert_eq!(report.exit, Exit::Code(0));
        assert!(
            !matches!(report.output, Output::Json(_) | Output::Empty),
            "{open}: {:.200}",
            format!("{report:?}")
        );
    }
}

#[tokio::test]
async fn numbers_that_are_none_are_read() {
    let script = "import json, math\nprint(json.dumps({'a': math.nan, 'b': [math.inf, -math.inf], 'big': 10**400}))\n";
    let report = Stage::python(script).run().await;
    assert_eq!(report.failure(), None, "{report:?}");
    let value = json(&report);
    assert_eq!(
        (&value["a"], &value["b"]),
        (&json!(null), &json!([null, null]))
    );
    assert!(!report.notes.is_empty(), "what was changed is told");
}

#[tokio::test]
async fn a_flood_of_errors_and_progress_blocks_nothing() {
    let script = "import sys\nfor n in range(200000):\n    sys.stderr.write('x' * 200 + '\\n')\nsys.stderr.write('::progress::' * 100000)\nprint('{\"done\": true}')\n";
    let report = Stage::python(script).run().await;
    assert_eq!(*json(&report), json!({"done": true}));
    assert!(report.stderr_tail.cut);
}

#[tokio::test]
async fn sixty_four_megabytes_that_nobody_reads_do_not_hold_the_answer() {
    let stage = Stage::python("print('{\"read\": 0}')\n");
    let mut job = stage.job();
    job.input.insert("text".into(), "x".repeat(64 << 20).into());
    assert_eq!(*json(&go(job, &patient()).await), json!({"read": 0}));
    // And of one that neither reads nor ends, the deadline makes an end.
    let stage = Stage::python("import time\ntime.sleep(600)\n");
    let mut job = stage.job();
    job.input.insert("text".into(), "x".repeat(64 << 20).into());
    let begun = Instant::now();
    let report = go(job, &at_once()).await;
    assert!(matches!(report.exit, Exit::DeadlineExceeded { .. }));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_script_may_leave_or_remove_its_folder() {
    let script = "import os, shutil\nhere = os.getcwd()\nos.chdir('/')\nshutil.rmtree(here)\nprint('{\"left\": true}')\n";
    let stage = Stage::python(script);
    assert_eq!(*json(&stage.run().await), json!({"left": true}));
    assert!(!stage.folder.path().exists());
    // A shell script that fails is looked through for CRLF; here it is gone by then.
    let stage = Stage::new("go.sh", "rm -rf \"$PWD\"; exit 3\n");
    let report = stage.run().await;
    assert_eq!(report.exit, Exit::Code(3));
    assert!(!report.crlf_hint);
}

#[tokio::test]
async fn whoever_stops_itself_or_its_helpers_is_ended_at_the_deadline() {
    // A stopped process takes no polite signal.
    let script = "import os, signal, time\nchild = os.fork()\nif child == 0:\n    time.sleep(600)\nopen('pids', 'w').write(f'{os.getpid()}\\n{child}\\n')\nos.kill(child, signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)\n";
    let stage = Stage::python(script);
    let report = go(stage.job(), &at_once()).await;
    assert!(
        matches!(report.exit, Exit::DeadlineExceeded { .. }),
        "{report:?}"
    );
    for id in pids(&stage.path("pids"), 2).await {
        gone(id).await;
    }
}

#[tokio::test]
async fn a_leader_that_ends_at_once_does_not_take_its_helpers_words_or_time() {
    // The helper writes for ever; the leader has gone with a result.
    let script = "(while :; do echo noise; done) &\necho '{\"ok\": true}'\n";
    let stage = Stage::new("go.sh", script);
    let begun = Instant::now();
    let report = go(stage.job(), &patient()).await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{report:?}");
    assert_eq!(report.exit, Exit::Code(0));
    wait_for("nothing to be left", || {
        let script = stage.path("go.sh");
        let left = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            std::fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(script.to_str().unwrap()))
        });
        (!left).then_some(())
    })
    .await;
}
