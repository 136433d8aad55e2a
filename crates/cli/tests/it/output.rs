//! What becomes of data that nobody takes.

use std::fs::File;
use std::io::Read as _;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::command::{metier, mixed, said, write};

const ARGUMENTS: [&[&str]; 10] = [
    &["list", "skills/good"],
    &["list", "--json", "skills/good"],
    &["search", "good", "skills/good"],
    &["info", "good", "skills/good"],
    &["deps", "skills/good"],
    &["call", "echo", "--args", r#"{"n": 1}"#, "skills/good"],
    &["schema", "tools"],
    &["completions", "bash"],
    &["config", "show"],
    &["--help"],
];

fn with_output(arguments: &[&str], output: Stdio) -> Output {
    let folder = mixed();
    let child = metier(folder.path())
        .args(arguments)
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn();
    child.unwrap().wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_is_a_failure() {
    for arguments in ARGUMENTS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let text = said(&with_output(arguments, full.into()));
        assert!(
            text.starts_with("exit 2")
                && text.contains("error: standard output cannot be written: No space left"),
            "{arguments:?}: {text}"
        );
    }
    // A server whose URL nobody can be told ends as well.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let text = said(&with_output(
        &["serve", "--port", "0", "skills"],
        full.into(),
    ));
    assert!(
        text.starts_with("exit 2") && text.contains("No space left"),
        "{text}"
    );
}

#[test]
fn a_reader_that_went_away_ends_it_quietly() {
    for arguments in ARGUMENTS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = with_output(arguments, writer.into());
        let text = said(&output);
        assert!(
            text.starts_with("exit 0") && !text.contains("panicked") && !text.contains("error:"),
            "{arguments:?}: {text}"
        );
    }
}

#[test]
fn a_list_that_is_watched_ends_with_its_reader() {
    let folder = mixed();
    let mut child = metier(folder.path())
        .args(["list", "--watch", "skills"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"NAME");
    drop(stdout);
    let start = Instant::now();
    let mut saves = 0;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // Each save makes it print, and the print finds nobody.
        if start.elapsed() >= saves * Duration::from_secs(2) {
            saves += 1;
            write(
                folder.path().join("skills/good/SKILL.md"),
                &format!("---\nname: good\ndescription: Number {saves}.\n---\n"),
            );
        }
        if start.elapsed() > Duration::from_mins(1) {
            child.kill().unwrap();
            panic!("it goes on without its reader");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
}
