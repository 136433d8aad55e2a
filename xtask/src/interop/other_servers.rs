//! `metier connect` on skill servers that nobody here wrote, and under the conformance suite.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::kits::{Kit, Kits, Program, Why};
use super::table::{StepLine, Table};
use super::{Bench, empty, plan};
use crate::conformance::suite;
use crate::process::root;

/// A server, and how it is begun with.
struct Server {
    name: &'static str,
    kit: Kit,
    script: &'static str,
    words: &'static [&'static str],
    era: &'static str,
}

const fn server(
    name: &'static str,
    kit: Kit,
    script: &'static str,
    words: &'static [&'static str],
    era: &'static str,
) -> Server {
    Server {
        name,
        kit,
        script,
        words,
        era,
    }
}

impl Server {
    fn command(&self, program: &Program) -> Command {
        if self.kit == Kit::Rust {
            let name = format!("{}{}", self.script, std::env::consts::EXE_SUFFIX);
            return Command::new(program.path.with_file_name(name));
        }
        program.command(self.script)
    }
}

const FASTMCP: &str = "fastmcp_skills.py";
const TYPESCRIPT: &str = "typescript_skills.mjs";

const RMCP: &str = "rmcp-serve";

const SERVERS: [Server; 7] = [
    server(
        "FastMCP, other files by a template, legacy",
        Kit::FastMcp,
        FASTMCP,
        &["template"],
        "legacy",
    ),
    server(
        "FastMCP, other files by a template, modern",
        Kit::FastMcp,
        FASTMCP,
        &["template"],
        "modern",
    ),
    server(
        "FastMCP, every file listed, legacy",
        Kit::FastMcp,
        FASTMCP,
        &["resources"],
        "legacy",
    ),
    server(
        "FastMCP, every file listed, modern",
        Kit::FastMcp,
        FASTMCP,
        &["resources"],
        "modern",
    ),
    server("TypeScript SDK, auto", Kit::Node, TYPESCRIPT, &[], "auto"),
    server("rmcp, legacy", Kit::Rust, RMCP, &[], "legacy"),
    server("rmcp, modern", Kit::Rust, RMCP, &[], "modern"),
];

/// Scenarios of the suite for clients, with what the client is told to do.
const SCENARIOS: [(&str, &str); 4] = [
    ("sep-2640-client-no-prefetch", ""),
    (
        "sep-2640-client-verify-digest",
        " --skill pdf-processing --verify",
    ),
    (
        "sep-2640-client-verify-size",
        " --skill pdf-processing --verify",
    ),
    (
        "sep-2640-client-verify-frontmatter",
        " --skill pdf-processing --verify",
    ),
];

/// A row for each server, and one for the suite. What takes long to build is left to the full run.
pub(super) fn run(bench: &Bench, kits: &mut Kits, full: bool, only: &str) -> Table {
    let mut table = Table::default();
    for (index, server) in SERVERS.iter().enumerate() {
        let row = format!("metier connect, {}", server.name);
        if server.kit == Kit::Rust && !full {
            println!("left to --full: {row}");
            continue;
        }
        let place = bench.folder.join(format!("other-{}", index + 1));
        let lines = |program: &Program| of_server(bench, program, server, &place);
        add(&mut table, &row, only, kits, server.kit, lines);
    }
    let place = bench.folder.join("other-conformance");
    let lines = |program: &Program| of_suite(bench, program, &place);
    add(
        &mut table,
        "metier connect, conformance",
        only,
        kits,
        Kit::Node,
        lines,
    );
    table
}

fn add(
    table: &mut Table,
    row: &str,
    only: &str,
    kits: &mut Kits,
    kit: Kit,
    lines: impl Fn(&Program) -> Result<Vec<StepLine>, String>,
) {
    if !row.contains(only) {
        return;
    }
    match kits.program(kit) {
        Ok(program) => table.add(
            row,
            lines(&program).unwrap_or_else(|why| vec![StepLine::failed("start", &why)]),
        ),
        Err(Why::Unreachable(why)) => table.skip(row, &why),
        Err(Why::Broken(why)) => table.add(row, vec![StepLine::failed("installation", &why)]),
    }
}

