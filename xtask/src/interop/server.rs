//! A running server: `metier serve`, or one that tells its URL as that does.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long the server may take to accept connections.
const START: Duration = Duration::from_mins(1);

/// Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    /// Starts the server on any free port and waits for the line that says where it is.
    pub(crate) fn start(metier: &Path, words: &[&OsStr], place: &Path) -> Result<Self, String> {
        let mut command = Command::new(metier);
        command.args(["serve", "--port", "0"]).args(words);
        Self::spawn(command.stdin(Stdio::null()), place)
    }

    /// Starts a program that prints the URL it serves at as its first line.
    pub(crate) fn spawn(command: &mut Command, place: &Path) -> Result<Self, String> {
        let log = place.join("server.log");
        let errors = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let child = without_skill_variables(command)
            .env("METIER_STATE_DIR", place.join("state"))
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("the server did not start: {error}"))?;
        let mut server = Self {
            child,
            url: String::new(),
        };
        let output = server
            .child
            .stdout
            .take()
            .ok_or("the server has no standard output")?;
        server.url = first_line(output).ok_or_else(|| {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            format!("the server printed no URL; it said: {}", said.trim())
        })?;
        Ok(server)
    }

    /// The process, for whoever asks the system about it.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end and only the status to collect.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the caller's shell says about skills must not change what is tested.
pub(crate) fn without_skill_variables(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DCC_MCP_") {
            command.env_remove(name);
        }
    }
    command
}

/// The first line, while a thread goes on reading, so that the server never waits for us.
fn first_line(output: ChildStdout) -> Option<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        if output.read_line(&mut line).is_ok() && !line.trim().is_empty() {
            // Nobody listens any more once the wait is over.
            let _ = sender.send(line.trim().to_owned());
        }
        let _ = std::io::copy(&mut output.by_ref(), &mut std::io::sink());
    });
    receiver.recv_timeout(START).ok()
}
