//! The skills of a published package, whose scripts nobody here wrote, driven with the official Python client.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kits::{Kit, Kits, Program, Why};
use super::server::Server;
use super::table::{StepLine, Table};
use super::{Bench, drive, empty};
use crate::process::capture;

/// Prints the folder of the skills, asked of the Python that has the package.
const FIND_SKILLS: &str = "import dcc_mcp_openusd, pathlib; print(pathlib.Path(dcc_mcp_openusd.__file__).parent / 'skills')";

/// One client an era, as the client calls them.
const CLIENTS: [(&str, &str); 2] = [
    ("auto", "Python mcp 2.3.0, HTTP, auto"),
    ("legacy", "Python mcp 2.3.0, HTTP, legacy"),
];

pub(crate) fn run(bench: &Bench, kits: &mut Kits, only: &str) -> Table {
    let mut table = Table::default();
    let clients = CLIENTS.iter().filter(|(_, client)| client.contains(only));
    if clients.clone().next().is_none() {
        return table;
    }
    let found = skills(kits);
    for (mode, client) in clients {
        match &found {
            Ok((program, skills)) => {
                let place = bench.folder.join(format!("openusd-{mode}"));
                let lines = drive_one(bench, program, skills, mode, &place);
                table.add(
                    client,
                    lines.unwrap_or_else(|why| vec![StepLine::failed("server", &why)]),
                );
            }
            Err(Why::Unreachable(why)) => table.skip(client, why),
            Err(Why::Broken(why)) => {
                table.add(client, vec![StepLine::failed("installation", why)]);
            }
        }
    }
    table
}

/// The folder of the skills, and the Python that has the library they need.
pub(crate) fn skills(kits: &mut Kits) -> Result<(Program, PathBuf), Why> {
    let program = kits.program(Kit::Python2)?;
    let skills = capture(Command::new(&program.path).args(["-c", FIND_SKILLS]));
    let skills = skills.map_err(Why::Broken)?;
    Ok((program, PathBuf::from(skills.trim())))
}

fn drive_one(
    bench: &Bench,
    program: &Program,
    skills: &Path,
    mode: &str,
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let words = [
        OsStr::new("--python"),
        program.path.as_os_str(),
        skills.as_os_str(),
    ];
    let server = Server::start(&bench.metier, &words, place)?;
    let mut command = program.command("openusd.py");
    command.args(["--url", &server.url, "--mode", mode, "--folder"]);
    command.arg(place);
    drive(command, place)
}
