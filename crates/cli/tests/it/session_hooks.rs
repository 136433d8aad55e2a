//! Programs hear once of each session that begins and once of its end, whichever way it ends; and a
//! program that refuses a skill is asked on the ways that no client takes.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{metier, on_a_socket, run, write};
use crate::hooks::{hook, seen, stage};
use crate::http_client::{Client, INITIALIZE, call};
use crate::persist_server::{Server, said_in, wait_for};
use crate::quality::Holder;
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

/// Hooks of the end of a session that take for ever, each with its id in `pids`, and what was learned.
fn sleepers() -> TempDir {
    let hook = "[[hooks]]\nevent = 'on_session_end'\ncommand = ['bash', '-c', 'echo $$ >> pids; sleep 600 & wait']\ntimeout = 600\n\n\
                [memory]\ndatabase = 'memory.sqlite3'\n";
    stage(hook)
}

fn sleeping(folder: &Path) -> Vec<String> {
    let pids = std::fs::read_to_string(folder.join("pids")).unwrap_or_default();
    pids.lines().map(str::to_owned).collect()
}

fn assert_gone(folder: &Path) {
    for pid in sleeping(folder) {
        wait_for("the end of a hook", || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            stat.map_or(true, |stat| stat.contains(") Z "))
                .then_some(())
        });
    }
}

