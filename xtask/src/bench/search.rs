//! `cargo xtask bench search`: how long a query takes beside tantivy, and what an index costs.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::figures::Bar;
use super::instructions::{self, Instructions};
use crate::metadata::Metadata;
use crate::process::{capture, cargo_at, root};
use crate::steps::Report;

const COUNTS: [usize; 3] = [1_000, 10_000, 100_000];

/// What is searched.
#[derive(Debug, Args)]
pub(crate) struct SearchBench {
    /// Skills of your own, one JSON object a line, in place of written ones.
    #[arg(long, value_name = "FILE", requires = "queries")]
    corpus: Option<PathBuf>,
    /// Queries of your own, one JSON object with `query` a line.
    #[arg(long, value_name = "FILE", requires = "corpus")]
    queries: Option<PathBuf>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
}

/// The times of one side, in microseconds and milliseconds.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
struct Side {
    p50_us: f64,
    p99_us: f64,
    built_ms: f64,
}

#[derive(Debug, Deserialize, Serialize)]
struct Times {
    skills: usize,
    lexical: Side,
    fused: Side,
    tantivy: Side,
    /// Adding one skill to a copy of the product's index.
    one_more_ms: f64,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
struct Allocations {
    p50: u64,
    most: u64,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
struct Held {
    bytes_a_skill: i64,
    allocations_a_query: Allocations,
}

#[derive(Debug, Deserialize, Serialize)]
struct Memory {
    skills: usize,
    lexical: Held,
    fused: Held,
}

#[derive(Debug, Serialize)]
struct Figures {
    times: Vec<Times>,
    memory: Vec<Memory>,
    instructions: Option<Vec<Instructions>>,
    bars: Vec<Bar>,
}

pub(crate) fn run(options: &SearchBench) -> Report {
    match measured(options) {
        Ok(figures) if options.json => match serde_json::to_string_pretty(&figures) {
            Ok(text) => {
                println!("{text}");
                Report::passed()
            }
            Err(error) => Report::failed(error.to_string()),
        },
        Ok(figures) => {
            print(&figures);
            Report::passed()
        }
        Err(why) => Report::failed(why),
    }
}

fn measured(options: &SearchBench) -> Result<Figures, String> {
    let target = Metadata::read()?.target_directory.join("bench-search");
    let package = root().join("xtask/peers/tantivy");
    let mut build = cargo_at(&package);
    build
        .args(["build", "--release", "--locked", "--quiet"])
        .env("CARGO_TARGET_DIR", &target);
    capture(&mut build)?;
    let programs = target.join("release");
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for count in COUNTS {
        times.push(figures(&programs, "time", count, options)?);
        memory.push(figures(&programs, "memory", count, options)?);
    }
    let instructions = instructions::counted(&programs)?;
    let mut bars = bars(&times, &memory);
    match &instructions {
        Some(counted) => bars.extend(instructions::bars(counted)?),
        None => eprintln!("SKIPPED the count of instructions: `valgrind` is not installed"),
    }
    Ok(Figures {
        times,
        memory,
        instructions,
        bars,
    })
}

fn figures<F: for<'de> Deserialize<'de>>(
    programs: &Path,
    name: &str,
    count: usize,
    options: &SearchBench,
) -> Result<F, String> {
    let program = programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    command.arg(count.to_string());
    command.args(options.corpus.iter().chain(&options.queries));
    let text = capture(&mut command)?;
    serde_json::from_str(&text).map_err(|error| format!("no figures ({error}) in `{text}`"))
}

fn bars(times: &[Times], memory: &[Memory]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for row in times {
        let count = row.skills;
        let peer = row.tantivy.p50_us;
        bars.push(Bar::new(
            format!("{count} skills: a query by words over tantivy's, p50"),
            row.lexical.p50_us / peer,
            1.0,
        ));
        bars.push(Bar::new(
            format!("{count} skills: the product's query over tantivy's, p50"),
            row.fused.p50_us / peer,
            3.0,
        ));
        match count {
            10_000 => bars.push(Bar::new(
                "seconds to build the product's index of 10000 skills",
                row.fused.built_ms / 1e3,
                1.0,
            )),
            100_000 => bars.push(Bar::new(
                "milliseconds to add one skill to 100000",
                row.one_more_ms,
                5.0,
            )),
            _ => {}
        }
    }
    bars.extend(allocations(memory));
    bars
}

/// An allocation for each posting would make this grow with the number of skills.
fn allocations(memory: &[Memory]) -> Option<Bar> {
    let (first, last) = (memory.first()?, memory.last()?);
    let of = |row: &Memory| row.fused.allocations_a_query.p50;
    let ratio =
        f64::from(u32::try_from(of(last)).ok()?) / f64::from(u32::try_from(of(first)).ok()?);
    let what = format!(
        "allocations of a query at {} skills over those at {}, p50",
        last.skills, first.skills
    );
    Some(Bar::new(what, ratio, 1.5))
}

fn print(figures: &Figures) {
    println!("Medians of five rounds in turn, ten hits a query.\n");
    println!(
        " skills           words        product        tantivy   built: product / tantivy   one more"
    );
    for row in &figures.times {
        println!(
            "{:7} {} {} {}   {:11.0} / {:.0} ms {:11.2} ms",
            row.skills,
            pair(row.lexical),
            pair(row.fused),
            pair(row.tantivy),
            row.fused.built_ms,
            row.tantivy.built_ms,
            row.one_more_ms,
        );
    }
    println!("         (p50 / p99 in microseconds)\n");
    println!(
        " skills   bytes a skill: words / product   allocations a query, p50: words / product"
    );
    for row in &figures.memory {
        println!(
            "{:7} {:21} / {} {:30} / {}",
            row.skills,
            row.lexical.bytes_a_skill,
            row.fused.bytes_a_skill,
            row.lexical.allocations_a_query.p50,
            row.fused.allocations_a_query.p50,
        );
    }
    println!();
    for row in figures.instructions.iter().flatten() {
        println!(
            "{:7} skills: {} instructions a query",
            row.skills, row.a_query
        );
    }
    println!();
    for bar in &figures.bars {
        println!("{}", bar.line());
    }
}

fn pair(side: Side) -> String {
    format!("{:6.0} / {:5.0}", side.p50_us, side.p99_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(p50_us: f64) -> Side {
        Side {
            p50_us,
            p99_us: p50_us,
            built_ms: 900.0,
        }
    }

    #[test]
    fn the_bars_are_those_of_the_design() {
        let held = |p50| Held {
            bytes_a_skill: 1,
            allocations_a_query: Allocations { p50, most: p50 },
        };
        let row = |skills| Times {
            skills,
            lexical: side(50.0),
            fused: side(310.0),
            tantivy: side(100.0),
            one_more_ms: 5.5,
        };
        let memory = |skills, count| Memory {
            skills,
            lexical: held(count),
            fused: held(count),
        };
        let lines: Vec<String> = bars(
            &[row(1_000), row(10_000), row(100_000)],
            &[memory(1_000, 40), memory(100_000, 80)],
        )
        .iter()
        .map(Bar::line)
        .collect();
        let missed: Vec<&String> = lines
            .iter()
            .filter(|line| line.starts_with("MISSED"))
            .collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(missed.len(), 5, "{lines:#?}");
        assert!(
            lines
                .last()
                .is_some_and(|line| line.contains("2.000, at most 1.500"))
        );
    }
}
