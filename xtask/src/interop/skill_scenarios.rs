//! The conformance suite's scenarios about skills, on the server with one folder of skills, in both protocol eras.

use std::path::Path;

use super::kits::{Kit, Kits, Program, Why};
use super::server::Server;
use super::table::{StepLine, Table};
use super::{Bench, empty};
use crate::conformance::suite::{self, Tally};

/// A scenario, and how many checks of it there are in every revision.
const SCENARIOS: [(&str, usize); 3] = [
    ("sep-2640-skills-enumeration", 32),
    ("sep-2640-skills-directory", 7),
    ("sep-2640-skills-manifest", 6),
];

/// Each revision, with the checks that do not apply to it: caching fields came later.
const REVISIONS: [(&str, &[&str]); 2] = [
    ("2026-07-28", &[]),
    (
        "2025-11-25",
        &[
            "sep-2640-skills-list-cache-attributes",
            "sep-2640-skills-get-cache-attributes",
        ],
    ),
];

/// Adds a row for each revision. `what` names the folder of skills.
pub(crate) fn add(
    table: &mut Table,
    bench: &Bench,
    kits: &mut Kits,
    what: &str,
    skills: &Path,
    only: &str,
) {
    for (revision, left_out) in REVISIONS {
        let row = format!("conformance, {what}, {revision}");
        if !row.contains(only) {
            continue;
        }
        match kits.program(Kit::Node) {
            Ok(program) => {
                let place = bench.folder.join(format!("scenarios-{what}-{revision}"));
                let lines = lines(bench, &program, skills, revision, left_out, &place);
                table.add(
                    &row,
                    lines.unwrap_or_else(|why| vec![StepLine::failed("server", &why)]),
                );
            }
            Err(Why::Unreachable(why)) => table.skip(&row, &why),
            Err(Why::Broken(why)) => {
                table.add(&row, vec![StepLine::failed("installation", &why)]);
            }
        }
    }
}

fn lines(
    bench: &Bench,
    program: &Program,
    skills: &Path,
    revision: &str,
    left_out: &[&str],
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let server = Server::start(&bench.metier, &[skills.as_os_str()], place)?;
    let mut lines = Vec::new();
    for (scenario, checks) in SCENARIOS {
        let words = [
            "--scenario",
            scenario,
            "--spec-version",
            revision,
            "--force",
        ];
        let tallies = suite::run(program, &server.url, &words, &place.join(scenario))?;
        let tally = tallies.into_values().next().unwrap_or_default();
        lines.push(judged(scenario, checks, left_out, &tally));
    }
    Ok(lines)
}

/// All of the checks, and none left out that applies.
fn judged(scenario: &str, checks: usize, left_out: &[&str], tally: &Tally) -> StepLine {
    let mut faults: Vec<String> = tally.faults.iter().map(ToString::to_string).collect();
    let unasked = |id: &&String| !left_out.contains(&id.as_str());
    faults.extend(
        tally
            .skipped
            .iter()
            .filter(unasked)
            .map(|id| format!("SKIPPED {id}")),
    );
    let made = tally.passed + tally.skipped.len();
    if faults.is_empty() && made != checks {
        faults.push(format!("{made} checks, not {checks}"));
    }
    StepLine {
        step: scenario.to_owned(),
        ok: faults.is_empty(),
        note: faults.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: usize, skipped: &[&str]) -> Tally {
        Tally {
            passed,
            faults: Vec::new(),
            skipped: skipped.iter().map(|&id| id.to_owned()).collect(),
        }
    }

    #[test]
    fn every_check_must_have_been_made() {
        let judge = |tally| judged("s", 3, &["later"], &tally);
        assert!(judge(tally(3, &[])).ok);
        assert!(judge(tally(2, &["later"])).ok);
        assert_eq!(judge(tally(2, &["other"])).note, "SKIPPED other");
        assert_eq!(judge(tally(0, &[])).note, "0 checks, not 3");
    }
}
