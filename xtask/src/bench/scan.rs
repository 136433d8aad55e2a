//! `cargo xtask bench scan`: how long it takes to find and read skills, and how much memory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::Serialize;

use super::figures::{Bar, Sample, median, sample};
use super::written::written;
use crate::metadata::Metadata;
use crate::metier_binary;
use crate::process::{cargo, root, step};
use crate::steps::{Outcome, Report};
use crate::venv::{self, VenvError};

/// The published package that is measured beside us.
const PEER: &str = "dcc-mcp-core==0.20.49";
const COUNTS: [usize; 3] = [100, 1000, 5000];
const ROUNDS: usize = 5;

/// The figures for one number of skills: medians, in milliseconds and KiB.
#[derive(Debug, Serialize)]
struct Row {
    skills: usize,
    scan: f64,
    peer: Option<f64>,
    walk_and_read: f64,
    rescan: f64,
    peak_kib: u64,
    peer_peak_kib: Option<u64>,
}

/// Everything that is printed.
#[derive(Debug, Serialize)]
struct Figures {
    peer: &'static str,
    rounds: usize,
    rows: Vec<Row>,
    check_1000_ms: f64,
    bars: Vec<Bar>,
}

struct Sides {
    measure: PathBuf,
    /// The Python of the peer's environment; `None` when the package cannot be had.
    peer: Option<PathBuf>,
}

pub(crate) fn run(json: bool) -> Report {
    match measured() {
        Ok(figures) => {
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
        Err(why) => Report::failed(why),
    }
}

fn measured() -> Result<Figures, String> {
    let metadata = Metadata::read()?;
    let sides = sides(&metadata)?;
    let metier = metier_binary::build(&metadata, true)?;
    let place = metadata.target_directory.join("bench-scan");
    let mut rows = Vec::new();
    for count in COUNTS {
        let folder = written(&place, count, None)?;
        rows.push(sides.row(&folder, count)?);
    }
    let check = check(&metier, &place.join("1000"))?;
    Ok(Figures {
        peer: PEER,
        rounds: ROUNDS,
        bars: bars(&rows, check),
        rows,
        check_1000_ms: check,
    })
}

fn sides(metadata: &Metadata) -> Result<Sides, String> {
    let build = [
        "build",
        "--quiet",
        "--release",
        "--locked",
        "-p",
        "metier-loader",
        "--example",
        "measure",
    ];
    if let Outcome::Failed(why) = step(&mut cargo(&build)).outcome {
        return Err(why);
    }
    let name = format!("measure{}", std::env::consts::EXE_SUFFIX);
    let peer = match venv::ensure(&metadata.target_directory.join("bench-peer"), &[PEER]) {
        Ok(programs) => Some(programs.join("python")),
        Err(VenvError::Unreachable(why)) => {
            eprintln!("SKIPPED the peer: {why}");
            None
        }
        Err(VenvError::Broken(why)) => return Err(why),
    };
    Ok(Sides {
        measure: metadata
            .target_directory
            .join("release")
            .join("examples")
            .join(name),
        peer,
    })
}

impl Sides {
    /// The sides take turns, each time in a fresh process: whatever disturbs the machine disturbs them alike.
    fn row(&self, folder: &Path, count: usize) -> Result<Row, String> {
        let (mut scans, mut peers, mut reads) = (Vec::new(), Vec::new(), Vec::new());
        // A first reading brings the files into the system's cache.
        self.ours("read", folder)?;
        for _ in 0..ROUNDS {
            let scan = self.ours("scan", folder)?;
            if (scan.found, scan.rejected) != (count, 0) {
                return Err(format!("of {count} skills the scan found {}", scan.found));
            }
            scans.push(scan);
            if let Some(python) = &self.peer {
                let script = root().join("xtask/bench/peer_scan.py");
                let peer = sample(Command::new(python).arg(script).arg(folder))?;
                if peer.found != count {
                    return Err(format!("of {count} skills the peer found {}", peer.found));
                }
                peers.push(peer);
            }
            reads.push(self.ours("read", folder)?);
        }
        let none = "no sample";
        let scan = median(scans).ok_or(none)?;
        let peer = median(peers);
        Ok(Row {
            skills: count,
            scan: scan.milliseconds,
            peer: peer.map(|peer| peer.milliseconds),
            walk_and_read: median(reads).ok_or(none)?.milliseconds,
            rescan: self.ours("rescan", folder)?.milliseconds,
            peak_kib: scan.peak_kib,
            peer_peak_kib: peer.map(|peer| peer.peak_kib),
        })
    }

    fn ours(&self, what: &str, folder: &Path) -> Result<Sample, String> {
        sample(Command::new(&self.measure).arg(what).arg(folder))
    }
}

/// The time of a whole `metier check`, start of the process included.
fn check(metier: &Path, folder: &Path) -> Result<f64, String> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let output = Command::new(metier)
            .args(["check", "--format", "json"])
            .arg(folder)
            .output()
            .map_err(|error| format!("the check did not start: {error}"))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if output.status.code() == Some(2) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the check failed: {}", said.trim_end()));
        }
    }
    times.sort_by(f64::total_cmp);
    times
        .get(ROUNDS / 2)
        .copied()
        .ok_or_else(|| "no sample".to_owned())
}

