//! One measurement of the loader in a process of its own; `cargo xtask bench scan` starts it.
//!
//! `measure scan|rescan|read FOLDER` prints one line of JSON: milliseconds, how many skills or files, and the most memory
//! that the process held. A fresh process each time keeps the memory of one side away from the other.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "it prints, and may stop at a broken disk"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use metier_loader::{ParseMode, Root, RootLabel, ScanCache, scan};

#[path = "../benches/floor/walk_and_read.rs"]
mod walk_and_read;

use walk_and_read::walk_and_read;

fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder] = words.as_slice() else {
        println!("usage: measure scan|rescan|read FOLDER");
        return std::process::ExitCode::from(2);
    };
    let folder = Path::new(folder);
    let roots = [Root::new(RootLabel::Explicit, folder)];
    let (taken, found, rejected) = match what.as_str() {
        "scan" => {
            let (taken, report) = timed(|| scan(&roots, ParseMode::Lenient));
            (taken, report.skills.len(), report.rejected.len())
        }
        "rescan" => rescan(&roots),
        "read" => {
            let (taken, files) = timed(|| walk_and_read(folder));
            (taken, files, 0)
        }
        _ => {
            println!("usage: measure scan|rescan|read FOLDER");
            return std::process::ExitCode::from(2);
        }
    };
    println!(
        "{{\"milliseconds\": {:.3}, \"found\": {found}, \"rejected\": {rejected}, \"peak_kib\": {}}}",
        taken.as_secs_f64() * 1e3,
        peak_kib()
    );
    std::process::ExitCode::SUCCESS
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// A scan of what is known already: the median of five, once nothing has to be read.
fn rescan(roots: &[Root]) -> (Duration, usize, usize) {
    let mut cache = ScanCache::new(roots.to_vec(), ParseMode::Lenient);
    cache.rescan();
    // Files written a moment ago are read once more, until a change of them could not hide.
    for _ in 0..10 {
        if cache.rescan().read == 0 {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..5 {
        let (taken, delta) = timed(|| cache.rescan());
        assert!(delta.is_empty() && delta.read == 0, "something changed");
        found = delta.report.skills.len();
        times.push(taken);
    }
    times.sort_unstable();
    (times.get(2).copied().unwrap_or_default(), found, 0)
}

/// The most memory that this process held, in KiB; 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse().ok())
        .unwrap_or(0)
}
