//! `cargo xtask bench shelf`: how long `skills/list` takes, and how much memory a server holds that has answered it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::figures::Bar;
use super::written::written;
use crate::metadata::Metadata;
use crate::process::{capture, cargo, step};
use crate::steps::{Outcome, Report};

const COUNTS: [usize; 2] = [1_000, 10_000];
/// What a guide and a picture of a skill have, each.
const BYTES: usize = 4_096;
/// The most memory of a server with so many skills, in MiB.
const MEMORY: [f64; 2] = [60.0, 200.0];

/// Medians of one process, in milliseconds.
#[derive(Debug, Serialize, Deserialize)]
struct Times {
    skills: usize,
    files: usize,
    file_bytes: f64,
    answer_bytes: f64,
    first_ms: f64,
    hashing_ms: f64,
    again_ms: f64,
    asking_ms: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Memory {
    skills: usize,
    before_kib: f64,
    listed_kib: f64,
}

/// Everything that is printed.
#[derive(Debug, Serialize)]
struct Figures {
    times: Vec<Times>,
    memory: Vec<Memory>,
    bars: Vec<Bar>,
}

pub(crate) fn run(json: bool) -> Report {
    let figures = match measured() {
        Ok(figures) => figures,
        Err(why) => return Report::failed(why),
    };
    if json {
        match serde_json::to_string_pretty(&figures) {
            Ok(text) => println!("{text}"),
            Err(error) => return Report::failed(error.to_string()),
        }
    } else {
        print(&figures);
    }
    Report::passed()
}

fn measured() -> Result<Figures, String> {
    let metadata = Metadata::read()?;
    let program = built(&metadata)?;
    let place = metadata.target_directory.join("bench-shelf");
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for count in COUNTS {
        let folder = written(&place, count, Some(BYTES))?;
        let measured: Times = measure(&program, "times", &folder)?;
        if measured.skills != count {
            return Err(format!("of {count} skills {} were found", measured.skills));
        }
        times.push(measured);
        memory.push(measure(&program, "memory", &folder)?);
    }
    Ok(Figures {
        bars: bars(&times, &memory),
        times,
        memory,
    })
}

fn built(metadata: &Metadata) -> Result<PathBuf, String> {
    let build = [
        "build",
        "--quiet",
        "--release",
        "--locked",
        "-p",
        "metier-mcp",
        "--example",
        "list_skills",
    ];
    if let Outcome::Failed(why) = step(&mut cargo(&build)).outcome {
        return Err(why);
    }
    let examples = metadata.target_directory.join("release").join("examples");
    Ok(examples.join(format!("list_skills{}", std::env::consts::EXE_SUFFIX)))
}

fn measure<T: DeserializeOwned>(program: &Path, what: &str, folder: &Path) -> Result<T, String> {
    let text = capture(Command::new(program).arg(what).arg(folder))?;
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| format!("no figures ({error}) in `{last}`"))
}

fn bars(times: &[Times], memory: &[Memory]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for row in times {
        let count = row.skills;
        let what = format!("{count} skills: a first listing over hashing the same files");
        bars.push(Bar::new(what, row.first_ms / row.hashing_ms, 2.0));
        let what =
            format!("{count} skills: a listing of what is known over asking about the same files");
        bars.push(Bar::new(what, row.again_ms / row.asking_ms, 4.0));
    }
    if let [small, large] = times {
        let each = |row: &Times| row.again_ms / row.answer_bytes;
        let what = "growth of the time for a byte of the list (1 is linear)";
        bars.push(Bar::new(what, each(large) / each(small), 1.5));
    }
    for (row, most) in memory.iter().zip(MEMORY) {
        let what = format!(
            "{} skills: MiB of a server that has listed them",
            row.skills
        );
        bars.push(Bar::new(what, row.listed_kib / 1024.0, most));
    }
    bars
}

/// Megabytes a second.
fn rate(bytes: f64, milliseconds: f64) -> f64 {
    bytes / 1e3 / milliseconds
}

fn print(figures: &Figures) {
    println!("skills   files   MB in files     first   hashing      again    asking   MB in lists");
    for row in &figures.times {
        println!(
            "{:6}  {:6}  {:12.1} {:6.0} ms {:6.0} ms {:7.1} ms {:6.1} ms  {:12.1}",
            row.skills,
            row.files,
            row.file_bytes / 1e6,
            row.first_ms,
            row.hashing_ms,
            row.again_ms,
            row.asking_ms,
            row.answer_bytes / 1e6,
        );
        println!(
            "        first {:.0} MB/s of files, hashing {:.0} MB/s, again {:.0} MB/s of answers",
            rate(row.file_bytes, row.first_ms),
            rate(row.file_bytes, row.hashing_ms),
            rate(row.answer_bytes, row.again_ms),
        );
    }
    for row in &figures.memory {
        println!(
            "{} skills: {:.1} MiB before, {:.1} MiB after listing",
            row.skills,
            row.before_kib / 1024.0,
            row.listed_kib / 1024.0
        );
    }
    println!();
    for bar in &figures.bars {
        println!("{}", bar.line());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_in_megabytes_a_second() {
        assert!((rate(2e6, 1000.0) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn each_bar_is_made_of_the_sides_that_it_names() {
        let row = |skills, times: [f64; 4], answer_bytes| Times {
            skills,
            files: 1,
            file_bytes: 1.0,
            answer_bytes,
            first_ms: times[0],
            hashing_ms: times[1],
            again_ms: times[2],
            asking_ms: times[3],
        };
        let times = [
            row(1, [3.0, 2.0, 8.0, 2.0], 10.0),
            row(10, [50.0, 20.0, 160.0, 32.0], 100.0),
        ];
        let memory = [Memory {
            skills: 1,
            before_kib: 0.0,
            listed_kib: 61.0 * 1024.0,
        }];
        let held: Vec<bool> = bars(&times, &memory).iter().map(|bar| bar.holds).collect();
        assert_eq!(held, [true, true, false, false, false, false]);
    }
}