fn work(client: &mut Client) {
    client.exchange(&call(1, "load_skill", r#"{"skill_name": "good"}"#));
    client.exchange(&call(2, "good__echo", r#"{"n": 1}"#));
}

#[cfg(target_os = "linux")]
#[test]
fn hooks_that_sleep_do_not_keep_a_server_that_is_to_stop_and_what_was_learned_is_kept() {
    let folder = sleepers();
    let mut server = on_a_socket(folder.path(), &[]);
    let first = Client::of(&mut server);
    let mut clients: Vec<Client> = (0..39).map(|_| first.another()).collect();
    clients.push(first);
    clients.iter_mut().for_each(work);
    let began = std::time::Instant::now();
    term(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let took = began.elapsed().as_secs();
    assert!((5..20).contains(&took), "{took} s");
    assert!(sleeping(folder.path()).len() > 16, "as many as run at once");
    assert_gone(folder.path());
    let shown = run(folder.path(), &["state", "memory", "show", "--json"]);
    assert!(shown.contains("\"entries\": 40"), "{shown}");
}

/// No session follows the last one of a server that would try it again.
#[test]
fn what_the_last_session_learned_while_the_file_was_held_is_written_at_the_end() {
    let folder = stage("[memory]\ndatabase = 'memory.sqlite3'\n");
    let mut server = on_a_socket(folder.path(), &[]);
    let mut client = Client::of(&mut server);
    work(&mut client);
    let held = Holder::of(&folder.path().join("memory.sqlite3"));
    let mut answer = String::new();
    client.delete().read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    drop(held);
    term(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let shown = run(folder.path(), &["state", "memory", "show", "--json"]);
    assert!(shown.contains("\"entries\": 1"), "{shown}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_a_server_at_once_and_its_hooks() {
    let folder = sleepers();
    let mut server = on_a_socket(folder.path(), &[]);
    let _client = Client::of(&mut server);
    term(&server);
    wait_for("a hook", || {
        (!sleeping(folder.path()).is_empty()).then_some(())
    });
    // One that follows the first at once is the same.
    let code = wait_for("the end of the server", || {
        let ended = server.try_wait().unwrap();
        if ended.is_none() {
            term(&server);
        }
        ended
    });
    assert_eq!(code.code(), Some(128 + 15));
    assert_gone(folder.path());
}

#[cfg(target_os = "linux")]
#[test]
fn over_stdio_hooks_that_sleep_hold_up_neither_a_signal_nor_the_end_of_input() {
    for by_signal in [true, false] {
        let folder = sleepers();
        let mut session = Session::start(folder.path(), &["skills"]);
        session.initialize();
        let began = std::time::Instant::now();
        let (code, _, err) = if by_signal {
            term(session.child());
            session.end()
        } else {
            session.end_of_input()
        };
        assert_eq!(code, 0, "{err}");
        assert!(began.elapsed().as_secs() < 20, "{by_signal}");
        assert_gone(folder.path());
    }
}

/// Its first message is not answered yet.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_goes_while_hooks_hear_of_it_is_not_waited_for() {
    let folder = stage(
        "[[hooks]]\nevent = 'on_session_start'\ncommand = ['bash', '-c', 'echo $$ >> pids; sleep 600 & wait']\ntimeout = 600\n",
    );
    let mut session = Session::start(folder.path(), &["skills"]);
    session.send(&serde_json::from_str(INITIALIZE).unwrap());
    wait_for("a hook", || {
        (!sleeping(folder.path()).is_empty()).then_some(())
    });
    let (code, _, err) = session.end_of_input();
    assert_eq!(code, 0, "{err}");
    assert_gone(folder.path());
}

/// A policy of a skill that is to be loaded at the start is waited for, a signal all the same obeyed.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_still_starting_can_be_stopped() {
    let folder = stage(
        "[[hooks]]\nevent = 'before_skill_load'\ncommand = ['bash', '-c', 'echo $$ >> pids; sleep 600 & wait']\ntimeout = 600\n",
    );
    let mut server = on_a_socket(folder.path(), &["--load", "good"]);
    wait_for("a hook", || {
        (!sleeping(folder.path()).is_empty()).then_some(())
    });
    term(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert_gone(folder.path());
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_that_a_policy_holds_up_ends_with_the_first_signal() {
    let folder = stage(
        "[[hooks]]\nevent = 'before_tool_call'\ncommand = ['bash', '-c', 'echo $$ >> pids; sleep 600 & wait']\ntimeout = 600\n",
    );
    let mut call = metier(folder.path())
        .args(["call", "good__echo", "--args", "{\"n\": 1}", "skills"])
        .spawn()
        .unwrap();
    wait_for("a hook", || {
        (!sleeping(folder.path()).is_empty()).then_some(())
    });
    term(&call);
    assert_eq!(call.wait().unwrap().code(), Some(1));
    assert_gone(folder.path());
}

/// The tool has done its work: whoever is not told calls it again.
#[cfg(target_os = "linux")]
#[test]
fn a_call_that_a_hook_after_it_holds_up_gives_its_result_at_the_first_signal() {
    // Of a hook that comes to its end, one that does not, and a second signal.
    for (lasts, again, code) in [("1", false, 0), ("600", false, 0), ("600", true, 128 + 15)] {
        let folder = stage(&format!(
            "[[hooks]]\nevent = 'after_tool_call'\ncommand = ['bash', '-c', 'echo $$ >> pids; sleep {lasts} & wait']\ntimeout = 600\n"
        ));
        let mut call = metier(folder.path())
            .args([
                "call",
                "good__echo",
                "--args",
                "{\"n\": 1}",
                "--audit-log",
                "audit.jsonl",
                "skills",
            ])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        wait_for("a hook", || {
            (!sleeping(folder.path()).is_empty()).then_some(())
        });
        term(&call);
        let mut result = [0; 1];
        // It is there before the hook is done.
        let mut out = call.stdout.take().unwrap();
        out.read_exact(&mut result).unwrap();
        if again {
            wait_for("the end of the call", || {
                term(&call);
                call.try_wait().unwrap()
            });
        }
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        let said = call.wait_with_output().unwrap();
        assert_eq!(said.status.code(), Some(code), "{lasts} {again}");
        let err = String::from_utf8(said.stderr).unwrap();
        assert!(rest.ends_with('\n') && rest.contains('1'), "{rest}");
        let cut = err.contains("hooks after the call");
        assert_eq!(cut, lasts == "600" && !again, "{err}");
        assert!(!err.contains("cancelled"), "{err}");
        let audit = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
        assert!(audit.contains("\"outcome\":\"ok\""), "{audit}");
        assert_gone(folder.path());
    }
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
    for (skill, needed) in [("good", ""), ("needs-good", ", which `needs-good` needs,")] {
        let refused = format!(
            "not restored: `{skill}`: loading `good`{needed} was denied by policy: thirteen is unlucky; take twelve"
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
