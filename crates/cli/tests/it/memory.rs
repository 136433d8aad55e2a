//! `--memory`, from a call to what the next server tells.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::{run, write};
use crate::persist_server::{Server, said_in, skills};
use crate::quality::Holder;

const KEEPING: [&str; 3] = ["--memory-database", "kept/memory.sqlite3", "skills"];

fn searched(server: &mut Server) -> Value {
    let answer = server
        .call("search_skills", &json!({"query": "cube"}))
        .unwrap();
    answer["result"]["structuredContent"].clone()
}

/// A session of one good call and one that did not reach the tool.
fn work(folder: &Path, arguments: &[&str]) -> Value {
    let mut server = Server::start(folder, arguments);
    server.load("cube").unwrap();
    let answer = server.call("cube__one", &json!({})).unwrap();
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    let told = searched(&mut server);
    server.end();
    told
}

#[test]
fn what_went_well_is_told_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["cube"]);
    let once = json!({"cube__one": {"ok_count": 1, "fail_count": 0, "last_outcome": "ok"}});
    assert_eq!(work(folder.path(), &KEEPING)["memory_summary"], once);
    let mut server = Server::start(folder.path(), &KEEPING);
    let told = searched(&mut server);
    assert_eq!(told["memory_summary"], once);
    assert_eq!(told["memory_prefer_tools"], json!(["cube__one"]));
    server.end();

    let place = ["--memory-database", "kept/memory.sqlite3"];
    let state = |action: &[&str]| {
        run(
            folder.path(),
            &[&["state", "memory"], action, &place].concat(),
        )
    };
    assert!(
        state(&["show"]).contains("pattern:tool_call:cube__one  1   0     python"),
        "{}",
        state(&["show"])
    );
    assert!(state(&["export"]).contains("\"schema_version\""));
    assert!(
        state(&["forget"]).starts_with("exit 2"),
        "a filter is needed"
    );
    assert!(state(&["forget", "--app", "maya"]).contains("forgotten: 0 patterns"));
    assert!(
        state(&["forget", "--key", "pattern:tool_call:cube"]).contains("forgotten: 1 pattern\n")
    );
    assert!(state(&["show"]).contains("0 entries"));
    let mut server = Server::start(folder.path(), &KEEPING);
    assert_eq!(searched(&mut server)["memory_summary"], Value::Null);
    server.end();
}

#[test]
fn what_this_server_does_not_have_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["cube"]);
    assert_ne!(work(folder.path(), &KEEPING)["memory_summary"], Value::Null);
    skills(&folder.path().join("others"), &["ball"]);
    let place = &KEEPING[..2];
    for arguments in [
        [place, &["others/skills"]].concat(),
        [place, &["--disable", "cube", "skills"]].concat(),
    ] {
        let mut server = Server::start(folder.path(), &arguments);
        let told = searched(&mut server);
        let told = told.as_object().unwrap();
        let of_memory: Vec<_> = told.keys().filter(|it| it.starts_with("memory")).collect();
        assert!(of_memory.is_empty(), "{arguments:?}: {told:?}");
        server.end();
    }
    // Nothing of it was forgotten, and a skill need not be loaded to be told of.
    let mut server = Server::start(folder.path(), &KEEPING);
    assert_eq!(
        searched(&mut server)["memory_prefer_tools"],
        json!(["cube__one"])
    );
    server.end();
}

#[test]
fn memory_is_off_until_it_is_asked_for_and_privacy_counts_before_all() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["cube"]);
    assert_eq!(
        work(folder.path(), &["skills"])["memory_summary"],
        Value::Null
    );
    assert_ne!(
        work(folder.path(), &["--memory", "skills"])["memory_summary"],
        Value::Null
    );
    write(
        folder.path().join("metier.toml"),
        "[memory]\nenabled = true\ndatabase = 'memory.sqlite3'\nprivacy = true\n",
    );
    assert_eq!(
        work(folder.path(), &["--memory", "skills"])["memory_summary"],
        Value::Null
    );
    assert!(!folder.path().join("memory.sqlite3").exists());
}

#[test]
fn a_file_that_cannot_be_used_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["cube"]);
    write(
        folder.path().join("kept/memory.sqlite3"),
        &"no database ".repeat(100),
    );
    assert_ne!(work(folder.path(), &KEEPING)["memory_summary"], Value::Null);
    let said = said_in(folder.path());
    assert!(
        said.contains("warning: --memory-database: the long-term memory kept/memory.sqlite3: it is no database, or its beginning is damaged; move the file away"),
        "{said}"
    );
}

/// A farm with a session a second would fill its log.
#[test]
fn a_file_that_is_held_is_one_warning_however_many_sessions_end() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["cube"]);
    let mut server = Server::start(folder.path(), &KEEPING);
    server.load("cube").unwrap();
    let held = Holder::of(&folder.path().join("kept/memory.sqlite3"));
    for _ in 0..3 {
        server.call("cube__one", &json!({})).unwrap();
        let again = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        server.request("initialize", &again).unwrap();
    }
    server.end();
    drop(held);
    let said = said_in(folder.path());
    assert_eq!(said.matches("could not follow").count(), 1, "{said}");
}

#[test]
fn looking_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(run(folder.path(), &["state", "memory", "show", "--memory-database", "none.db"]), @"
    exit 0
    --- stdout
    --- stderr
    nothing is remembered: there is no file none.db
    ");
    for action in [
        &["forget", "--all"][..],
        &["forget", "--all", "--json"],
        &["export"],
    ] {
        let place = ["--memory-database", "none.db"];
        let said = run(
            folder.path(),
            &[&["state", "memory"], action, &place].concat(),
        );
        assert!(
            said.starts_with("exit 0") && said.contains("there is no file none.db"),
            "{said}"
        );
    }
    assert!(!folder.path().join("none.db").exists());
    insta::assert_snapshot!(run(folder.path(), &["state", "memory", "show"]), @"
    exit 2
    --- stdout
    --- stderr
    error: no file keeps a memory; name one with --memory-database or `database` below `[memory]` in metier.toml
    ");
}