fn passed(step: &str, note: String) -> StepLine {
    StepLine {
        step: step.to_owned(),
        ok: true,
        note,
    }
}

/// The skills are listed, and every file of the first and the last is verified.
fn of_server(
    bench: &Bench,
    program: &Program,
    server: &Server,
    place: &Path,
) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let skills = root().join("fixtures/skills/demo");
    let known = plan::skills_in(&skills)?;
    let connect = |more: &[&str]| -> Result<(Output, Value), String> {
        let script = server.command(program);
        let mut command = Command::new(&bench.metier);
        command
            .args([
                "connect",
                "--json",
                "--label",
                "other",
                "--legacy-scan",
                "--era",
                server.era,
                "--state-dir",
            ])
            .arg(place)
            .args(more)
            .arg("--")
            // The packages are named by a variable, which a server that is started does not inherit.
            .arg("env")
            .args(script.get_envs().filter_map(|(name, value)| {
                let mut assignment = name.to_owned();
                assignment.push("=");
                assignment.push(value?);
                Some(assignment)
            }))
            .arg(script.get_program())
            .args(script.get_args())
            .arg(&skills)
            .args(server.words);
        said(command, place)
    };
    let (_, listed) = connect(&[])?;
    let names: Vec<String> = member(&listed, "commands")
        .as_array()
        .into_iter()
        .flatten()
        .filter(|command| member(command, "loaded_from") == "mcp")
        .filter_map(|command| member(command, "name").as_str()?.strip_prefix("other:"))
        .map(str::to_owned)
        .collect();
    let findings = member(&listed, "findings");
    let strangers: Vec<&String> = names.iter().filter(|name| !known.contains(name)).collect();
    let mut lines = vec![if names.is_empty()
        || !strangers.is_empty()
        || findings != &Value::Array(Vec::new())
    {
        StepLine::failed("list", &format!("{names:?}, findings {findings}"))
    } else {
        passed("list", format!("{} of {}", names.len(), known.len()))
    }];
    let mut ends = vec![names.first(), names.last()];
    ends.dedup();
    let mut files = 0;
    for name in ends.into_iter().flatten() {
        let (output, shown) = connect(&["--skill", name, "--verify"])?;
        let verified = member(&shown, "verified").as_array().map_or(0, Vec::len);
        if !output.status.success() || verified == 0 {
            lines.push(StepLine::failed(
                "verify",
                &format!("{name}: {}, {shown}", output.status),
            ));
            return Ok(lines);
        }
        files += verified;
    }
    lines.push(passed("verify", format!("{files} files")));
    Ok(lines)
}

fn of_suite(bench: &Bench, program: &Program, place: &Path) -> Result<Vec<StepLine>, String> {
    empty(place)?;
    let mut lines = Vec::new();
    for (scenario, more) in SCENARIOS {
        let state: PathBuf = place.join("state");
        let client = format!(
            "env METIER_MCP_SKILLS=1 {} connect --json --label other --state-dir {}{more}",
            bench.metier.display(),
            state.display()
        );
        let tally = suite::run_client(program, &client, scenario, &place.join(scenario))?;
        let step = scenario.trim_start_matches("sep-2640-client-");
        let sound = tally.passed == 1 && tally.faults.is_empty() && tally.skipped.is_empty();
        lines.push(if sound {
            passed(step, String::new())
        } else {
            let faults: Vec<String> = tally.faults.iter().map(ToString::to_string).collect();
            StepLine::failed(
                step,
                &format!(
                    "{} passed; {}; skipped {:?}",
                    tally.passed,
                    faults.join("; "),
                    tally.skipped
                ),
            )
        });
    }
    Ok(lines)
}

/// A member of an object; nothing where there is none.
fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// Runs the command and reads the JSON that it prints.
fn said(mut command: Command, place: &Path) -> Result<(Output, Value), String> {
    let log = place.join("server.log");
    let errors =
        std::fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let output = command
        .env("METIER_MCP_SKILLS", "1")
        .stdin(Stdio::null())
        .stderr(errors)
        .output()
        .map_err(|error| format!("metier did not start: {error}"))?;
    let value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: {error}; see {}", output.status, log.display()))?;
    Ok((output, value))
}
