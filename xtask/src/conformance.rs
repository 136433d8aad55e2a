//! `cargo xtask conformance`: the protocol's own conformance suite, on a server with the tools that it asks for.
//!
//! The server is an example of the facade, so that it has the public API alone. What must come of each scenario is in
//! `conformance/peer.json`; the suite's list of expected failures stays empty.

mod expectation;
pub(crate) mod suite;

use std::process::{Command, Stdio};

use crate::interop::{Kits, NODE, Server, Unavailable, empty};
use crate::metadata::Metadata;
use crate::process::{cargo, root, step};
use crate::steps::{Counts, Outcome, Report};
use expectation::Expectation;

/// Runs both requirement sets.
pub(crate) fn run(metadata: &Metadata) -> Report {
    let folder = metadata.target_directory.join("interop");
    let program = match Kits::new(&folder).program(NODE) {
        Ok(program) => program,
        Err(Unavailable::Unreachable(why)) => return Report::skipped(why),
        Err(Unavailable::Broken(why)) => return Report::failed(why),
    };
    let expectation = match Expectation::read(&root().join("conformance/peer.json")) {
        Ok(expectation) => expectation,
        Err(why) => return Report::failed(why),
    };
    let example = [
        "build",
        "--quiet",
        "-p",
        "metier",
        "--example",
        "conformance_server",
        "--locked",
    ];
    let built = step(&mut cargo(&example));
    if !matches!(built.outcome, Outcome::Passed) {
        return built;
    }
    let name = format!("conformance_server{}", std::env::consts::EXE_SUFFIX);
    let server = metadata.target_directory.join("debug/examples").join(name);
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    for revision in expectation.revisions() {
        let place = folder.join(format!("conformance-{revision}"));
        let found = empty(&place).and_then(|()| {
            let mut command = Command::new(&server);
            command.arg(root().join("fixtures/skills/demo"));
            // It serves until its standard input ends.
            let server = Server::spawn(command.stdin(Stdio::piped()), &place)?;
            let words = ["--requirements", revision];
            suite::run(&program, &server.url, &words, &place.join("checks"))
        });
        match found {
            Ok(tallies) => {
                let passed = tallies.values().map(|tally| tally.passed).sum::<usize>();
                println!(
                    "{revision}: {} scenarios, {passed} checks passed",
                    tallies.len()
                );
                let judged = expectation.judge(revision, &tallies);
                println!("{revision}: {}", judged.words());
                counts.passed += judged.held;
                faults.extend(judged.faults.iter().map(|why| format!("{revision}: {why}")));
            }
            Err(why) => faults.push(format!("{revision}: {why}")),
        }
    }
    counts.failed = u64::try_from(faults.len()).unwrap_or(u64::MAX);
    let outcome = if faults.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(faults.join("\n"))
    };
    Report::counted(outcome, counts)
}
