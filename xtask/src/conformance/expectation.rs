//! What must come of each scenario of a requirement set.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::suite::Tally;

/// `conformance/peer.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Expectation {
    revisions: BTreeMap<String, Scenarios>,
    /// Single checks that are not asked of the server, each with the reason.
    left_out_checks: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Scenarios {
    /// How many checks must pass.
    checks: BTreeMap<String, usize>,
    /// Scenarios that are not asked of the server, each with the reason.
    left_out: BTreeMap<String, String>,
}

/// A run, held against it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Judged {
    /// Scenarios that came out as they must.
    pub(crate) held: u64,
    left_out: u64,
    pub(crate) faults: Vec<String>,
}

impl Judged {
    pub(crate) fn words(&self) -> String {
        let Self {
            held,
            left_out,
            faults,
        } = self;
        let faults = faults.len();
        format!(
            "{held} scenarios as they must be, {left_out} left out with a reason, {faults} faults"
        )
    }
}

impl Expectation {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        std::fs::read_to_string(path)
            .map_err(|error| error.to_string())
            .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
            .map_err(|why| format!("{}: {why}", path.display()))
    }

    pub(crate) fn revisions(&self) -> impl Iterator<Item = &str> {
        self.revisions.keys().map(String::as_str)
    }

    /// Every scenario of the run must be known, and every known one in the run.
    pub(crate) fn judge(&self, revision: &str, found: &BTreeMap<String, Tally>) -> Judged {
        let mut judged = Judged::default();
        let Some(scenarios) = self.revisions.get(revision) else {
            return judged;
        };
        for (name, wanted) in &scenarios.checks {
            let faults = match found.get(name) {
                None => vec!["was not run".to_owned()],
                Some(tally) => self.faults(tally, *wanted),
            };
            if faults.is_empty() {
                judged.held += 1;
            }
            let named = faults.iter().map(|why| format!("{name}: {why}"));
            judged.faults.extend(named);
        }
        for (name, tally) in found {
            if scenarios.checks.contains_key(name) {
                continue;
            }
            if !scenarios.left_out.contains_key(name) {
                judged.faults.push(format!("{name}: nothing is said of it"));
            } else if tally.passed > 0 && self.faults(tally, tally.passed).is_empty() {
                judged
                    .faults
                    .push(format!("{name}: is left out, and passes"));
            } else {
                judged.left_out += 1;
            }
        }
        judged
    }

    fn faults(&self, tally: &Tally, wanted: usize) -> Vec<String> {
        let asked = |id: &str| !self.left_out_checks.contains_key(id);
        let mut faults: Vec<String> = tally
            .faults
            .iter()
            .filter(|fault| asked(&fault.check))
            .map(ToString::to_string)
            .collect();
        let skipped = tally.skipped.iter().filter(|id| asked(id));
        faults.extend(skipped.map(|id| format!("SKIPPED {id}")));
        if faults.is_empty() && tally.passed != wanted {
            faults.push(format!("{} checks passed, not {wanted}", tally.passed));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::suite::Fault;

    fn expectation() -> Expectation {
        let text = r#"{
            "revisions": {"new": {"checks": {"list": 2}, "left_out": {"tasks": "not offered"}}},
            "left_out_checks": {"sampling": "not offered"}
        }"#;
        serde_json::from_str(text).expect("JSON")
    }

    fn tally(passed: usize, faults: &[&str]) -> Tally {
        let fault = |check: &&str| Fault {
            status: "FAILURE".to_owned(),
            check: (*check).to_owned(),
            why: "why".to_owned(),
        };
        Tally {
            passed,
            faults: faults.iter().map(fault).collect(),
            skipped: Vec::new(),
        }
    }

    fn faults(found: &[(&str, Tally)]) -> Vec<String> {
        let found = found
            .iter()
            .map(|(name, tally)| ((*name).to_owned(), tally.clone()));
        expectation().judge("new", &found.collect()).faults
    }

    #[test]
    fn a_tick_without_its_checks_is_a_fault() {
        assert!(faults(&[("list", tally(2, &["sampling"]))]).is_empty());
        assert_eq!(
            faults(&[("list", tally(0, &[]))]),
            ["list: 0 checks passed, not 2"]
        );
        assert_eq!(
            faults(&[("list", tally(2, &["a"]))]),
            ["list: FAILURE a: why"]
        );
        assert_eq!(faults(&[]), ["list: was not run"]);
    }

    #[test]
    fn what_is_left_out_must_fail_and_what_is_new_must_be_named() {
        let list = ("list", tally(2, &[]));
        assert!(faults(&[list.clone(), ("tasks", tally(1, &["b"]))]).is_empty());
        assert_eq!(
            faults(&[list.clone(), ("tasks", tally(1, &[]))]),
            ["tasks: is left out, and passes"]
        );
        assert_eq!(
            faults(&[list, ("more", tally(1, &[]))]),
            ["more: nothing is said of it"]
        );
    }
}
