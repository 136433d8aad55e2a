//! `cargo xtask interop`: real skills, our server, the official client.
//!
//! A published package brings the skills and the Python that runs them; `metier serve` serves that package's folder;
//! `xtask/interop/openusd.py` drives it with the `mcp` package, once per protocol era, each on a server of its own.
//! The driver prints one JSON line a step; this file turns them into one table and their number into counts.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::interop_table::{StepLine, Table};
use crate::metadata::Metadata;
use crate::process::{capture, cargo, root, step};
use crate::steps::{Outcome, Report};
use crate::venv::{self, VenvError};

/// The skills, the library that their scripts need, and the client, in versions that are known to work together.
const PINS: [&str; 4] = [
    "dcc-mcp-openusd==0.11.2",
    "dcc-mcp-core==0.20.49",
    "usd-core==26.11",
    "mcp==2.3.0",
];

/// Prints the folder of the skills, asked of the Python that has the package.
const FIND_SKILLS: &str = "import dcc_mcp_openusd, pathlib; print(pathlib.Path(dcc_mcp_openusd.__file__).parent / 'skills')";

/// One client an era, as the client calls them.
const CLIENTS: [(&str, &str); 2] = [
    ("auto", "Python mcp 2.3.0, auto (2026-07-28)"),
    ("legacy", "Python mcp 2.3.0, legacy (2025-11-25)"),
];

/// How long the server may take to accept connections.
const START: Duration = Duration::from_mins(1);

pub(crate) fn run() -> Report {
    let metadata = match Metadata::read() {
        Ok(metadata) => metadata,
        Err(why) => return Report::failed(why),
    };
    let folder = metadata.target_directory.join("interop");
    let programs = match venv::ensure(&folder.join("venv"), &PINS) {
        Ok(programs) => programs,
        Err(VenvError::Unreachable(why)) => return Report::skipped(why),
        Err(VenvError::Broken(why)) => return Report::failed(why),
    };
    let built = step(&mut cargo(&["build", "-p", "metier-cli", "--locked"]));
    if built.outcome != Outcome::Passed {
        return built;
    }
    let python = programs.join("python");
    let skills = match capture(Command::new(&python).args(["-c", FIND_SKILLS])) {
        Ok(text) => PathBuf::from(text.trim()),
        Err(why) => return Report::failed(why),
    };
    let metier = metadata
        .target_directory
        .join("debug")
        .join(format!("metier{}", std::env::consts::EXE_SUFFIX));

    let mut table = Table::default();
    for (mode, client) in CLIENTS {
        let place = folder.join(mode);
        let driven = Server::start(&metier, &python, &skills, &place)
            .and_then(|server| drive(&python, &server, mode, &place));
        match driven {
            Ok(lines) => table.add(client, lines),
            Err(why) => table.add(client, vec![StepLine::failed("server", &why)]),
        }
    }
    println!("{table}");
    let counts = table.counts();
    let outcome = if counts.failed == 0 {
        Outcome::Passed
    } else {
        Outcome::Failed(format!(
            "steps that failed: {}; logs are in {}",
            counts.failed,
            folder.display()
        ))
    };
    Report::counted(outcome, counts)
}

/// Runs the driver against one server and hands back its steps.
fn drive(
    python: &Path,
    server: &Server,
    mode: &str,
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    let output = Command::new(python)
        .arg(root().join("xtask/interop/openusd.py"))
        .args(["--url", &server.url, "--mode", mode, "--folder"])
        .arg(place)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("the driver did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<StepLine> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if lines.is_empty() || (!output.status.success() && lines.iter().all(|line| line.ok)) {
        lines.push(StepLine::failed(
            "driver",
            &format!("ended with {}", output.status),
        ));
    }
    Ok(lines)
}

/// A running `metier serve`; dropping it ends the process.
#[derive(Debug)]
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts the server on any free port and waits for the line that says where it is.
    fn start(metier: &Path, python: &Path, skills: &Path, place: &Path) -> Result<Self, String> {
        if place.exists() {
            std::fs::remove_dir_all(place)
                .map_err(|error| format!("{}: {error}", place.display()))?;
        }
        std::fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
        let log = place.join("server.log");
        let errors = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Command::new(metier);
        command
            .args(["serve", "--port", "0", "--python"])
            .arg(python)
            .arg(skills)
            .env("METIER_STATE_DIR", place.join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors);
        // What the caller's shell says about skills must not change what is tested.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("DCC_MCP_") {
                command.env_remove(name);
            }
        }
        let child = command
            .spawn()
            .map_err(|error| format!("metier serve did not start: {error}"))?;
        let mut server = Self {
            child,
            url: String::new(),
        };
        let output = server
            .child
            .stdout
            .take()
            .ok_or("metier serve has no standard output")?;
        server.url = first_line(output).ok_or_else(|| {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            format!("metier serve printed no URL; it said: {}", said.trim())
        })?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end and only the status to collect.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
