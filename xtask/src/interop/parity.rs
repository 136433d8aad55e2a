//! What our server says of the demo skills, held against the skill servers of two SDKs.

use std::path::Path;

use serde_json::json;

use super::kits::{Kit, Kits, Why};
use super::table::{StepLine, Table};
use super::{Bench, drive, empty, plan};
use crate::process::root;

const ROW: &str = "skill servers of SDKs";

/// One row; rmcp's server is built for it.
pub(crate) fn run(bench: &Bench, kits: &mut Kits, only: &str) -> Table {
    let mut table = Table::default();
    if !ROW.contains(only) {
        return table;
    }
    match lines(bench, kits) {
        Ok(lines) => table.add(ROW, lines),
        Err(Why::Unreachable(why)) => table.skip(ROW, &why),
        Err(Why::Broken(why)) => table.add(ROW, vec![StepLine::failed("start", &why)]),
    }
    table
}

fn lines(bench: &Bench, kits: &mut Kits) -> Result<Vec<StepLine>, Why> {
    let program = kits.program(Kit::Node)?;
    let rmcp = kits.program(Kit::Rust)?;
    let place = bench.folder.join("parity");
    let skills = root().join("fixtures/skills/demo");
    empty(&place).map_err(Why::Broken)?;
    let name = format!("rmcp-skills{}", std::env::consts::EXE_SUFFIX);
    let words = [bench.metier.as_path(), Path::new("stdio"), &skills];
    let told = json!({
        "folder": skills,
        "skills": plan::skills_in(&skills).map_err(Why::Broken)?,
        "command": words,
        "environment": plan::environment(&place),
        "rmcp_skills": rmcp.path.with_file_name(name),
    });
    let path = place.join("plan.json");
    std::fs::write(&path, told.to_string())
        .map_err(|error| Why::Broken(format!("{}: {error}", path.display())))?;
    let mut command = program.command("parity.mjs");
    command.arg(&path);
    drive(command, &place).map_err(Why::Broken)
}
