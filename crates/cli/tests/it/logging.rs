//! `METIER_LOG`.

use std::path::Path;

use crate::command::{fixtures, metier, mixed, run, said, write};

fn with_log(folder: &Path, level: &str, arguments: &[&str]) -> String {
    let output = metier(folder)
        .env("METIER_LOG", level)
        .args(arguments)
        .output();
    said(&output.unwrap())
}

#[test]
fn debug_tells_where_was_looked_and_what_was_found() {
    let folder = mixed();
    for command in [&["list"][..], &["doctor"], &["info", "good"], &["stdio"]] {
        let text = with_log(folder.path(), "debug", &[command, &["skills"]].concat());
        for wanted in [
            "looking for skills",
            "skill found",
            "skill rejected",
            "MT108",
        ] {
            assert!(text.contains(wanted), "{command:?}: {wanted}: {text}");
        }
    }
    let text = with_log(folder.path(), "debug", &["info", "good", "skills"]);
    assert!(text.contains("interpreter chosen"), "{text}");
    let text = with_log(folder.path(), "debug", &["check", "skills"]);
    assert!(text.contains("skill checked"), "{text}");
    let call = ["call", "echo", "--args", r#"{"n": 1}"#, "skills"];
    let text = with_log(folder.path(), "debug", &call);
    for wanted in ["script started", "interpreter=", "script ended"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn a_level_that_means_nothing_is_told() {
    let text = with_log(&fixtures(), "nonsense", &["list", "demo"]);
    assert!(
        text.contains("warning: METIER_LOG=nonsense: expected off,"),
        "{text}"
    );
    let text = with_log(&fixtures(), "warn", &["list", "demo"]);
    assert!(!text.contains("METIER_LOG"), "{text}");
}

/// A command that ends by itself has no log lines of its own accord: what matters is a plain line, once.
#[test]
fn nothing_raw_is_logged_unasked() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("skills/big/SKILL.md"),
        "---\nname: big\ndescription: Holds a large file.\n---\n",
    );
    let large = std::fs::File::create(folder.path().join("skills/big/film.bin")).unwrap();
    large.set_len(17 << 20).unwrap();
    for command in [&["list"][..], &["doctor"], &["info", "big"]] {
        let text = run(folder.path(), &[command, &["skills"]].concat());
        assert!(
            !text.contains(" WARN ") && !text.contains("metier_"),
            "{text}"
        );
        let plain = "warning: the files of the skill `big` are not served: ";
        assert_eq!(text.matches(plain).count(), 1, "{text}");
        let logged = with_log(folder.path(), "warn", &[command, &["skills"]].concat());
        assert!(
            logged.contains("WARN metier_catalog") && !logged.contains(plain),
            "{logged}"
        );
    }
    let doctor = run(folder.path(), &["doctor", "skills"]);
    assert!(
        doctor.contains("skill big: its instructions and files are not served: ")
            && doctor.contains("1 thing would fail"),
        "{doctor}"
    );
}
