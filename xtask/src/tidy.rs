//! `cargo xtask tidy`: what the compiler does not look at in the text of the tree.
//!
//! The rules for one file are in `tidy_rules`, the one for a crate's `lib.rs` in `lib_shape`.

use std::path::Path;
use std::process::Command;

use crate::finding::Finding;
use crate::steps::Report;
use crate::{lib_shape, process, tidy_rules};

/// The ends of the names of files that are read as text.
const TEXT: [&str; 15] = [
    "bat", "js", "json", "md", "mel", "mjs", "py", "rs", "sh", "snap", "toml", "ts", "txt", "yaml",
    "yml",
];

/// How many lines a Rust file may have, and from which length on it is listed.
const LONGEST: usize = 800;
const LONG: usize = 400;

pub(crate) fn run() -> Report {
    let root = process::root();
    let files = match files(&root) {
        Ok(files) => files,
        Err(why) => return Report::failed(why),
    };
    let mut findings = crate_faults(&root, &files);
    for file in files.iter().filter(|file| is_text(file)) {
        let text = match std::fs::read(root.join(file)) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                findings.push(Finding::new(
                    file,
                    format!("could not be read: {error}"),
                    "mend its rights",
                ));
                continue;
            }
        };
        findings.extend(tidy_rules::machine_paths(file, &text));
        if !is_test_input(file) {
            findings.extend(tidy_rules::trailing_blanks(file, &text));
        }
        if has_extension(file, "rs") {
            findings.extend(tidy_rules::module_docs(file, &text));
            findings.extend(tidy_rules::left_behind(file, &text));
            findings.extend(length(file, text.lines().count()));
            if file.ends_with("src/lib.rs") {
                findings.extend(lib_shape::check(file, &text));
            }
        }
    }
    findings.sort();
    Report::of_findings(&findings)
}

/// Every file that is tracked, or would be with the next `git add`.
fn files(root: &Path) -> Result<Vec<String>, String> {
    let listed = process::capture(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root),
    )?;
    let mut files: Vec<String> = listed
        .split('\0')
        .filter(|file| !file.is_empty() && root.join(file).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file)
        .extension()
        .is_some_and(|found| found == extension)
}

fn is_text(file: &str) -> bool {
    TEXT.iter().any(|extension| has_extension(file, extension))
}

/// What tests read may be as odd as a test wants it, and snapshots are as their output is.
fn is_test_input(file: &str) -> bool {
    has_extension(file, "snap") || (file.contains("/tests/") && !has_extension(file, "rs"))
}

fn length(file: &str, lines: usize) -> Option<Finding> {
    if lines > LONGEST {
        return Some(Finding::new(
            file,
            format!("{lines} lines, more than {LONGEST}"),
            "move what belongs together to a file of its own",
        ));
    }
    if lines > LONG {
        println!("long: {file} has {lines} lines");
    }
    None
}

/// Every crate has a page for people and at least one test.
fn crate_faults(root: &Path, files: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in files.iter().filter(|file| is_crate_manifest(file)) {
        let folder = manifest.trim_end_matches("Cargo.toml");
        if !files
            .iter()
            .any(|file| *file == format!("{folder}README.md"))
        {
            findings.push(Finding::new(
                format!("{folder}README.md"),
                "is missing",
                "write ten lines: what the crate is for, what it is not, one example",
            ));
        }
        let tested = files
            .iter()
            .filter(|file| file.starts_with(folder) && has_extension(file, "rs"))
            .filter_map(|file| std::fs::read_to_string(root.join(file)).ok())
            .any(|text| tidy_rules::holds_a_test(&text));
        if !tested {
            findings.push(Finding::new(
                manifest,
                "the crate has no test",
                "add one beside the code or under tests/it",
            ));
        }
    }
    findings
}

fn is_crate_manifest(file: &str) -> bool {
    file.strip_prefix("crates/")
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(_, name)| name == "Cargo.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_manifest_of_a_crate_counts() {
        assert!(is_crate_manifest("crates/loader/Cargo.toml"));
        assert!(!is_crate_manifest(
            "crates/loader/tests/fixtures/Cargo.toml"
        ));
        assert!(!is_crate_manifest("xtask/Cargo.toml"));
        assert!(!is_crate_manifest("Cargo.toml"));
    }

    #[test]
    fn a_file_that_is_too_long_is_a_finding() {
        assert_eq!(length("a.rs", LONGEST), None);
        let finding = length("a.rs", LONGEST + 1).unwrap().to_string();
        assert!(finding.contains("a.rs: 801 lines"), "{finding}");
    }

    #[test]
    fn test_inputs_may_be_odd_and_rust_files_may_not() {
        assert!(is_test_input("crates/a/tests/fixtures/odd.md"));
        assert!(is_test_input("crates/a/src/snapshots/one.snap"));
        assert!(!is_test_input("crates/a/tests/it/main.rs"));
        assert!(!is_test_input("README.md"));
    }
}
