//! Every file that is written stands in docs/what-is-kept.md, and none is written unasked.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::command::{fixtures, metier, run};
use crate::persist_server::{Server, skills};

/// The files below a folder by their places in it, without those that the tests put there.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let place = path.strip_prefix(folder).unwrap().to_str().unwrap();
            if place == "skills" || place == "said" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(place.to_owned());
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn what_is_asked_for_is_kept_where_the_page_says_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a"]);
    let options = [
        "--persist",
        "--memory-database",
        "memory.sqlite3",
        "--audit-log",
        "audit.log",
        "skills",
    ];
    let mut server = Server::start(path, &options);
    server
        .call("search_skills", &json!({"query": "a"}))
        .unwrap();
    server.load("a").unwrap();
    server.call("a__one", &json!({})).unwrap();
    server.end();
    let kept = [
        ("audit.log", "`--audit-log` and `.1`"),
        ("audit.log.key", "`--audit-log` with `.key`"),
        ("memory.sqlite3", "`--memory-database`, with `-wal`"),
        ("state/python/loaded.json", "`STATE/APP/loaded.json`"),
        ("state/python/loaded.json.lock", "`loaded.json.lock`"),
        (
            "state/python/quality.sqlite3",
            "`STATE/APP/quality.sqlite3`",
        ),
        ("state/state.sqlite3", "`STATE/state.sqlite3`"),
    ];
    assert_eq!(files(path), kept.map(|(file, _)| file));
    let page = std::fs::read_to_string(fixtures().join("../../docs/what-is-kept.md")).unwrap();
    for (file, words) in kept {
        assert!(page.contains(words), "{file}: {words}");
    }
    // What an end leaves that was no end.
    let mut server = Server::start(path, &options);
    server.call("a__one", &json!({})).unwrap();
    server.child.kill().unwrap();
    for file in files(path) {
        let plain = file.trim_end_matches("-wal").trim_end_matches("-shm");
        let ending = Path::new(plain).extension();
        let is_temporary = ending.is_some_and(|it| it == "tmp") && plain.contains("loaded.json.");
        assert!(
            is_temporary || kept.iter().any(|(known, _)| *known == plain),
            "{file}"
        );
    }
}

#[test]
fn nothing_is_kept_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a"]);
    let mut command = metier(path);
    command.args(["stdio", "skills"]);
    let mut server = Server::of(command, path);
    server
        .call("search_skills", &json!({"query": "a"}))
        .unwrap();
    server.load("a").unwrap();
    server.call("a__one", &json!({})).unwrap();
    server.end();
    for command in [
        &["list", "skills"][..],
        &["search", "a", "skills"],
        &["call", "a__one", "skills"],
        &["check", "skills"],
        &["doctor", "skills"],
        &["state", "show"],
        &["state", "export"],
    ] {
        run(path, command);
    }
    assert_eq!(files(path), [""; 0]);
}
