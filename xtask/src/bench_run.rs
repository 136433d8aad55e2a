//! `cargo xtask bench run`: what a call of a script costs over a bare spawn of it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::metadata::Metadata;
use crate::process::{cargo, step};
use crate::script_server::ScriptServer;
use crate::steps::{Outcome, Report};

const ROUNDS: usize = 5;
const CALLS: usize = 100;

pub(crate) fn run() -> Report {
    let bench = [
        "bench",
        "--quiet",
        "-p",
        "metier-runner",
        "--bench",
        "run",
        "--locked",
    ];
    let report = step(&mut cargo(&bench));
    if report.outcome != Outcome::Passed {
        return report;
    }
    match measure() {
        Ok((call, spawn)) => {
            println!(
                "tools/call over stdio {call:.2?}, bare spawn {spawn:.2?}, over it {:.2} ms (bound 2 ms)",
                (call.as_secs_f64() - spawn.as_secs_f64()) * 1e3
            );
            Report::passed()
        }
        Err(why) => Report::failed(why),
    }
}

/// The medians of a call and of a spawn, taken in turns.
fn measure() -> Result<(Duration, Duration), String> {
    let mut server = ScriptServer::start(&Metadata::read()?)?;
    let script = server.script();
    let (mut calls, mut spawns) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for _ in 0..CALLS {
            let started = Instant::now();
            server.call()?;
            server.answer()?;
            calls.push(started.elapsed());
        }
        for _ in 0..CALLS {
            let started = Instant::now();
            spawn(&script).map_err(|error| format!("bash: {error}"))?;
            spawns.push(started.elapsed());
        }
    }
    Ok((median(&mut calls), median(&mut spawns)))
}

fn spawn(script: &Path) -> std::io::Result<()> {
    let mut child = Command::new("bash")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(b"{\"n\":1}\n")?;
    }
    child.wait_with_output().map(drop)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
