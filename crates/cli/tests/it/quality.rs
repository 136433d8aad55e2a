//! `--persist` counts how skills do.

use std::path::Path;
use std::sync::Barrier;

use serde_json::{Value, json};

use crate::command::{run, write};
use crate::persist_server::{Server, skills};

const CALLS: usize = 8;

fn state(folder: &Path, arguments: &[&str]) -> String {
    let place = ["--state-dir", "state"];
    run(folder, &[&["state"], arguments, &place].concat())
}

/// What a command prints on standard output.
fn shown(folder: &Path, arguments: &[&str]) -> Value {
    let text = state(folder, arguments);
    let (_, text) = text.split_once("--- stdout\n").unwrap();
    let (text, _) = text.split_once("--- stderr").unwrap();
    serde_json::from_str(text).unwrap()
}

/// A client that finds both skills, loads them and calls each of them often.
fn works(server: &mut Server) {
    for skill in ["rig", "scene"] {
        server
            .call("search_skills", &json!({"query": skill}))
            .unwrap();
        server.load(skill).unwrap();
    }
    for _ in 0..CALLS {
        server.call("rig__one", &json!({})).unwrap();
        server.call("scene__one", &json!({})).unwrap();
    }
}

#[test]
fn two_servers_that_count_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["rig", "scene"]);
    write(
        path.join("skills/scene/scripts/run.py"),
        "raise SystemExit(1)\n",
    );
    assert_eq!(shown(path, &["show", "--json"])["quality"], json!({}));
    assert!(!path.join("state").exists(), "looking writes nothing");
    // Without the option nothing is counted.
    let mut server = Server::start(path, &["skills"]);
    works(&mut server);
    server.end();
    assert!(!path.join("state").exists());

    // Both begin with nothing, so that each of them loads what it found.
    let begun = Barrier::new(2);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut server = Server::start(path, &["--persist", "skills"]);
                begun.wait();
                works(&mut server);
                server.end();
            });
        }
    });
    let counted = json!({
        "rig": {"selections": 2, "applied": 2, "completions": 2 * CALLS},
        "scene": {"selections": 2, "applied": 2, "fallbacks": 2 * CALLS},
    });
    assert_eq!(shown(path, &["show", "--json"])["quality"], counted);
    let exported = shown(path, &["export"]);
    assert_eq!(exported["quality"], counted);
    assert_eq!(exported["skills"].as_array().unwrap().len(), 2);
    let table = state(path, &["show"]);
    assert!(
        table.contains(
            "SKILL  SELECTIONS  APPLIED  COMPLETIONS  FALLBACKS\n\
             rig    2           2        16           0\n\
             scene  2           2        0            16\n"
        ),
        "{table}"
    );
    assert!(
        table.contains("counted in state/python/quality.sqlite3"),
        "{table}"
    );

    // They are kept over a restart and go with their skill.
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.call("rig__one", &json!({})).unwrap();
    server.end();
    assert_eq!(
        shown(path, &["show", "--json"])["quality"]["rig"],
        json!({"selections": 2, "applied": 3, "completions": 2 * CALLS + 1})
    );
    assert!(state(path, &["forget", "rig"]).starts_with("exit 0"));
    assert_eq!(
        shown(path, &["show", "--json"])["quality"],
        json!({"scene": counted["scene"]})
    );
    state(path, &["forget", "--all"]);
    assert_eq!(shown(path, &["show", "--json"])["quality"], json!({}));
}

#[test]
fn a_file_that_cannot_be_used_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["rig"]);
    std::fs::create_dir_all(path.join("state/python/quality.sqlite3")).unwrap();
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("rig").unwrap();
    for _ in 0..3 {
        let answer = server.call("rig__one", &json!({})).unwrap();
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
    }
    server.end();
    let said = crate::persist_server::said_in(path);
    assert_eq!(said.matches("counted and not kept").count(), 1, "{said}");
}

/// Holds a database as a backup does, until it is dropped.
pub(crate) struct Holder(std::process::Child);

impl Holder {
    pub(crate) fn of(file: &Path) -> Self {
        use std::io::{BufRead as _, BufReader};
        let mut child = std::process::Command::new("python3")
            .args([
                "-c",
                "import sqlite3, sys\nheld = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                 held.execute('BEGIN IMMEDIATE')\nprint('held', flush=True)\nsys.stdin.read()\n",
            ])
            .arg(file)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_forget_that_cannot_be_whole_does_nothing_and_says_so() {
    let folder = after_one_call();
    let path = folder.path();
    let file = path.join("state/python/quality.sqlite3");
    let held = Holder::of(&file);
    let loaded = || std::fs::read(path.join("state/python/loaded.json")).unwrap();
    let before = loaded();
    // Looking waits for nobody.
    assert_eq!(
        shown(path, &["show", "--json"])["quality"]["rig"]["completions"],
        1
    );
    let text = state(path, &["forget", "rig"]);
    assert!(text.starts_with("exit 2"), "{text}");
    assert!(
        text.contains("nothing is forgotten: state/python/quality.sqlite3: "),
        "{text}"
    );
    assert_eq!(loaded(), before);
    drop(held);
    assert!(state(path, &["forget", "rig"]).contains("forgotten: rig"));
}

/// A folder in which one call of one skill was counted.
fn after_one_call() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["rig"]);
    let mut server = Server::start(folder.path(), &["--persist", "skills"]);
    works_alone(&mut server);
    server.end();
    folder
}

fn works_alone(server: &mut Server) {
    server.load("rig").unwrap();
    server.call("rig__one", &json!({})).unwrap();
}

/// A database that cannot be read hides no skill, and looking moves nothing away.
#[test]
fn what_is_loaded_is_shown_beside_a_database_that_cannot_be_read() {
    let folder = after_one_call();
    let path = folder.path();
    let file = path.join("state/python/quality.sqlite3");
    std::fs::write(
        &file,
        "no database, and more than a page of it\n".repeat(200),
    )
    .unwrap();
    let text = state(path, &["show"]);
    assert!(
        text.starts_with("exit 0") && text.contains("rig    1.0.0"),
        "{text}"
    );
    assert!(text.contains("; how skills do is not shown"), "{text}");
    assert!(!path.join("state/python/quality.sqlite3.bak").exists());
    std::fs::remove_file(&file).unwrap();
    #[cfg(unix)]
    {
        // Nobody writes to it: whoever opened it would wait for ever.
        let made = std::process::Command::new("mkfifo").arg(&file).status();
        assert!(made.unwrap().success());
        let text = state(path, &["show"]);
        assert!(
            text.starts_with("exit 0") && text.contains("no plain file"),
            "{text}"
        );
    }
}

/// A backup that holds the database does not hold up the end.
#[test]
fn a_held_database_delays_no_end() {
    let folder = after_one_call();
    let path = folder.path();
    let mut server = Server::start(path, &["--persist", "skills"]);
    let held = Holder::of(&path.join("state/python/quality.sqlite3"));
    works_alone(&mut server);
    // The end comes while it is held.
    server.end();
    drop(held);
    let said = crate::persist_server::said_in(path);
    assert_eq!(said.matches("counted and not kept").count(), 1, "{said}");
}
