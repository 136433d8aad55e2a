//! How many instructions a query takes, counted by callgrind: the one figure that a busy machine does not change.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::figures::Bar;

/// The figures that the present tree is held against; written by hand when a change is meant.
const RECORDED: &str = include_str!("../../bench/search_instructions.json");
const COUNTS: [usize; 2] = [1_000, 10_000];

/// The mean over the written queries.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
pub(super) struct Instructions {
    pub(super) skills: usize,
    pub(super) a_query: u64,
}

/// `None` where callgrind is not installed.
pub(super) fn counted(programs: &Path) -> Result<Option<Vec<Instructions>>, String> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(None);
    }
    let program = programs.join(format!("work{}", std::env::consts::EXE_SUFFIX));
    let mut counted = Vec::new();
    for skills in COUNTS {
        let (once, queries) = run(&program, skills, 1)?;
        let (thrice, _) = run(&program, skills, 3)?;
        let a_query = thrice.saturating_sub(once) / (2 * queries.max(1));
        counted.push(Instructions { skills, a_query });
    }
    Ok(Some(counted))
}

/// What was counted, and how many queries there are.
fn run(program: &Path, skills: usize, times: usize) -> Result<(u64, u64), String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([skills.to_string(), times.to_string()])
        .output()
        .map_err(|error| format!("valgrind did not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let queries = String::from_utf8_lossy(&output.stdout).trim().parse();
    match (collected(&said), queries) {
        (Some(counted), Ok(queries)) => Ok((counted, queries)),
        _ => Err(format!("callgrind counted nothing: {}", said.trim())),
    }
}

/// The number behind `Collected :`.
fn collected(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("Collected :")?;
    rest.split_whitespace().next()?.parse().ok()
}

pub(super) fn bars(counted: &[Instructions]) -> Result<Vec<Bar>, String> {
    let recorded: Vec<Instructions> = serde_json::from_str(RECORDED)
        .map_err(|error| format!("search_instructions.json: {error}"))?;
    let bars = counted.iter().filter_map(|now| {
        let before = recorded.iter().find(|before| before.skills == now.skills)?;
        let thousands = |row: &Instructions| u32::try_from(row.a_query / 100).map(f64::from).ok();
        let what = format!(
            "{} skills: instructions of a query over those recorded",
            now.skills
        );
        Some(Bar::new(what, thousands(now)? / thousands(before)?, 1.05))
    });
    Ok(bars.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_callgrind_says() {
        let said = "==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(collected(said), Some(123_456));
        assert_eq!(collected("==7== I   refs: 1"), None);
    }

    #[test]
    fn more_instructions_than_recorded_are_told() {
        let recorded: Vec<Instructions> = serde_json::from_str(RECORDED).unwrap();
        assert_eq!(recorded.len(), COUNTS.len());
        let same = bars(&recorded).unwrap();
        assert!(same.len() == COUNTS.len() && same.iter().all(|bar| bar.holds));
        let more: Vec<Instructions> = recorded
            .into_iter()
            .map(|row| Instructions {
                a_query: row.a_query * 11 / 10,
                ..row
            })
            .collect();
        assert!(bars(&more).unwrap().iter().all(|bar| !bar.holds));
    }
}
