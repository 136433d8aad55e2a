//! A thousand calls at once.

use std::io::Read as _;

use crate::command::{metier, on_a_socket, write};
use crate::http_client::{Client, call};

/// Answers with what it was sent once the file `go` is there.
const SCRIPT: &str =
    "read -r sent\nuntil [ -e go ]; do sleep 0.02; done\necho \"{\\\"sent\\\": $sent}\"\n";

/// A server that ends with its test, however that ends.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A thousand, or as many as a process may have connections here.
fn most() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let files = line.unwrap().split_whitespace().nth(3).unwrap();
    // The server needs some for its scripts, and this process for the tests beside this one.
    let files = files.parse().unwrap_or(usize::MAX);
    assert!(files > 500, "no machine is that small");
    files.saturating_sub(400).min(1_000)
}

#[test]
fn a_thousand_calls_at_once_are_answered_and_the_list_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/many");
    write(
        skill.join("SKILL.md"),
        "---\nname: many\ndescription: Many.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        skill.join("tools.yaml"),
        "tools:\n  - name: call\n    source_file: scripts/call.sh\n    timeout_hint_secs: 300\n",
    );
    write(skill.join("scripts/call.sh"), SCRIPT);
    let mut server = Ended(on_a_socket(folder.path(), &[]));
    let mut client = Client::of(&mut server.0);
    client.exchange(&call(1, "load_skill", r#"{"skill_name":"many"}"#));

    let calls: Vec<_> = (0..most())
        .map(|n| {
            let id = u32::try_from(n).unwrap() + 10;
            client.send(&call(id, "many__call", &format!("{{\"n\":{n}}}")))
        })
        .collect();
    // No call can end before the file is there, and all of them have been sent.
    let listed = client.exchange(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert!(listed.contains("\"many__call\""), "{listed}");
    write(skill.join("go"), "");
    for (n, mut stream) in calls.into_iter().enumerate() {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let wanted = format!("\"structuredContent\":{{\"sent\":{{\"n\":{n}}}}}");
        assert!(answer.contains(&wanted), "{n}: {answer}");
    }
}

#[test]
fn a_server_that_has_no_files_left_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/quick");
    write(
        skill.join("SKILL.md"),
        "---\nname: quick\ndescription: Quick.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        skill.join("tools.yaml"),
        "tools:\n  - name: call\n    source_file: scripts/call.sh\n",
    );
    write(skill.join("scripts/call.sh"), "echo '{\"ok\": true}'\n");
    let mut refused = 0;
    // Which of these is the last that is too few depends on the machine.
    for files in 14..30 {
        let limited = format!("ulimit -n {files}; exec \"$0\" call quick__call skills");
        let metier = metier(folder.path());
        let output = std::process::Command::new("bash")
            .args(["-c", &limited])
            .arg(metier.get_program())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        if !said.contains("{\"ok\":true}") {
            let all = format!("{said}{}", String::from_utf8_lossy(&output.stderr));
            assert!(all.contains("open files"), "{files}: {all}");
            assert!(!all.contains("gone"), "{files}: {all}");
            refused += 1;
        }
    }
    assert!(refused > 0, "no limit was low enough to show anything");
}
