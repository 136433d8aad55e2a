//! Programs hear once of each session that begins and once of its end, whichever way it ends; and a
//! program that refuses a skill is asked on the ways that no client takes.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{metier, on_a_socket, write};
use crate::hooks::{hook, seen, stage};
use crate::http_client::Client;
use crate::persist_server::{Server, said_in, wait_for};
use crate::stdio::Session;

fn sessions() -> TempDir {
    stage(&[hook("on_session_start", ""), hook("on_session_end", "")].concat())
}

/// What was told of each session, in order.
fn told(folder: &Path) -> Vec<Vec<String>> {
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in seen(folder) {
        let id = event["session_id"].as_str().unwrap().to_owned();
        let what = event["reason"].as_str().unwrap_or("start");
        told.entry(id).or_default().push(what.to_owned());
    }
    let mut told: Vec<Vec<String>> = told.into_values().collect();
    told.sort_unstable();
    told
}

fn term(child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn over_http_a_deletion_and_a_stop_are_told_once_each() {
    let folder = sessions();
    let mut server = on_a_socket(folder.path(), &[]);
    let first = Client::of(&mut server);
    let (second, _third) = (first.another(), first.another());
    first.call_stateless("list_skills", "{}");
    first.call_stateless("list_skills", "{}");
    let mut answer = String::new();
    first.delete().read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    // Whoever does not wait for the answer has ended his session too.
    drop(second.delete());
    wait_for("the end of the second", || {
        let closed = |told: &&Vec<String>| told.last().is_some_and(|it| it == "closed");
        (told(folder.path()).iter().filter(closed).count() == 2).then_some(())
    });
    term(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert_eq!(
        told(folder.path()),
        [
            ["start", "closed"],
            ["start", "closed"],
            ["start", "shutdown"],
            ["start", "shutdown"],
        ]
    );
}

#[test]
fn over_stdio_a_signal_ends_both_kinds_of_client_once() {
    let folder = sessions();
    let mut session = Session::start(folder.path(), &["skills"]);
    session.initialize();
    session.call_stateless(1, "list_skills");
    term(session.child());
    let (code, _, err) = session.end();
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        told(folder.path()),
        [["start", "closed"], ["start", "shutdown"]]
    );
}

#[test]
fn case_143_a_program_refuses_on_the_way_back_too() {
    let folder = stage("");
    let path = folder.path();
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("needs-good").unwrap();
    server.end();
    write(
        path.join("metier.toml"),
        &hook("before_skill_load", ", 'good'"),
    );
    let kept = std::fs::read_to_string(path.join("state/python/loaded.json")).unwrap();
    let server = Server::start(path, &["--persist", "skills"]);
    let said = said_in(path);
    for skill in ["good", "needs-good"] {
        let refused = format!(
            "not restored: `{skill}`: loading `good` was denied by policy: thirteen is unlucky; take twelve"
        );
        assert!(said.contains(&refused), "{said}");
    }
    server.end();
    let after = std::fs::read_to_string(path.join("state/python/loaded.json")).unwrap();
    assert_eq!(after, kept, "the next start asks again");
    // A call of its tool and a call through the core tool are no ways around it.
    for (tool, arguments) in [
        ("good__echo", json!({"n": 1})),
        ("load_skill", json!({"skill_name": "needs-good"})),
    ] {
        let output = metier(path)
            .args(["call", tool, "--args", &arguments.to_string(), "skills"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("thirteen is unlucky") && text.contains("take twelve"));
    }
}
