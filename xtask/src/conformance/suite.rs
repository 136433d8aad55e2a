//! The protocol's own conformance suite, and what it found in figures.
//!
//! A scenario that it ticks may have checked nothing, so only the checks it wrote down count.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::interop::Program;

/// Below the folder of the Node.js packages.
const SCRIPT: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/// What came of the checks of one scenario.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    /// Each failure or warning, with what the suite says of it.
    pub(crate) faults: Vec<Fault>,
    /// The names of the checks that were not made.
    pub(crate) skipped: Vec<String>,
}

/// A check that failed, or that the suite warns of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) status: String,
    pub(crate) check: String,
    pub(crate) why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.status, self.check, self.why)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    #[serde(default)]
    error_message: Option<String>,
}

/// Runs the suite with these words on a server and hands back each scenario's checks. `folder` is for its files.
pub(crate) fn run(
    program: &Program,
    url: &str,
    words: &[&str],
    folder: &Path,
) -> Result<BTreeMap<String, Tally>, String> {
    let mut suite = program.package_script(SCRIPT);
    suite.args(["server", "--url", url]).args(words);
    checked(suite, "server-", folder)
}

/// Runs one scenario of the suite on a client: a command line to which the URL of the suite's server is added.
pub(crate) fn run_client(
    program: &Program,
    client: &str,
    scenario: &str,
    folder: &Path,
) -> Result<Tally, String> {
    let mut suite = program.package_script(SCRIPT);
    suite.args(["client", "--command", client, "--scenario", scenario]);
    let tallies = checked(suite, "", folder)?;
    Ok(tallies.into_values().next().unwrap_or_default())
}

fn checked(
    mut suite: Command,
    kind: &str,
    folder: &Path,
) -> Result<BTreeMap<String, Tally>, String> {
    super::empty(folder)?;
    let log = folder.join("suite.log");
    let file =
        std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let errors = file.try_clone().map_err(|error| error.to_string())?;
    // How it ends says the same as the checks, but for scenarios that made none.
    suite
        .arg("--output-dir")
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .status()
        .map_err(|error| format!("the conformance suite did not start: {error}"))?;
    let tallies = read(kind, folder)?;
    if tallies.is_empty() {
        return Err(format!(
            "the conformance suite wrote no checks; see {}",
            log.display()
        ));
    }
    Ok(tallies)
}

/// Each scenario has a folder with a `checks.json`: of a server `server-NAME-TIME`, of a client `NAME-TIME`.
fn read(kind: &str, folder: &Path) -> Result<BTreeMap<String, Tally>, String> {
    let failed = |path: &Path, why: &dyn fmt::Display| format!("{}: {why}", path.display());
    let entries = std::fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path().join("checks.json")))
        .filter(|path| path.is_file())
        .collect();
    let mut tallies = BTreeMap::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|error| failed(&path, &error))?;
        let checks: Vec<Check> =
            serde_json::from_str(&text).map_err(|error| failed(&path, &error))?;
        let name = path
            .parent()
            .and_then(Path::file_name)
            .and_then(|name| scenario(kind, name.to_str()?))
            .ok_or_else(|| failed(&path, &"the folder is not named as a scenario's"))?;
        tallies.insert(name.to_owned(), tally(checks));
    }
    Ok(tallies)
}

/// The name between what comes first and a time such as `2026-11-30T05-25-40-075Z`.
fn scenario<'f>(kind: &str, folder: &'f str) -> Option<&'f str> {
    const TIME: usize = "-2026-11-30T05-25-40-075Z".len();
    let name = folder.strip_prefix(kind)?;
    name.get(..name.len().checked_sub(TIME)?)
}

fn tally(checks: Vec<Check>) -> Tally {
    let mut tally = Tally::default();
    for check in checks {
        match check.status.as_str() {
            "SUCCESS" => tally.passed += 1,
            "SKIPPED" => tally.skipped.push(check.id),
            "INFO" => {}
            _ => tally.faults.push(Fault {
                status: check.status,
                check: check.id,
                why: check.error_message.unwrap_or_default(),
            }),
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_scenario() {
        assert_eq!(
            scenario("server-", "server-tools-list-2026-11-30T05-25-40-075Z"),
            Some("tools-list")
        );
        assert_eq!(scenario("server-", "server-short"), None);
        assert_eq!(scenario("server-", "tools-list"), None);
    }

    fn fault(status: &str, check: &str, why: &str) -> Fault {
        Fault {
            status: status.to_owned(),
            check: check.to_owned(),
            why: why.to_owned(),
        }
    }

    #[test]
    fn what_is_neither_a_success_nor_left_out_is_a_fault() {
        let checks = r#"[
            {"id": "a", "status": "SUCCESS"},
            {"id": "b", "status": "FAILURE", "errorMessage": "no answer"},
            {"id": "c", "status": "WARNING"},
            {"id": "d", "status": "SKIPPED"},
            {"id": "e", "status": "INFO"}
        ]"#;
        let checks = serde_json::from_str(checks).expect("JSON");
        assert_eq!(
            tally(checks),
            Tally {
                passed: 1,
                faults: vec![
                    fault("FAILURE", "b", "no answer"),
                    fault("WARNING", "c", "")
                ],
                skipped: vec!["d".to_owned()],
            }
        );
    }
}