fn bars(rows: &[Row], check: f64) -> Vec<Bar> {
    let mut bars = Vec::new();
    for row in rows {
        let count = row.skills;
        if let Some(peer) = row.peer {
            let what = format!("{count} skills: a scan over the peer's scan_and_load");
            bars.push(Bar::new(what, row.scan / peer, 0.2));
        }
        let what = format!("{count} skills: a scan over walking and reading");
        bars.push(Bar::new(what, row.scan / row.walk_and_read, 4.0));
        let what = format!("{count} skills: a rescan with nothing changed over a scan");
        bars.push(Bar::new(what, row.rescan / row.scan, 0.1));
    }
    bars.extend(growth(rows));
    let what = "seconds for a check of 1000 skills, its process included";
    bars.push(Bar::new(what, check / 1e3, 0.3));
    bars
}

/// Memory for each further skill between the two largest sets, over that between the two smallest: 1 is linear.
fn growth(rows: &[Row]) -> Option<Bar> {
    let [small, middle, large] = rows else {
        return None;
    };
    let each = |one: &Row, other: &Row| {
        let more = other.peak_kib.checked_sub(one.peak_kib)?;
        let skills = other.skills.checked_sub(one.skills)?;
        Some(f64::from(u32::try_from(more).ok()?) / f64::from(u32::try_from(skills).ok()?))
    };
    let (first, second) = (each(small, middle)?, each(middle, large)?);
    (first > 0.0).then(|| Bar::new("growth of memory (1 is linear)", second / first, 1.25))
}

fn print(figures: &Figures) {
    println!(
        "Medians of {} rounds in turn; the peer is {}.\n",
        figures.rounds, figures.peer
    );
    println!("skills      scan      peer  walk+read    rescan      peak  peer's peak");
    for row in &figures.rows {
        let peer = row
            .peer
            .map_or_else(|| "none".to_owned(), |time| format!("{time:.1} ms"));
        let peer_peak = row
            .peer_peak_kib
            .map_or_else(|| "none".to_owned(), |kib| format!("{} MiB", kib / 1024));
        println!(
            "{:6} {:6.1} ms {peer:>9} {:7.1} ms {:6.2} ms {:5} MiB {peer_peak:>12}",
            row.skills,
            row.scan,
            row.walk_and_read,
            row.rescan,
            row.peak_kib / 1024,
        );
    }
    println!("\ncheck of 1000 skills: {:.0} ms\n", figures.check_1000_ms);
    for bar in &figures.bars {
        println!("{}", bar.line());
    }
}
