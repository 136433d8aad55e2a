//! `metier serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use crate::command::{metier, mixed, run, write};

struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    /// Started once the URL is there.
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = metier(folder)
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let url = line.trim_end();
        let address = url
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address
            .unwrap_or_else(|| panic!("no URL in `{url}`"))
            .to_owned();
        Self {
            child,
            stdout,
            address,
        }
    }

    fn post(&self, body: &str) -> String {
        self.post_as(&self.address, body)
    }

    /// A message from a client that knows the server by another name.
    fn post_as(&self, host: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends SIGTERM to this child alone and returns what it had said.
    fn stop(mut self) -> (i32, String, String) {
        let id = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .arg(id)
                .status()
                .unwrap()
                .success()
        );
        let status = self.child.wait().unwrap();
        let mut out = String::new();
        self.stdout.read_to_string(&mut out).unwrap();
        let mut err = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        (status.code().unwrap_or(-1), out, err)
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;

#[test]
fn the_first_line_is_the_url_and_the_rest_is_talk() {
    let folder = mixed();
    let server = Server::start(folder.path(), &["skills"]);
    let answer = server.post(INITIALIZE);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("2025-11-25"), "{answer}");
    let address = server.address.clone();
    let (code, out, err) = server.stop();
    assert_eq!((code, out.as_str()), (0, ""));
    insta::assert_snapshot!(err.replace(&address, "ADDRESS"));
}

#[test]
fn a_folder_without_skills_is_served_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let server = Server::start(folder.path(), &["empty"]);
    assert!(server.post(INITIALIZE).starts_with("HTTP/1.1 200"));
    let (code, _, err) = server.stop();
    assert_eq!(code, 0);
    assert!(
        err.contains("no skill was found; looked in:\n  command line  no skill in it  empty\n"),
        "{err}"
    );
}

#[test]
fn a_port_in_use_is_named() {
    let folder = mixed();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let text = run(folder.path(), &["serve", "--port", &port, "skills"]);
    assert!(
        text.starts_with("exit 2") && text.contains(&port) && text.contains("already in use"),
        "{text}"
    );
}

#[test]
fn wrong_usage_is_explained() {
    let folder = mixed();
    for (arguments, word) in [
        (
            &["serve", "--host", "0.0.0.0", "--port", "0", "skills"][..],
            "--insecure",
        ),
        (&["serve", "--env", "A*B", "--port", "0", "skills"], "A*B"),
        (
            &["serve", "--root", "nowhere", "--port", "0", "skills"],
            "--root nowhere",
        ),
        (&["serve", "--timeout", "0", "skills"], "--timeout"),
        (&["serve", "nowhere"], "nowhere: there is no such folder"),
    ] {
        let text = run(folder.path(), arguments);
        assert!(text.starts_with("exit 2") && text.contains(word), "{text}");
    }
}

#[test]
fn another_name_of_the_server_is_refused_unless_it_is_allowed() {
    let folder = mixed();
    let server = Server::start(folder.path(), &["skills"]);
    let refused = server.post_as("tools.studio.example", INITIALIZE);
    assert!(refused.starts_with("HTTP/1.1 4"), "{refused}");
    server.stop();
    let arguments = ["--allowed-host", "tools.studio.example", "skills"];
    let server = Server::start(folder.path(), &arguments);
    let served = server.post_as("tools.studio.example", INITIALIZE);
    assert!(served.starts_with("HTTP/1.1 200"), "{served}");
    server.stop();
}

#[test]
fn what_cannot_be_used_is_counted_and_named() {
    let folder = mixed();
    let skill = |name: &str, more: &str| {
        write(
            folder.path().join(format!("skills/{name}/SKILL.md")),
            &format!(
                "---\nname: {name}\ndescription: The {name} skill.\nmetadata: {{dcc-mcp: {{{more}}}}}\n---\n"
            ),
        );
    };
    skill("torn", "tools: tools.yaml");
    write(folder.path().join("skills/torn/tools.yaml"), "tools: [\n");
    skill("waits", "depends: [nowhere]");
    let server = Server::start(folder.path(), &["skills"]);
    let address = server.address.clone();
    let (_, _, err) = server.stop();
    insta::assert_snapshot!(err.replace(&address, "ADDRESS"));
}

#[test]
fn tools_that_will_refuse_are_counted() {
    let line = |arguments: &[&str]| {
        let (_, _, err) = Server::start(&crate::command::fixtures(), arguments).stop();
        let line = err.lines().find(|line| line.contains("will refuse"));
        line.map(ToOwned::to_owned)
    };
    insta::assert_snapshot!(line(&["demo"]).unwrap(), @"6 of 21 tools will refuse for want of a capability; if this machine can do that: --capability filesystem.read --capability filesystem.write");
    let granted = line(&[
        "--capability",
        "filesystem.read",
        "--capability",
        "filesystem.write",
        "demo",
    ]);
    assert_eq!(granted, None);
}
