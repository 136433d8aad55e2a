//! What the documents have `metier connect` do works: their commands are run, with a server of ours in the place of the
//! one that they name, which nobody has.

use std::process::Command;

use crate::command::{fixtures, metier, said};
use crate::connect::{Served, offered};

/// The server that documents name.
const NAMED: &str = "https://skills.example.org/mcp";
const STARTED: &str = "python3 server.py";

/// Whether a command of a document is run here.
pub(crate) fn is_run(command: &str) -> bool {
    let command = command.trim_start_matches("$ ");
    command.starts_with("metier connect ") && (command.contains(NAMED) || command.contains(STARTED))
}

#[test]
fn the_commands_for_other_servers_in_the_documents_work() {
    let page = fixtures().join("../../docs/other-servers.md");
    let text = std::fs::read_to_string(page).unwrap();
    let folder = offered();
    let served = Served::of(folder.path());
    let program = env!("CARGO_BIN_EXE_metier");
    let commands: Vec<&str> = text.lines().filter(|line| is_run(line)).collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for shown in commands {
        let command = shown
            .trim_start_matches("$ ")
            .replace(NAMED, &served.url)
            .replace(STARTED, &format!("{program} stdio skills"));
        let mut words = command.split(' ').skip(1);
        let mut run: Command = metier(folder.path());
        run.env("METIER_MCP_SKILLS", "1")
            .env("METIER_STATE_DIR", folder.path().join("state"))
            .args(words.by_ref());
        let output = run.output().unwrap();
        let text = said(&output);
        assert!(text.starts_with("exit 0"), "{shown}: {text}");
        assert!(!output.stdout.is_empty(), "{shown}: {text}");
    }
}
