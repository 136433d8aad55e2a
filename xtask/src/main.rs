//! The project's own chores, run as `cargo xtask COMMAND`.
//!
//! `ci` runs every check in order; `layers` holds the crates to their ranks; `tidy` looks at the text of the tree;
//! `gen` writes the files that come from the code; `check-skills` checks skills; `corpus` checks those of published
//! packages; `conformance` runs the protocol's own suite; `interop` drives the server with other people's clients; `bench`
//! measures; `search-eval` measures search on labelled queries, `protocol-eval` the way from a task to its skill. Each command is one file.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person at the terminal, and to nothing else"
)]

mod bench;
mod bench_run;
mod check_skills;
mod ci;
mod conformance;
mod corpus;
mod corpus_audit;
mod finding;
mod flat;
mod generate;
mod interop;
mod layers;
mod lib_shape;
mod metadata;
mod metier_binary;
mod npm;
mod process;
mod protocol_eval;
mod script_server;
mod search_eval;
mod search_eval_calibrate;
mod search_eval_changes;
mod search_eval_data;
mod search_eval_score;
mod search_eval_speed;
mod steps;
mod tidy;
mod tidy_rules;
mod venv;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The project's own chores")]
struct Arguments {
    #[command(subcommand)]
    command: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Run every check in order and stop at the first that fails.
    Ci {
        /// Also run the long checks: each crate's tests alone, the clients that take long to build.
        #[arg(long)]
        full: bool,
        /// Only steps whose name holds this.
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
    /// Hold the crates' dependencies against layers.toml and docs/architecture.md.
    Layers,
    /// Look at the text of every tracked file.
    Tidy,
    /// Write the rule pages and the JSON Schemas.
    Gen {
        /// Only tell which files are not as they would be written.
        #[arg(long)]
        check: bool,
    },
    /// Check skills: `metier check`, built from this tree, with its options and exit codes.
    CheckSkills {
        /// Folders and options.
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "DIR"
        )]
        arguments: Vec<String>,
    },
    /// Check the skills of published packages and of further folders, and print figures.
    Corpus {
        /// Further folders.
        #[arg(value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
    /// Rank labelled queries and print how good the lists are, overall and by slice.
    SearchEval(search_eval::SearchEval),
    /// Measure what skills cost a context, and how many labelled queries reach their skill, by stage.
    ProtocolEval(protocol_eval::ProtocolEval),
    /// Measure, against named peers.
    Bench {
        #[command(subcommand)]
        what: bench::Bench,
    },
    /// Hold a server on the public API against the protocol's own conformance suite, in both protocol eras.
    Conformance,
    /// Serve skills and drive the server with other people's clients, in both protocol eras.
    Interop {
        /// Also those that take long to build: the official Rust client.
        #[arg(long)]
        full: bool,
        /// Only clients whose name holds this.
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// Skills of your own, one in each folder of it: each client that can reads and verifies every file, and the
        /// conformance suite looks at them; nothing else is driven.
        #[arg(long, value_name = "DIR")]
        skills: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let passed = match Arguments::parse().command {
        Chore::Ci { full, only } => ci::run(full, &only),
        Chore::Layers => alone(layers::run()),
        Chore::Tidy => alone(tidy::run()),
        Chore::Gen { check } => alone(generate::run(check)),
        Chore::CheckSkills { arguments } => return check_skills::run(&arguments),
        Chore::Corpus { folders } => alone(corpus::run(&folders)),
        Chore::SearchEval(options) => alone(search_eval::run(&options)),
        Chore::ProtocolEval(options) => alone(protocol_eval::run(&options)),
        Chore::Bench { what } => alone(bench::run(&what)),
        Chore::Conformance => alone(with_metadata(conformance::run)),
        Chore::Interop { full, only, skills } => alone(match skills {
            Some(folder) => interop::run_on(&folder, full, &only),
            None => interop::run(full, &only),
        }),
    };
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn with_metadata(chore: fn(&metadata::Metadata) -> steps::Report) -> steps::Report {
    match metadata::Metadata::read() {
        Ok(metadata) => chore(&metadata),
        Err(why) => steps::Report::failed(why),
    }
}

/// Tells how one chore ended when it was started by itself. A skip is no failure, but it is said.
fn alone(report: steps::Report) -> bool {
    match report.outcome {
        steps::Outcome::Passed => true,
        steps::Outcome::Skipped(why) => {
            println!("SKIPPED: {why}");
            true
        }
        steps::Outcome::Failed(why) => {
            eprintln!("failed: {why}");
            false
        }
    }
}
