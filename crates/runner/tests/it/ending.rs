//! The end of a script and of everything it started.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use metier_runner::{Exit, Limits, Quiet, run};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::stage::{Stage, go, gone, is_alive, json, patient, pids, python, wait_for};

/// Writes its own process id and that of a child that shares its pipes, then hangs.
const FAMILY: &str = "\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
with open('pids.part', 'w') as file:
    file.write(f'{os.getpid()}\\n{child.pid}\\n')
os.rename('pids.part', 'pids')
time.sleep(600)
";

#[tokio::test]
async fn a_hanging_script_ends_at_the_deadline() {
    let stage = Stage::new("go.sh", "echo $$ > pid.part; mv pid.part pid\nsleep 600\n");
    let limits = Limits {
        deadline: Duration::from_millis(1500),
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
        report.elapsed >= limits.deadline && report.elapsed < Duration::from_secs(10),
        "{:?}",
        report.elapsed
    );
    assert!(!is_alive(pids(&stage.path("pid"), 1).await[0]));
}

#[tokio::test]
async fn a_deaf_script_is_killed_after_the_grace() {
    let stage = Stage::python(
        "import os, signal, time\n\
         signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
         print(os.getpid(), flush=True)\n\
         open('ready', 'w').close()\n\
         while True:\n    time.sleep(600)\n",
    );
    let limits = Limits {
        grace: Duration::from_millis(300),
        ..patient()
    };
    let started = Instant::now();
    let report = stage.cancel_at("ready", &limits).await;
    assert_eq!(report.exit, Exit::Cancelled);
    assert!(started.elapsed() >= limits.grace, "the grace was not given");
    assert!(
        report.elapsed < Duration::from_secs(20),
        "{:?}",
        report.elapsed
    );
    let pid = u32::try_from(json(&report).as_u64().unwrap()).unwrap();
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn the_grace_is_for_saying_goodbye() {
    // Short sleeps: a signal that comes just before a long one is seen only after it.
    let stage = Stage::python(
        "import signal, sys, time\n\
         signal.signal(signal.SIGTERM, lambda *_: (print('{\"saved\": 7}', flush=True), sys.exit(0)))\n\
         open('ready', 'w').close()\n\
         while True:\n    time.sleep(0.05)\n",
    );
    let limits = Limits {
        grace: Duration::from_secs(20),
        ..patient()
    };
    let report = stage.cancel_at("ready", &limits).await;
    assert_eq!(report.exit, Exit::Cancelled);
    assert_eq!(json(&report), &json!({ "saved": 7 }));
    assert_eq!(
        report.failure().unwrap(),
        "the call was cancelled and the script was ended"
    );
    assert!(
        report.elapsed < Duration::from_secs(20),
        "the grace was waited for though all had ended"
    );
}

#[tokio::test]
async fn the_grace_is_for_helpers_too() {
    // The shell dies at once; the helper that does its work is still tidying up.
    let stage = Stage::new("go.sh", "\"$PYTHON\" helper.py\necho '{\"saved\": 0}'\n");
    std::fs::write(
        stage.path("helper.py"),
        "import signal, sys, time\n\
         def tidy(*_):\n    time.sleep(0.2)\n    print('{\"saved\": 7}', flush=True)\n    sys.exit(0)\n\
         signal.signal(signal.SIGTERM, tidy)\n\
         open('ready', 'w').close()\n\
         while True:\n    time.sleep(0.05)\n",
    )
    .unwrap();
    let cancel = CancellationToken::new();
    let limits = Limits {
        grace: Duration::from_secs(20),
        ..patient()
    };
    let mut job = stage.job();
    job.environment.push(("PYTHON".into(), python().into()));
    let call = run(job, &limits, cancel.clone(), Arc::new(Quiet));
    let cancelling = async {
        wait_for("the helper", || stage.path("ready").exists().then_some(())).await;
        cancel.cancel();
    };
    let report = tokio::join!(call, cancelling).0.unwrap();
    assert_eq!(json(&report), &json!({ "saved": 7 }));
}

#[tokio::test]
async fn cancel_ends_child_and_grandchild() {
    let stage = Stage::python(FAMILY);
    let cancel = CancellationToken::new();
    let limits = patient();
    let call = run(stage.job(), &limits, cancel.clone(), Arc::new(Quiet));
    let cancelling = async {
        let ids = pids(&stage.path("pids"), 2).await;
        cancel.cancel();
        ids
    };
    let (report, ids) = tokio::join!(call, cancelling);
    assert_eq!(report.unwrap().exit, Exit::Cancelled);
    for pid in ids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_dropped_future_ends_child_and_grandchild() {
    let stage = Stage::python(FAMILY);
    let job = stage.job();
    let call = tokio::spawn(async move {
        run(job, &patient(), CancellationToken::new(), Arc::new(Quiet)).await
    });
    let ids = pids(&stage.path("pids"), 2).await;
    assert!(ids.iter().all(|pid| is_alive(*pid)));
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    for pid in ids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipes_does_not_delay_the_answer() {
    let stage = Stage::new(
        "go.sh",
        "sleep 600 &\necho $! > pid.part; mv pid.part pid\necho '{\"success\": true}'\n",
    );
    let started = Instant::now();
    let report = go(stage.job(), &patient()).await;
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        (report.exit.clone(), json(&report)),
        (Exit::Code(0), &json!({ "success": true }))
    );
    // What is left in the group goes with the answer.
    gone(pids(&stage.path("pid"), 1).await[0]).await;
}

#[tokio::test]
async fn what_a_helper_still_writes_after_the_script_is_read() {
    let stage = Stage::new(
        "go.sh",
        "exec > >(while read -r line; do sleep 0.05; echo \"$line\"; done)\necho '{\"success\": true}'\n",
    );
    let limits = Limits {
        drain: Duration::from_secs(20),
        ..patient()
    };
    let report = go(stage.job(), &limits).await;
    assert_eq!(json(&report), &json!({ "success": true }));
    assert!(
        report.elapsed < Duration::from_secs(15),
        "the end of the pipes was not seen"
    );
}

#[tokio::test]
async fn a_deaf_grandchild_is_killed_after_the_grace() {
    let stage = Stage::new(
        "go.sh",
        "(trap '' TERM; echo $BASHPID > pid.part; mv pid.part pid; while :; do sleep 1; done) &\nwait\n",
    );
    let limits = Limits {
        grace: Duration::from_millis(300),
        ..patient()
    };
    let report = stage.cancel_at("pid", &limits).await;
    assert_eq!(report.exit, Exit::Cancelled);
    gone(pids(&stage.path("pid"), 1).await[0]).await;
}

/// Under job control a shell puts what it starts in the background into a group of its own.
const JOB_CONTROL: &str = "\
set -m
sleep 600 &
echo $! > pid.part; mv pid.part pid
";

#[tokio::test]
async fn what_left_the_group_goes_with_the_answer() {
    let stage = Stage::new("go.sh", JOB_CONTROL);
    let report = stage.run().await;
    assert_eq!(report.exit, Exit::Code(0), "{report:?}");
    gone(pids(&stage.path("pid"), 1).await[0]).await;
}

#[tokio::test]
async fn what_left_the_group_goes_at_cancel_however_long_it_ran() {
    let stage = Stage::new("go.sh", format!("{JOB_CONTROL}wait\n"));
    let report = stage.cancel_at("pid", &patient()).await;
    assert_eq!(report.exit, Exit::Cancelled);
    assert!(!is_alive(pids(&stage.path("pid"), 1).await[0]));
}

#[tokio::test]
async fn a_shower_of_orphans_is_killed_to_the_last() {
    // Each child starts the next in a new group and ends: no look at the table sees them all.
    let stage = Stage::python(
        "import os, sys\n\
         while True:\n\
         \x20   if os.fork():\n\
         \x20       os._exit(0)\n\
         \x20   os.setpgid(0, 0)\n\
         \x20   open('going', 'a').close()\n",
    );
    let limits = Limits {
        drain: Duration::from_millis(50),
        ..patient()
    };
    let report = go(stage.job(), &limits).await;
    assert_eq!(report.exit, Exit::Code(0));
    let started = Instant::now();
    while anything_from(stage.folder.path()) {
        assert!(started.elapsed() < Duration::from_secs(20), "one is left");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_program_in_a_session_of_its_own_stays() {
    let stage = Stage::python(
        "import os, subprocess, sys\n\
         child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n\
         print(child.pid)\n",
    );
    let report = go(stage.job(), &patient()).await;
    let pid = u32::try_from(json(&report).as_u64().unwrap()).unwrap();
    assert!(is_alive(pid));
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(pid.try_into().unwrap()),
        nix::sys::signal::SIGKILL,
    )
    .unwrap();
}

#[tokio::test]
async fn death_by_signal_is_named_and_output_kept() {
    for (signal, name) in [
        ("SIGKILL", "SIGKILL (signal 9)"),
        ("SIGSEGV", "SIGSEGV (signal 11)"),
    ] {
        let stage = Stage::python(&format!(
            "import os, signal\nprint('before', flush=True)\nos.kill(os.getpid(), signal.{signal})\n"
        ));
        let report = stage.run().await;
        assert_eq!(
            report.failure().unwrap(),
            format!("the script was killed by {name}")
        );
        assert_eq!(report.stdout_tail.text, "before");
    }
}

#[tokio::test]
async fn a_job_cancelled_before_its_start_never_starts() {
    let stage = Stage::python("open('started', 'w').close()\n");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let report = run(stage.job(), &patient(), cancel, Arc::new(Quiet))
        .await
        .unwrap();
    assert_eq!(
        (report.exit, report.elapsed),
        (Exit::Cancelled, Duration::ZERO)
    );
    assert!(!stage.path("started").exists());
}

/// Whether any process was started with this folder in its command line.
fn anything_from(folder: &Path) -> bool {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .any(|pid: u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(folder.to_str().unwrap()) && is_alive(pid)
        })
}

#[test]
fn a_future_dropped_at_any_moment_leaves_nothing_behind() {
    let stage = Stage::new("go.sh", "echo started >> log\nsleep 600\n");
    for moment in 0..40 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let limits = patient();
        runtime.block_on(async {
            let call = run(
                stage.job(),
                &limits,
                CancellationToken::new(),
                Arc::new(Quiet),
            );
            let moment = Duration::from_micros(200 * moment);
            assert!(tokio::time::timeout(moment, call).await.is_err());
        });
        // The runtime waits for the thread that was starting the script.
        drop(runtime);
    }
    let started = Instant::now();
    while anything_from(stage.folder.path()) {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "a script is left"
        );
        std::thread::yield_now();
    }
}
