//! A server that is killed leaves no script behind.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{answered, metier, on_a_pipe, on_a_socket, write};
use crate::http_client::{Client, INITIALIZE, call};

/// A child in its group, two that left the group but not the session, one of them without the environment it was
/// started with, and two in sessions of their own, one of them without its parent. The mark stands in each command line.
const SCRIPT: &str = r#"
sleep 86400.MARK0 &
set -m
sleep 86400.MARK1 &
env -i "$(command -v sleep)" 86400.MARK2 &
setsid sleep 86400.MARK3 &
(setsid sleep 86400.MARK4 &)
touch ready
wait
"#;

/// A folder with a tool that stays, its processes told by a number that no other test has.
struct Stage {
    folder: tempfile::TempDir,
    mark: String,
}

impl Stage {
    fn new(number: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("{}{number}", std::process::id());
        let skill = folder.path().join("skills/long");
        write(
            skill.join("SKILL.md"),
            "---\nname: long\ndescription: Stays.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
        );
        write(
            skill.join("tools.yaml"),
            "tools:\n  - name: stay\n    source_file: scripts/stay.sh\n",
        );
        write(
            skill.join("scripts/stay.sh"),
            &SCRIPT.replace("MARK", &mark),
        );
        Self { folder, mark }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The living processes of the script: those with the mark, and those that run the script.
    fn alive(&self) -> Vec<u32> {
        let script = self.path().join("skills/long/scripts/stay.sh");
        let script = script.canonicalize().unwrap();
        processes(|line| {
            line.contains(&format!("86400.{}", self.mark))
                || line.contains(script.to_str().unwrap())
        })
    }

    fn wait_for(&self, what: &str, done: impl Fn() -> bool) {
        let started = Instant::now();
        while !done() {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "waited in vain for {what}: {:?}",
                self.alive()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The script and its five children run, and a watchdog with them.
    fn is_under_way(&self, server: u32) {
        let ready = self.path().join("skills/long/ready");
        self.wait_for("the script", || ready.exists() && self.alive().len() == 6);
        self.wait_for("the watchdog", || watchdogs(server).len() == 1);
    }

    fn ends_after_kill(&self, mut server: Child) {
        self.is_under_way(server.id());
        let dogs = watchdogs(server.id());
        server.kill().unwrap();
        server.wait().unwrap();
        self.wait_for("the end of the script", || self.alive().is_empty());
        self.wait_for("the end of the watchdog", || {
            let left = processes(|line| line.contains("__watchdog"));
            !dogs.iter().any(|dog| left.contains(dog))
        });
    }
}

/// The living processes whose command line is wanted.
fn processes(wanted: impl Fn(&str) -> bool) -> Vec<u32> {
    let ids = std::fs::read_dir("/proc").unwrap().flatten();
    ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id: &u32| {
            // A dead process has no command line.
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            wanted(&String::from_utf8_lossy(&line).replace('\0', " "))
        })
        .collect()
}

/// The watchdogs that are children of a server.
fn watchdogs(server: u32) -> Vec<u32> {
    let mut dogs = processes(|line| line.contains("__watchdog"));
    dogs.retain(|dog| {
        let status = std::fs::read_to_string(format!("/proc/{dog}/status")).unwrap_or_default();
        status.contains(&format!("PPid:\t{server}\n"))
    });
    dogs
}

#[test]
fn nothing_is_left_of_a_killed_stdio_server() {
    let stage = Stage::new(1);
    let (server, mut input, mut output) = on_a_pipe(stage.path(), &[]);
    for message in [
        INITIALIZE,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &call(1, "load_skill", r#"{"skill_name":"long"}"#),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    answered(&mut output, 1);
    writeln!(input, "{}", call(2, "long__stay", "{}")).unwrap();
    stage.ends_after_kill(server);
    // Nothing of the watchdog holds the pipe: the client sees the end.
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest).unwrap();
}

#[test]
fn nothing_is_left_of_a_killed_http_server() {
    let stage = Stage::new(2);
    let mut server = on_a_socket(stage.path(), &[]);
    let mut client = Client::of(&mut server);
    client.exchange(&call(1, "load_skill", r#"{"skill_name":"long"}"#));
    let waiting = client.send(&call(2, "long__stay", "{}"));
    stage.ends_after_kill(server);
    drop(waiting);
}

#[test]
fn nothing_is_left_of_a_killed_call() {
    let stage = Stage::new(3);
    let server = metier(stage.path())
        .args(["call", "long__stay", "skills"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    stage.ends_after_kill(server);
}

#[test]
fn a_watchdog_that_was_ended_is_replaced_and_a_polite_signal_does_not_end_it() {
    let stage = Stage::new(4);
    let (server, mut input, mut output) = on_a_pipe(stage.path(), &[]);
    writeln!(input, "{INITIALIZE}").unwrap();
    writeln!(
        input,
        "{}",
        call(1, "load_skill", r#"{"skill_name":"long"}"#)
    )
    .unwrap();
    answered(&mut output, 1);
    writeln!(input, "{}", call(2, "long__stay", "{}")).unwrap();
    stage.is_under_way(server.id());
    let first = watchdogs(server.id());
    signal("TERM", first[0]);
    signal("KILL", first[0]);
    stage.wait_for("the end of the watchdog", || {
        watchdogs(server.id()).is_empty()
    });
    // The server hears of it when it next has something to say; from then on all is as before.
    for id in 3..6 {
        std::fs::remove_file(stage.path().join("skills/long/ready")).unwrap();
        let cancel = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
            id - 1
        );
        writeln!(input, "{cancel}").unwrap();
        stage.wait_for("the cancel", || stage.alive().is_empty());
        writeln!(input, "{}", call(id, "long__stay", "{}")).unwrap();
        stage.is_under_way(server.id());
    }
    stage.ends_after_kill(server);
}

#[test]
fn the_next_watchdog_is_told_what_runs_already() {
    let stage = Stage::new(5);
    let (mut server, mut input, mut output) = on_a_pipe(stage.path(), &["--load", "long"]);
    writeln!(input, "{INITIALIZE}").unwrap();
    answered(&mut output, 0);
    writeln!(input, "{}", call(1, "long__stay", "{}")).unwrap();
    stage.is_under_way(server.id());
    signal("KILL", watchdogs(server.id())[0]);
    stage.wait_for("the end of the watchdog", || {
        watchdogs(server.id()).is_empty()
    });
    // The second script starts a watchdog, and the first one is older than that.
    writeln!(input, "{}", call(2, "long__stay", "{}")).unwrap();
    stage.wait_for("both scripts", || stage.alive().len() == 12);
    server.kill().unwrap();
    server.wait().unwrap();
    stage.wait_for("the end of both", || stage.alive().is_empty());
}

fn signal(name: &str, id: u32) {
    let sent = Command::new("kill")
        .args(["-s", name, &id.to_string()])
        .status();
    assert!(sent.unwrap().success());
}
