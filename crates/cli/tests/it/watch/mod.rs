//! `--watch`: what is written into a folder reaches whoever looks at it.

mod clients;
mod kinds;

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::command::{metier, mixed, write};

/// Long enough for a busy machine; nothing waits for it when all is well.
const BOUND: Duration = Duration::from_mins(1);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

/// The lines of a stream, so that waiting for one has an end.
struct Lines(Receiver<String>);

impl Lines {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (send, receive) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receive)
    }

    /// The next line that holds the text.
    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |line| line.contains(text))
    }

    /// The next line that is wanted.
    fn wait_until(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + BOUND;
        let mut seen = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.0.recv_timeout(left) {
                Ok(line) if is_wanted(&line) => return line,
                Ok(line) => seen.push(line),
                Err(error) => panic!("no line with `{what}` ({error}): {seen:#?}"),
            }
        }
    }
}

/// Ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Running {
    let mut command = metier(folder);
    command
        .args(arguments)
        .args(["--watch", "skills"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Running(command.spawn().unwrap())
}

fn add_skill(folder: &Path) {
    write(
        folder.join("skills/newcomer/SKILL.md"),
        "---\nname: newcomer\ndescription: Came later.\n---\n",
    );
}

#[test]
fn list_prints_again() {
    let folder = mixed();
    let mut child = start(folder.path(), &["list"]);
    let lines = Lines::of(child.0.stdout.take().unwrap());
    lines.wait_for("The good skill.");
    add_skill(folder.path());
    lines.wait_for("Came later.");
    write(
        folder.path().join("skills/newcomer/SKILL.md"),
        "---\nname: newcomer\ndescription: Stays.\n---\n",
    );
    lines.wait_for("Stays.");
}

#[test]
fn the_list_is_printed_once_before_anything_changes() {
    let folder = tempfile::tempdir().unwrap();
    for (name, needs) in [("a", "b"), ("b", "a")] {
        write(
            folder.path().join(format!("skills/{name}/SKILL.md")),
            &format!(
                "---\nname: {name}\ndescription: Needs.\nmetadata:\n  dcc-mcp:\n    depends: [{needs}]\n---\n"
            ),
        );
    }
    let mut child = start(folder.path(), &["list"]);
    let lines = Lines::of(child.0.stdout.take().unwrap());
    lines.wait_for("NAME");
    add_skill(folder.path());
    // Of what stood there before, one table was printed; the next one has the newcomer.
    let headers = std::cell::Cell::new(1);
    lines.wait_until("Came later.", |line| {
        headers.set(headers.get() + usize::from(line.contains("NAME")));
        line.contains("Came later.")
    });
    assert_eq!(headers.get(), 2);
}

#[test]
fn stdio_tells_its_client() {
    let folder = mixed();
    let mut child = start(folder.path(), &["stdio"]);
    let lines = Lines::of(child.0.stdout.take().unwrap());
    let mut input = child.0.stdin.take().unwrap();
    writeln!(input, "{INITIALIZE}").unwrap();
    lines.wait_for("protocolVersion");
    writeln!(input, "{INITIALIZED}").unwrap();
    writeln!(input, "{LIST}").unwrap();
    let before = lines.wait_for(r#""id":2"#);
    assert!(!before.contains("newcomer"), "{before}");
    add_skill(folder.path());
    lines.wait_for("notifications/tools/list_changed");
    writeln!(input, "{LIST}").unwrap();
    let after = lines.wait_for(r#""id":2"#);
    assert!(after.contains("__skill__newcomer"), "{after}");
}

/// Sends one request; gives its answer, head and body, as lines that come when they come.
fn send(address: &str, method: &str, session: &str, body: &str) -> Lines {
    let mut stream = TcpStream::connect(address).unwrap();
    let accept = if method == "GET" {
        "text/event-stream"
    } else {
        "application/json, text/event-stream"
    };
    write!(
        stream,
        "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: {accept}\r\n\
         {session}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    Lines::of(stream)
}

#[test]
fn serve_tells_its_client() {
    let folder = mixed();
    let mut child = start(folder.path(), &["serve", "--port", "0"]);
    let lines = Lines::of(child.0.stdout.take().unwrap());
    let url = lines.wait_for("http://");
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .unwrap();
    let head = send(address, "POST", "", INITIALIZE).wait_for("ession-");
    let session = format!(
        "{}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
        head.trim_end()
    );
    send(address, "POST", &session, INITIALIZED).wait_for("202");
    let events = send(address, "GET", &session, "");
    events.wait_for("200");
    add_skill(folder.path());
    events.wait_for("notifications/tools/list_changed");
    send(address, "POST", &session, LIST).wait_for("__skill__newcomer");
}

#[test]
fn the_operator_hears_of_every_change() {
    for command in [&["serve", "--port", "0"][..], &["stdio"]] {
        let folder = mixed();
        let mut child = start(folder.path(), command);
        let talk = Lines::of(child.0.stderr.take().unwrap());
        // The last of what is told at the start.
        talk.wait_for("half/tools.yaml");
        add_skill(folder.path());
        talk.wait_for("skill added: newcomer");
        let file = folder.path().join("skills/newcomer/SKILL.md");
        write(&file, "---\nname: newcomer\ndescription: [unclosed\n---\n");
        let broken = talk.wait_for("skill broken: newcomer: ");
        assert!(broken.contains("newcomer/SKILL.md:3:14"), "{broken}");
        assert!(broken.contains("last good version"), "{broken}");
        std::fs::remove_dir_all(folder.path().join("skills/newcomer")).unwrap();
        talk.wait_for("skill removed: newcomer");
    }
}
