//! A server that keeps what it has loaded, and its client.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::command::{metier, write};

/// Makes skills of version 1.0.0 with a group that is active by default and one that is not.
pub(crate) fn skills(folder: &Path, names: &[&str]) {
    for name in names {
        skill(folder, name, "1.0.0");
    }
}

pub(crate) fn skill(folder: &Path, name: &str, version: &str) {
    let skill = folder.join("skills").join(name);
    write(
        skill.join("SKILL.md"),
        &format!(
            "---\nname: {name}\ndescription: The {name} skill.\nmetadata: {{dcc-mcp: {{version: {version}, tools: tools.yaml}}}}\n---\n"
        ),
    );
    write(
        skill.join("tools.yaml"),
        "groups: [{name: basic, default-active: true}, {name: expert}]\ntools:\n\
         \x20 - {name: one, group: basic, source_file: scripts/run.py}\n\
         \x20 - {name: two, group: expert, source_file: scripts/run.py}\n",
    );
    write(skill.join("scripts/run.py"), "print('{}')\n");
}

pub(crate) struct Server {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    /// `metier stdio` with these arguments, its state in `state`, what it says in `said`.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = metier(folder);
        command
            .args(["stdio", "--state-dir", "state"])
            .args(arguments);
        Self::of(command, folder)
    }

    pub(crate) fn of(mut command: Command, folder: &Path) -> Self {
        let said = std::fs::File::create(folder.join("said")).unwrap();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said)
            .spawn()
            .unwrap();
        let mut server = Self {
            stdin: child.stdin.take(),
            lines: BufReader::new(child.stdout.take().unwrap()),
            child,
            next: 1,
        };
        let begun = server.request(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}),
        );
        assert!(begun.is_some(), "{}", said_in(folder));
        server
    }

    /// The answer; `None` when the server is gone.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Option<Value> {
        let id = self.next;
        self.next += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin.as_mut()?, "{message}").ok()?;
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            // The last line of one that was killed may be cut.
            let answer: Value = serde_json::from_str(&line).ok()?;
            if answer["id"] == id {
                return Some(answer);
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// All that `tools/list` answers.
    pub(crate) fn listed(&mut self) -> String {
        let answer = self.request("tools/list", &json!({})).unwrap();
        answer.to_string()
    }

    pub(crate) fn load(&mut self, skill: &str) -> Option<Value> {
        self.call("load_skill", &json!({"skill_name": skill}))
    }

    pub(crate) fn unload(&mut self, skill: &str) -> Option<Value> {
        self.call("unload_skill", &json!({"skill_name": skill}))
    }

    /// The wire names of the skills' tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", &json!({})).unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names
            .filter(|name| !name.starts_with("__"))
            .filter(|name| name.ends_with("__one") || name.ends_with("__two"))
            .map(str::to_owned)
            .collect()
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It is gone already when it was ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn said_in(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("said")).unwrap()
}

/// Something comes to hold after a while; a bound that no machine reaches.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed().as_secs() < 60, "{what} never came");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
