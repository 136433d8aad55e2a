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

/// "Nothing is kept" over a file that holds everything would be a lie.
#[test]
fn a_file_that_cannot_be_read_is_not_forgotten_without_a_word() {
    let folder = after_one_call();
    let path = folder.path();
    let (counters, loaded) = (
        path.join("state/python/quality.sqlite3"),
        path.join("state/python/loaded.json"),
    );
    let whole = [&counters, &loaded].map(|file| std::fs::read(file).unwrap());
    let newer = String::from_utf8(whole[1].clone()).unwrap();
    let newer = newer.replace("\"schema_version\": 1", "\"schema_version\": 7");
    let mut damaged = whole[0].clone();
    damaged[0] = b'X';
    for (file, bytes) in [
        (&counters, damaged.as_slice()),
        (&loaded, &whole[1][..whole[1].len() / 2]),
        (&loaded, newer.as_bytes()),
    ] {
        std::fs::write(&counters, &whole[0]).unwrap();
        std::fs::write(&loaded, &whole[1]).unwrap();
        std::fs::write(file, bytes).unwrap();
        for what in ["--all", "rig"] {
            let text = state(path, &["forget", what]);
            assert!(text.starts_with("exit 2"), "{text}");
            assert!(text.contains("nothing is forgotten: "), "{text}");
            assert!(!text.contains("nothing is kept"), "{text}");
            let now = [&counters, &loaded].map(|file| std::fs::read(file).unwrap());
            assert!(now.iter().any(|it| it == bytes), "it is left alone");
            assert!(now.iter().any(|it| whole.contains(it)), "so is the other");
        }
    }
    std::fs::write(&loaded, &whole[1]).unwrap();
    #[cfg(unix)]
    {
        std::fs::remove_file(&counters).unwrap();
        std::os::unix::fs::symlink("/drive/that/is/late/q.sqlite3", &counters).unwrap();
        for action in ["show", "forget"] {
            let all: &[&str] = if action == "show" {
                &[action]
            } else {
                &[action, "--all"]
            };
            let text = state(path, all);
            assert!(text.contains("its drive may be late"), "{text}");
        }
        let show = ["show", "--memory-database", "state/python/quality.sqlite3"];
        let text = run(path, &[&["state", "memory"][..], &show].concat());
        assert!(
            text.starts_with("exit 2") && text.contains("its drive may be late"),
            "{text}"
        );
        std::fs::remove_file(&counters).unwrap();
        std::fs::write(&counters, &whole[0]).unwrap();
    }
    std::fs::write(path.join("state/python/loaded.json.bak.1"), "{ rig").unwrap();
    let text = state(path, &["forget", "--all"]);
    assert!(
        text.starts_with("exit 0") && text.contains("forgotten: rig"),
        "{text}"
    );
    assert!(text.contains("python/loaded.json.bak.1"), "{text}");
    for file in ["python/quality.sqlite3", "state.sqlite3"] {
        let bytes = std::fs::read(path.join("state").join(file)).unwrap();
        assert!(!bytes.windows(3).any(|part| part == b"rig"), "{file}");
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
