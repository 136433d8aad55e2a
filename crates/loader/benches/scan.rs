//! How long a scan takes, as a ratio to walking the same folders and reading the same files.
//!
//! `cargo bench -p metier-loader --bench scan [FOLDER]`: without a folder, sets of 100, 1,000 and
//! 5,000 skills are written into a temporary one. The two sides take turns, and the medians are
//! compared; absolute times are printed for orientation only.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a bench prints and may stop at a broken disk"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use metier_loader::{ParseMode, Root, RootLabel, ScanCache, ScanReport, scan};

#[path = "floor/walk_and_read.rs"]
mod walk_and_read;

use walk_and_read::walk_and_read;

const ROUNDS: usize = 7;

fn main() {
    // The test runner of cargo hands over options such as `--bench`.
    let given = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    if let Some(folder) = given {
        compare(Path::new(&folder));
        return;
    }
    for count in [100, 1000, 5000] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_skills(folder.path(), count);
        compare(folder.path());
    }
}

fn compare(folder: &Path) {
    let roots = [Root::new(RootLabel::Explicit, folder)];
    let mut scans = Vec::new();
    let mut reads = Vec::new();
    let mut found = ScanReport::default();
    let mut files = 0;
    for _ in 0..ROUNDS {
        // Giving the memory of the last round back is no part of a scan.
        drop(std::mem::take(&mut found));
        scans.push(timed(|| found = scan(&roots, ParseMode::Lenient)));
        reads.push(timed(|| files = walk_and_read(folder)));
    }
    let (scan, read) = (median(scans), median(reads));
    let mut cache = ScanCache::new(roots.to_vec(), ParseMode::Lenient);
    cache.rescan();
    if cache.rescan().read > 0 {
        // Files written a moment ago are read once more, until a change of them could not hide.
        std::thread::sleep(Duration::from_secs(4));
        cache.rescan();
    }
    let rescans = (0..ROUNDS)
        .map(|_| timed(|| assert_eq!(cache.rescan().read, 0, "something changed")))
        .collect();
    let rescan = median(rescans);
    println!(
        "{} skills, {} rejected, {files} files read: scan {:.1} ms, walking and reading {:.1} ms, ratio {:.2}; \
         rescan {:.1} ms, {:.3} of a scan",
        found.skills.len(),
        found.rejected.len(),
        scan.as_secs_f64() * 1e3,
        read.as_secs_f64() * 1e3,
        scan.as_secs_f64() / read.as_secs_f64(),
        rescan.as_secs_f64() * 1e3,
        rescan.as_secs_f64() / scan.as_secs_f64(),
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Skills of the usual shape: nested metadata, three tools with schemas, one script.
fn write_skills(folder: &Path, count: usize) {
    const WORDS: [&str; 8] = [
        "mesh", "rig", "light", "camera", "texture", "cache", "shot", "cloth",
    ];
    let word = |number: usize| WORDS.get(number % WORDS.len()).copied().unwrap_or("scene");
    for number in 0..count {
        let (one, other) = (word(number), word(number / 8 + 3));
        let name = format!("{one}-{other}-{number:05}");
        let skill: PathBuf = folder.join(&name);
        fs::create_dir_all(skill.join("scripts")).expect("a folder");
        let head = format!(
            "---\nname: {name}\ndescription: \"Checks {one} and {other} data. Use it before a delivery.\"\n\
             license: MIT\nmetadata:\n  dcc-mcp:\n    dcc: maya\n    version: \"1.0.{}\"\n    \
             tags: [{one}, {other}, pipeline]\n    search-hint: \"{one}, {other}, {}\"\n    \
             search-aliases: [{one} maker, {other} helper]\n    tools: tools.yaml\n---\n# {name}\n\nBody text.\n",
            number % 10,
            word(number + 5),
        );
        fs::write(skill.join("SKILL.md"), head).expect("a file");
        let mut tools = "tools:\n".to_owned();
        for tool in 0..3 {
            tools.extend([format!(
                "  - name: check_{}_{tool}\n    description: \"check the {} with options\"\n    \
                 source_file: scripts/run.py\n    read_only: false\n    search_aliases: [{} thing]\n    \
                 input_schema:\n      type: object\n      properties:\n        \
                 radius: {{type: number, minimum: 0}}\n        name: {{type: string}}\n        \
                 count: {{type: integer, default: 1}}\n      required: [radius]\n",
                word(number + tool),
                word(number + tool),
                word(number + 2 * tool),
            )]);
        }
        fs::write(skill.join("tools.yaml"), tools).expect("a file");
        fs::write(
            skill.join("scripts/run.py"),
            "import json, sys\nprint(json.dumps(json.load(sys.stdin)))\n",
        )
        .expect("a file");
    }
}
