//! `cargo xtask bench WHAT`: figures against named peers, with the bars of the design beside them.
//!
//! Nothing here fails because a machine is slow: ratios come from sides that take turns in one run, absolute times are
//! for orientation, and the exit code only says whether there was something to measure.

mod figures;
mod instructions;
mod mcp;
mod scan;
mod search;
mod shelf;
mod written;

use clap::Subcommand;

use crate::steps::Report;

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Scanning folders of skills, against the published package and against walking and reading the same files.
    Scan {
        /// Print the figures as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Listing skills over the protocol: a first time against hashing the same files plainly, again against asking
    /// the system about them, and memory.
    Shelf {
        /// Print the figures as JSON.
        #[arg(long)]
        json: bool,
    },
    /// A call of a script over a bare spawn of the same script, and 64 MiB through one.
    Run,
    /// The server beside the official Rust SDK's and beside a fixed answer, and what it holds with thousands of skills.
    Mcp {
        /// Print the figures as JSON.
        #[arg(long)]
        json: bool,
    },
    /// A query beside tantivy at 1,000, 10,000 and 100,000 skills, and what the index holds.
    Search(search::SearchBench),
}

pub(crate) fn run(what: &Bench) -> Report {
    match what {
        Bench::Scan { json } => scan::run(*json),
        Bench::Shelf { json } => shelf::run(*json),
        Bench::Run => crate::bench_run::run(),
        Bench::Mcp { json } => mcp::run(*json),
        Bench::Search(options) => search::run(options),
    }
}
