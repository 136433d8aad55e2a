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

impl Bench {
    fn built() -> Result<Self, String> {
        let metadata = Metadata::read()?;
        let metier = metier_binary::build(&metadata, false)?;
        let folder = metadata.target_directory.join("interop");
        Ok(Self { folder, metier })
    }
}

/// Runs the clients whose name holds `only`; those that take long to build only with `full`.
pub(crate) fn run(full: bool, only: &str) -> Report {
    let bench = match Bench::built() {
        Ok(bench) => bench,
        Err(why) => return Report::failed(why),
    };
    let mut kits = Kits::new(&bench.folder);
    let demo = root().join("fixtures/skills/demo");
    let tables = [
        (
            "The demo skills",
            clients(&bench, &mut kits, &Given::demo(&demo), full, only),
        ),
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
    ];
    told(&bench, tables)
}

/// The same clients on a folder of skills that nobody here knows: what they read of it is held against its files.
pub(crate) fn run_on(folder: &Path, full: bool, only: &str) -> Report {
    let bench = match Bench::built() {
        Ok(bench) => bench,
        Err(why) => return Report::failed(why),
    };
    let folder = match folder.canonicalize() {
        Ok(folder) => folder,
        Err(error) => return Report::failed(format!("{}: {error}", folder.display())),
    };
    let mut kits = Kits::new(&bench.folder);
    let given = Given {
        skills: &folder,
        only_files: true,
    };
    let read = clients(&bench, &mut kits, &given, full, only);
    let mut scenarios = Table::default();
    skill_scenarios::add(&mut scenarios, &bench, &mut kits, "given", &folder, only);
    let tables = [
        ("The skills that were given", read),
        ("Skills over MCP", scenarios),
    ];
    told(&bench, tables)
}

/// Prints the tables; whether any step failed.
fn told<const N: usize>(bench: &Bench, tables: [(&str, Table); N]) -> Report {
    let mut counts = Counts::default();
    for (title, table) in tables {
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

/// Which skills the clients meet.
struct Given<'g> {
    skills: &'g Path,
    /// Their files are all that is known of them.
    only_files: bool,
}

impl<'g> Given<'g> {
    const fn demo(skills: &'g Path) -> Self {
        Self {
            skills,
            only_files: false,
        }
    }
}

/// Every client on a folder of skills.
fn clients(bench: &Bench, kits: &mut Kits, given: &Given<'_>, full: bool, only: &str) -> Table {
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
                let lines = drive_client(bench, client, &program, given, &place);
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

fn drive_client(
    bench: &Bench,
    client: &Client,
    program: &Program,
    given: &Given<'_>,
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let skills = given.skills;
    let mut plan = Plan::new(client, skills, place)?;
    plan.only_files = given.only_files;
    plan.metier = bench.metier.display().to_string();
    // Lives until the driver has ended.
    let _server = match client.over {
        Over::Http => {
            let server = Server::start(&bench.metier, &[skills.as_os_str()], place)?;
            plan.url = Some(server.url.clone());
            Some(server)
        }
        Over::Stdio => {
            let words = [bench.metier.as_path(), Path::new("stdio"), skills];
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
