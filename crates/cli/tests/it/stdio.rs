//! `metier stdio`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::command::{metier, mixed, run};
use crate::http_client::stateless_call;

pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = metier(folder)
            .arg("stdio")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The next message that holds this member.
    pub(crate) fn next_with(&mut self, member: &str) -> Value {
        loop {
            let message = self.next();
            if message.get(member).is_some() {
                return message;
            }
        }
    }

    pub(crate) fn initialize(&mut self) {
        self.send(&request(0, "initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}})));
        assert_eq!(self.next()["result"]["protocolVersion"], "2025-11-25");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    pub(crate) fn call(&mut self, id: u32, tool: &str, arguments: &Value) -> Value {
        self.send(&request(
            id,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        ));
        let answer = self.next_with("id");
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool that takes no arguments as a client without a session.
    pub(crate) fn call_stateless(&mut self, id: u32, tool: &str) {
        self.send(&serde_json::from_str(&stateless_call(id, tool, "{}")).unwrap());
        assert_eq!(self.next_with("id")["id"], id);
    }

    pub(crate) fn child(&self) -> &Child {
        &self.child
    }

    /// Closes the input and waits for the end.
    pub(crate) fn end_of_input(mut self) -> (i32, String, String) {
        self.input = None;
        self.end()
    }

    /// Waits for the end: the exit code, the rest of stdout, stderr.
    pub(crate) fn end(mut self) -> (i32, String, String) {
        let mut out = String::new();
        self.output.read_to_string(&mut out).unwrap();
        let mut err = String::new();
        let mut said = self.child.stderr.take().unwrap();
        said.read_to_string(&mut err).unwrap();
        let status = self.child.wait().unwrap();
        (status.code().unwrap_or(-1), out, err)
    }
}

pub(crate) fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn a_skill_is_loaded_called_and_the_end_of_input_ends_it() {
    let folder = mixed();
    let mut session = Session::start(folder.path(), &["skills"]);
    session.initialize();
    let loaded = session.call(1, "load_skill", &json!({"skill_name": "good"}));
    assert_eq!(loaded["isError"], false, "{loaded}");
    let called = session.call(2, "good__echo", &json!({"n": 3}));
    assert_eq!(called["structuredContent"]["got"]["n"], 3, "{called}");
    session.input = None;
    let (code, out, err) = session.end();
    // Whether the notice of the load came before or after its answer is open.
    let rest: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(rest.len() <= 1, "{rest:?}");
    assert_eq!(code, 0);
    insta::assert_snapshot!(err);
}

#[test]
fn messages_of_a_pipe_are_answered_before_it_ends() {
    let folder = mixed();
    let mut session = Session::start(folder.path(), &["--stubs", "none", "skills"]);
    session.send(&request(0, "initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}})));
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session.send(&request(1, "tools/list", &json!({})));
    session.input = None;
    assert_eq!(session.next()["id"], 0);
    let listed = session.next();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| !tool["name"].as_str().unwrap().starts_with("__skill__"))
    );
    assert_eq!(session.end().0, 0);
}

#[test]
fn the_tool_for_texts_is_listed_when_it_is_wanted() {
    let folder = mixed();
    let listed = |arguments: &[&str]| {
        let mut session = Session::start(folder.path(), arguments);
        session.initialize();
        session.send(&request(1, "tools/list", &json!({})));
        let tools = session.next_with("id")["result"]["tools"].to_string();
        assert_eq!(session.end_of_input().0, 0);
        tools.contains("\"read_skill_file\"")
    };
    // Every skill here has tools, so a client needs none of the texts.
    assert!(!listed(&["skills"]));
    assert!(listed(&["--skill-tools", "on", "skills"]));
    std::fs::write(folder.path().join("metier.toml"), "skill_tools = 'on'\n").unwrap();
    assert!(listed(&["skills"]));
    assert!(!listed(&["--skill-tools", "auto", "skills"]));
    std::fs::write(folder.path().join("metier.toml"), "skill_tools = false\n").unwrap();
    let only_words = "---\nname: words\ndescription: x\n---\n";
    std::fs::create_dir(folder.path().join("skills/words")).unwrap();
    std::fs::write(folder.path().join("skills/words/SKILL.md"), only_words).unwrap();
    assert!(!listed(&["skills"]));
    assert!(listed(&["--no-config", "skills"]));
    insta::assert_snapshot!(run(folder.path(), &["stdio", "--skill-tools", "sometimes", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: invalid value 'sometimes' for '--skill-tools <WHEN>'
      [possible values: auto, on, off]

    For more information, try '--help'.
    ");
}

/// A skill whose tool says which processes it is, then stays.
fn staying() -> tempfile::TempDir {
    let folder = mixed();
    let skill = folder.path().join("skills/long");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: long\ndescription: Stays.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    )
    .unwrap();
    let tools = "tools:\n  - name: stay\n    source_file: scripts/stay.sh\n";
    std::fs::write(skill.join("tools.yaml"), tools).unwrap();
    let script = "sleep 300 &\necho \"::progress::{\\\"progress\\\": 1, \\\"message\\\": \\\"$$ $!\\\"}\" >&2\nwait\n";
    std::fs::write(skill.join("scripts/stay.sh"), script).unwrap();
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_input_and_a_signal_end_a_running_script_and_its_child() {
    fn is_alive(id: &str) -> bool {
        match std::fs::read_to_string(Path::new("/proc").join(id).join("stat")) {
            Ok(stat) => !stat
                .rsplit_once(')')
                .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')),
            Err(_) => false,
        }
    }

    let folder = staying();
    for by_signal in [false, true] {
        let mut session = Session::start(folder.path(), &["skills"]);
        session.initialize();
        session.call(1, "load_skill", &json!({"skill_name": "long"}));
        let params = json!({"name": "long__stay", "_meta": {"progressToken": 1}});
        session.send(&request(2, "tools/call", &params));
        let progress = loop {
            let message = session.next();
            if message["method"] == "notifications/progress" {
                break message;
            }
        };
        let ids = progress["params"]["message"].as_str().unwrap().to_owned();
        let (script, child) = ids.split_once(' ').unwrap();
        assert!(is_alive(script) && is_alive(child), "{ids}");
        if by_signal {
            let server = session.child.id().to_string();
            let mut kill = std::process::Command::new("kill");
            assert!(kill.arg(server).status().unwrap().success());
        } else {
            session.input = None;
        }
        let (code, out, _) = session.end();
        assert_eq!((code, out.as_str()), (0, ""));
        assert!(!is_alive(script) && !is_alive(child), "{ids}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = mixed();
    let text = run(folder.path(), &["stdio", "nowhere"]);
    assert!(
        text.starts_with("exit 2") && text.contains("nowhere: there is no such folder"),
        "{text}"
    );
}

/// A client that sends one call and goes, as the Inspector's command line does.
#[test]
fn what_is_loaded_at_the_start_can_be_called_at_once() {
    let folder = mixed();
    std::fs::write(folder.path().join("metier.toml"), "load = ['good']\n").unwrap();
    for arguments in [
        &["--load", "good", "--no-config", "skills"][..],
        &["--load", "all", "--no-config", "skills"],
        &["skills"],
    ] {
        let mut session = Session::start(folder.path(), arguments);
        session.initialize();
        let answer = session.call(1, "good__echo", &json!({"n": 1}));
        assert_eq!(
            answer["structuredContent"]["got"]["n"], 1,
            "{arguments:?}: {answer}"
        );
        session.input = None;
        assert_eq!(session.end().0, 0);
    }
}

#[test]
fn a_skill_to_load_that_is_not_there_is_refused() {
    let folder = mixed();
    for command in ["stdio", "serve"] {
        assert_eq!(
            run(folder.path(), &[command, "--load", "goood", "skills"]),
            "exit 2\n--- stdout\n--- stderr\n\
             error: --load goood: there is no such skill; did you mean `good`?\n"
        );
    }
}

#[test]
fn an_unknown_skill_to_load_is_told_with_who_named_it() {
    let folder = mixed();
    crate::command::write(folder.path().join("metier.toml"), "load = ['goood']\n");
    let said = run(folder.path(), &["stdio", "skills"]);
    let wanted = "metier.toml:1:1: load goood: there is no such skill; did you mean `good`?";
    assert!(said.contains("exit 2") && said.contains(wanted), "{said}");
    let said = run(folder.path(), &["stdio", "--load", "goood", "skills"]);
    let wanted = "--load goood: there is no such skill; did you mean `good`?";
    assert!(
        said.contains(wanted) && !said.contains("metier.toml"),
        "{said}"
    );
}
