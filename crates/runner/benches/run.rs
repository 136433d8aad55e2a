//! What a run costs over a bare spawn of the same script, and how fast bytes pass through it.
//!
//! `cargo bench -p metier-runner --bench run`. The two sides take turns and medians are compared, so that a busy
//! machine is busy for both.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a bench prints and may stop at a broken machine"
)]

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use metier_runner::{
    EnvLookup, EnvironmentPolicy, Gate, Interpreters, Job, Limits, Quiet, Report, Watchdog,
};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 5;
const CALLS: usize = 100;
const MUCH: usize = 64 << 20;
/// How often much goes through: one such time is at the mercy of whatever else the machine does.
const TIMES: usize = 15;

fn main() {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == "__watchdog")
    {
        Watchdog::watch();
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = Runtime::new().expect("a runtime");
    // What a server with many skills holds makes forks dearer.
    let ballast = vec![1_u8; 64 << 20];

    let quick = script(
        folder.path(),
        "quick.sh",
        "read -r line\necho '{\"ok\": true}'\n",
    );
    let small: Map<String, Value> = [("n".to_owned(), 1.into())].into_iter().collect();
    let (mut runs, mut spawns) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for _ in 0..CALLS {
            let job = job(&quick, folder.path(), &small);
            runs.push(timed(|| _ = run(&runtime, job)));
        }
        for _ in 0..CALLS {
            spawns.push(timed(|| _ = spawn(&quick, &small)));
        }
    }
    let (run_time, spawn_time) = (median(&mut runs), median(&mut spawns));
    println!(
        "a quick script: run {run_time:.2?}, bare spawn {spawn_time:.2?}, over it {:.2} ms (bound 2 ms)",
        (run_time.as_secs_f64() - spawn_time.as_secs_f64()) * 1e3
    );

    let cat = script(folder.path(), "cat.sh", "exec cat\n");
    let large: Map<String, Value> = [("text".to_owned(), "x".repeat(MUCH).into())]
        .into_iter()
        .collect();
    let (mut runs, mut pipes) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        // The copy of the arguments is the caller's, not the runner's.
        let job = job(&cat, folder.path(), &large);
        runs.push(timed(|| {
            let report = run(&runtime, job);
            assert!(report.output_bytes > MUCH as u64, "something is lost");
        }));
        pipes.push(timed(|| {
            assert!(spawn(&cat, &large) > MUCH, "something is lost");
        }));
    }
    let (run_time, pipe_time) = (median(&mut runs), median(&mut pipes));
    println!(
        "64 MiB each way: run {run_time:.0?}, plain pipe {pipe_time:.0?}, {:.0} % of its speed (bound 80 %)",
        pipe_time.as_secs_f64() / run_time.as_secs_f64() * 100.0
    );
    drop(ballast);
}

fn script(folder: &Path, name: &str, source: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, source).expect("a script");
    path
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn job(script: &Path, folder: &Path, input: &Map<String, Value>) -> Job {
    let environment = EnvLookup::from_process();
    let program = Interpreters::default()
        .resolve(script, None, &environment)
        .expect("bash");
    let mut job = Job::new(program, folder);
    job.input.clone_from(input);
    job.environment = EnvironmentPolicy::default().filter(environment.vars());
    job
}

fn run(runtime: &Runtime, job: Job) -> Report {
    static GATE: std::sync::OnceLock<Gate> = std::sync::OnceLock::new();
    let gate =
        GATE.get_or_init(|| Gate::default().with_watchdog(Watchdog::this_program(["__watchdog"])));
    let limits = Limits {
        output_bytes: MUCH * 2,
        ..Limits::default()
    };
    let report = gate.run(job, &limits, CancellationToken::new(), Arc::new(Quiet));
    let report = runtime.block_on(report).expect("a run");
    assert_eq!(report.failure(), None);
    report
}

/// The same by hand: writes on a thread, reads all, waits. Counts the bytes.
fn spawn(script: &Path, input: &Map<String, Value>) -> usize {
    let mut child = Command::new("bash")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash");
    let text = serde_json::to_vec(input).expect("JSON");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut all = Vec::new();
    std::thread::scope(|scope| {
        // A script that does not read all is free to.
        scope.spawn(move || _ = stdin.write_all(&text));
        stdout.read_to_end(&mut all).expect("the output");
    });
    let _: Value = serde_json::from_slice(&all).expect("JSON");
    child.wait().expect("the end");
    all.len()
}
