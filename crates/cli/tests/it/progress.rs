//! The sign of life: a person who waits sees it, a pipe never does.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::command::{metier, write};

/// Runs a command with its standard error on a terminal of its own, and prints what came there.
const ON_A_TERMINAL: &str = r"
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
while True:
    try:
        piece = os.read(ours, 4096)
    except OSError:
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
sys.exit(child.wait())
";

fn on_a_terminal(folder: &Path, term: &str, patience: &str, arguments: &[&str]) -> String {
    let output = Command::new("python3")
        .args(["-c", ON_A_TERMINAL, env!("CARGO_BIN_EXE_metier")])
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder.join("no-home"))
        .env("TERM", term)
        .env("METIER_PATIENCE_MS", patience)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// So many skills that reading them takes far more than a millisecond.
fn many(folder: &Path) {
    for number in 0..500 {
        write(
            folder.join(format!("skills/s{number}/SKILL.md")),
            &format!("---\nname: s{number}\ndescription: Number {number}.\n---\n"),
        );
    }
    let output = metier(folder)
        .args(["deps", "skills"])
        .env("METIER_PATIENCE_MS", "1")
        .output()
        .unwrap();
    // A pipe gets the last line and nothing before it.
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "500 skills, 0 missing, 0 cycles\n");
}

#[test]
fn a_long_scan_turns_on_a_terminal_and_is_wiped_away() {
    let folder = tempfile::tempdir().unwrap();
    many(folder.path());
    for (subcommand, what) in [("deps", "looking for skills"), ("check", "checking skills")] {
        let seen = on_a_terminal(folder.path(), "xterm", "1", &[subcommand, "skills"]);
        let first = format!("\r| {what} … 0 s");
        assert!(seen.starts_with(&first), "{seen:?}");
        let (_, after) = seen.split_once("\r\u{1b}[2K").unwrap();
        assert!(
            !after.contains(what) && after.contains("skills"),
            "{seen:?}"
        );
    }
    let dumb = on_a_terminal(folder.path(), "dumb", "1", &["deps", "skills"]);
    assert!(
        dumb.ends_with(" cycles\r\n") && !dumb.contains("looking"),
        "{dumb:?}"
    );
}

#[test]
fn a_short_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("skills/one/SKILL.md"),
        "---\nname: one\ndescription: One.\n---\n",
    );
    let seen = on_a_terminal(folder.path(), "xterm", "60000", &["deps", "skills"]);
    assert_eq!(seen, "1 skill, 0 missing, 0 cycles\r\n");
}
