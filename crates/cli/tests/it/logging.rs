//! `METIER_LOG`.

use std::path::Path;

use serde_json::json;

use crate::command::{fixtures, metier, mixed, run, said, write};
use crate::hooks::stage;
use crate::stdio::Session;

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

/// Whoever reads the log takes each line for the server's own.
#[test]
fn what_a_client_sends_makes_no_line_in_the_log_of_a_server() {
    let script = "import json, sys\nsys.stderr.write(json.load(sys.stdin)['arguments']['text'])\nsys.exit(3)\n";
    let folder = stage(
        "[[hooks]]\nevent = 'before_tool_call'\ncommand = ['python3', 'echo.py']\ntimeout = 60\n",
    );
    write(folder.path().join("echo.py"), script);
    let mut session = Session::start(folder.path(), &["skills"]);
    session.initialize();
    session.call(1, "load_skill", &json!({"skill_name": "good"}));
    let text = "a\n WARN metier::audit: forged\r\n2026-12-01 ERROR x\u{202e}\u{0}end";
    session.call(2, "good__echo", &json!({"n": 1, "text": text}));
    let (code, _, err) = session.end_of_input();
    assert_eq!(code, 0, "{err}");
    let line = err.lines().find(|line| line.contains("forged")).unwrap();
    assert!(line.contains("a handler failed"), "{err}");
    assert!(line.contains("x\\u{202e}\\u{0}end"), "{err}");
    assert!(!err.contains('\u{202e}') && !err.contains('\0'), "{err}");
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
