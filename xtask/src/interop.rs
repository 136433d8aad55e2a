//! `cargo xtask interop`: clients that nobody here wrote, on our server.
//!
//! Each client has a driver under `xtask/interop/` that goes through the same steps on the demo skills and prints one
//! JSON line a step; the official Python client also drives the skills of a published package, in both protocol eras,
//! and the conformance suite looks at how both are served as skills. `metier connect` is driven against skill servers that
//! nobody here wrote.
//! Every client meets a server of its own. This file turns what the drivers say into tables and counts.

mod clients;
mod kits;
mod openusd;
mod other_servers;
mod parity;
mod plan;
pub(crate) mod server;
mod skill_scenarios;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::metadata::Metadata;
use crate::metier_binary;
use crate::process::root;
use crate::steps::{Counts, Outcome, Report};
use clients::{CLIENTS, Client, Over};
use kits::Why;
pub(crate) use kits::{Kits, Program, Why as Unavailable};
use plan::Plan;
pub(crate) use server::Server;
use table::{StepLine, Table};

/// The packages for Node.js.
pub(crate) const NODE: kits::Kit = kits::Kit::Node;

/// What every part of a run needs.
pub(crate) struct Bench {
    /// Where everything is installed and logged.
    folder: PathBuf,
    metier: PathBuf,
}

/// Runs the clients whose name holds `only`; those that take long to build only with `full`.
pub(crate) fn run(full: bool, only: &str) -> Report {
    let metadata = match Metadata::read() {
        Ok(metadata) => metadata,
        Err(why) => return Report::failed(why),
    };
    let bench = match metier_binary::build(&metadata, false) {
        Ok(metier) => Bench {
            folder: metadata.target_directory.join("interop"),
            metier,
        },
        Err(why) => return Report::failed(why),
    };
    let mut kits = Kits::new(&bench.folder);
    let mut counts = Counts::default();
    for (title, table) in [
        ("The demo skills", demo(&bench, &mut kits, full, only)),
        ("OpenUSD skills", openusd::run(&bench, &mut kits, only)),
        ("Skills over MCP", skills(&bench, &mut kits, only)),
        (
            "Skills of other servers",
            other_servers::run(&bench, &mut kits, full, only),
        ),
        (
            "The same skills elsewhere",
            parity(&bench, &mut kits, full, only),
        ),
    ] {
        if !table.is_empty() {
            println!("{title}\n{table}\n");
        }
        counts += table.counts();
    }
    let outcome = if counts.failed == 0 {
        Outcome::Passed
    } else {
        Outcome::Failed(format!(
            "steps that failed: {}; logs are in {}",
            counts.failed,
            bench.folder.display()
        ))
    };
    Report::counted(outcome, counts)
}

/// Every client on the demo skills.
fn demo(bench: &Bench, kits: &mut Kits, full: bool, only: &str) -> Table {
    let mut table = Table::default();
    for (index, client) in CLIENTS.iter().enumerate() {
        if !client.name.contains(only) {
            continue;
        }
        if client.only_full && !full {
            println!("left to --full: {}", client.name);
            continue;
        }
        match kits.program(client.kit) {
            Ok(program) => {
                let place = bench.folder.join(format!("client-{}", index + 1));
                let lines = drive_demo(bench, client, &program, &place);
                table.add(
                    client.name,
                    lines.unwrap_or_else(|why| vec![StepLine::failed("server", &why)]),
                );
            }
            Err(Why::Unreachable(why)) => table.skip(client.name, &why),
            Err(Why::Broken(why)) => {
                table.add(client.name, vec![StepLine::failed("installation", &why)]);
            }
        }
    }
    table
}

/// The conformance suite's scenarios about skills, on ours and on published ones.
fn skills(bench: &Bench, kits: &mut Kits, only: &str) -> Table {
    let mut table = Table::default();
    let demo = root().join("fixtures/skills/demo");
    skill_scenarios::add(&mut table, bench, kits, "demo", &demo, only);
    match openusd::skills(kits) {
        Ok((_, skills)) => {
            skill_scenarios::add(&mut table, bench, kits, "OpenUSD", &skills, only);
        }
        Err(Why::Unreachable(why)) => table.skip("conformance, OpenUSD", &why),
        Err(Why::Broken(why)) => {
            let line = StepLine::failed("installation", &why);
            table.add("conformance, OpenUSD", vec![line]);
        }
    }
    table
}

/// What other servers say of the demo skills; one of them takes long to build.
fn parity(bench: &Bench, kits: &mut Kits, full: bool, only: &str) -> Table {
    if full {
        parity::run(bench, kits, only)
    } else {
        println!("left to --full: parity with the skill servers of SDKs");
        Table::default()
    }
}

fn drive_demo(
    bench: &Bench,
    client: &Client,
    program: &Program,
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let skills = root().join("fixtures/skills/demo");
    let mut plan = Plan::new(client, &skills, place)?;
    plan.metier = bench.metier.display().to_string();
    // Lives until the driver has ended.
    let _server = match client.over {
        Over::Http => {
            let server = Server::start(&bench.metier, &[skills.as_os_str()], place)?;
            plan.url = Some(server.url.clone());
            Some(server)
        }
        Over::Stdio => {
            let words = [bench.metier.as_path(), Path::new("stdio"), &skills];
            plan.command = Some(words.map(|word| word.display().to_string()).into());
            None
        }
    };
    let path = place.join("plan.json");
    plan.write(&path)?;
    let mut command = program.command(client.script);
    command.arg(&path).envs(&plan.environment);
    drive(command, place)
}

/// Runs a driver and hands back its steps. What it says beside them goes to a file.
fn drive(mut command: Command, place: &Path) -> Result<Vec<StepLine>, String> {
    let log = place.join("driver.log");
    let errors =
        std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let output = server::without_skill_variables(&mut command)
        .stdin(Stdio::null())
        .stderr(errors)
        .output()
        .map_err(|error| format!("the driver did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<StepLine> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    if lines.is_empty() || (!output.status.success() && lines.iter().all(|line| line.ok)) {
        let why = format!("ended with {}; see {}", output.status, log.display());
        lines.push(StepLine::failed("driver", &why));
    }
    Ok(lines)
}

/// Makes a folder that holds nothing from another run.
pub(crate) fn empty(place: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", place.display());
    if place.exists() {
        std::fs::remove_dir_all(place).map_err(failed)?;
    }
    std::fs::create_dir_all(place).map_err(failed)
}
