//! `cargo xtask corpus [DIR…]`: the check over skills that nobody here wrote.
//!
//! The wheels of a few packages are downloaded and unpacked below `target/corpus`; folders can be given beside them. For
//! each source the figures of `metier check --statistics` are printed. Two things have to hold: every SKILL.md is a skill
//! with a verdict or lies where no skill is looked for, and tools come in the order of their file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::metadata::Metadata;
use crate::process::capture;
use crate::steps::{Counts, Outcome, Report};
use crate::{corpus_audit, metier_binary};

/// Packages that bring skills, in the newest version there is.
const PACKAGES: [&str; 8] = [
    "dcc-mcp-core",
    "dcc-mcp-maya",
    "dcc-mcp-houdini",
    "dcc-mcp-blender",
    "dcc-mcp-photoshop",
    "dcc-mcp-unreal",
    "dcc-mcp-3dsmax",
    "dcc-mcp-openusd",
];

/// What `metier check --statistics --format json` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Figures {
    skills_found: usize,
    loaded: usize,
    pending: usize,
    blocked: usize,
    unusable: usize,
    rejected: usize,
    shadowed: usize,
    reasons: BTreeMap<String, usize>,
    tools_declared: usize,
    tools_callable: usize,
    findings: BTreeMap<String, usize>,
    skills_by_finding: BTreeMap<String, usize>,
    milliseconds: u64,
    pub(crate) skills: Vec<Skill>,
}

/// One skill of them.
#[derive(Debug, Deserialize)]
pub(crate) struct Skill {
    pub(crate) id: String,
    pub(crate) tools: Vec<String>,
}

pub(crate) fn run(folders: &[PathBuf]) -> Report {
    let prepared = Metadata::read().and_then(|metadata| {
        let metier = metier_binary::build(&metadata, true)?;
        Ok((metier, metadata.target_directory.join("corpus")))
    });
    let (metier, place) = match prepared {
        Ok(prepared) => prepared,
        Err(why) => return Report::failed(why),
    };
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    let mut sources: Vec<(String, PathBuf)> = Vec::new();
    for package in PACKAGES {
        match unpacked(&place, package) {
            Ok(folder) => sources.push((package.to_owned(), folder)),
            Err(why) => {
                counts.skipped += 1;
                println!("SKIPPED {package}: {why}");
            }
        }
    }
    sources.extend(
        folders
            .iter()
            .map(|folder| (folder.display().to_string(), folder.clone())),
    );
    let mut judged = Judged::default();
    for (name, folder) in &sources {
        match examined(&metier, name, folder, &mut judged) {
            Ok(found) if found.is_empty() => counts.passed += 1,
            Ok(found) => {
                counts.failed += 1;
                faults.extend(found);
            }
            Err(why) => {
                counts.failed += 1;
                faults.push(format!("{name}: {why}"));
            }
        }
    }
    let wrong = judged.wrong();
    judged.print();
    counts.failed += u64::try_from(wrong.len()).unwrap_or(u64::MAX);
    faults.extend(wrong);
    let outcome = if faults.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(faults.join("\n"))
    };
    Report::counted(outcome, counts)
}

/// Downloads a wheel, unless it is there, and unpacks it.
fn unpacked(place: &Path, package: &str) -> Result<PathBuf, String> {
    let wheels = place.join("wheels").join(package);
    let folder = place.join("unpacked").join(package);
    if folder.is_dir() {
        return Ok(folder);
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    let download = Command::new(python)
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--no-deps",
        ])
        .args([
            "--only-binary",
            ":all:",
            "--retries",
            "2",
            "--timeout",
            "20",
            "--dest",
        ])
        .arg(&wheels)
        .arg(package)
        .output()
        .map_err(|error| format!("pip did not start: {error}"))?;
    if !download.status.success() {
        let said = String::from_utf8_lossy(&download.stderr);
        let last = said
            .lines()
            .rev()
            .find(|line| line.contains("ERROR"))
            .unwrap_or("no wheel");
        return Err(last.trim().to_owned());
    }
    let wheel = std::fs::read_dir(&wheels)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or("pip left no wheel")?;
    capture(
        Command::new(python)
            .args(["-m", "zipfile", "-e"])
            .arg(&wheel)
            .arg(&folder),
    )?;
    Ok(folder)
}

/// Checks one source in both modes, prints its figures and hands back what does not hold.
fn examined(
    metier: &Path,
    name: &str,
    folder: &Path,
    judged: &mut Judged,
) -> Result<Vec<String>, String> {
    let strict = figures(metier, folder, false)?;
    let lenient = figures(metier, folder, true)?;
    let audit = corpus_audit::audit(folder, &lenient)?;
    judged.add(&lenient);
    println!("\n== {name}");
    println!(
        "SKILL.md files {}: {} skills, {} inside a skill, {} where none is looked for",
        audit.files, lenient.skills_found, audit.nested, audit.passed_over
    );
    println!(
        "lenient: {} load, {} wait for others, {} unusable, {} rejected, {} shadowed; strict: {} load, {} wait for others, {} rejected, {} shadowed",
        lenient.loaded,
        lenient.pending + lenient.blocked,
        lenient.unusable,
        lenient.rejected,
        lenient.shadowed,
        strict.loaded,
        strict.pending + strict.blocked,
        strict.rejected,
        strict.shadowed
    );
    println!(
        "tools: {} declared, {} callable; of {} tools files every tool is listed in {}; check in {} ms",
        lenient.tools_declared,
        lenient.tools_callable,
        audit.compared,
        audit.listed,
        strict.milliseconds
    );
    for left_out in &audit.left_out {
        println!("not compared: {left_out}");
    }
    table("not loaded because of", &lenient.reasons);
    table("not loaded in strict mode because of", &strict.reasons);
    table("findings in strict mode", &strict.findings);
    Ok(audit
        .faults
        .into_iter()
        .map(|fault| format!("{name}: {fault}"))
        .collect())
}

/// What the safety rules say of skills that nobody wrote to harm: a rule that flags more than one in fifty is wrong.
#[derive(Debug, Default)]
struct Judged {
    skills: usize,
    rejected: usize,
    by_rule: BTreeMap<String, usize>,
}

impl Judged {
    /// With fewer skills a share says nothing.
    const ENOUGH: usize = 100;

    fn add(&mut self, figures: &Figures) {
        self.skills += figures.skills_found;
        self.rejected += figures
            .reasons
            .iter()
            .filter(|(code, _)| code.starts_with("MT4"))
            .map(|(_, number)| number)
            .sum::<usize>();
        for (rule, skills) in &figures.skills_by_finding {
            *self.by_rule.entry(rule.clone()).or_default() += skills;
        }
    }

    fn wrong(&self) -> Vec<String> {
        let too_many = |skills: usize| self.skills >= Self::ENOUGH && skills * 50 > self.skills;
        self.by_rule
            .iter()
            .filter(|(_, skills)| too_many(**skills))
            .map(|(rule, skills)| format!("{rule} flags {skills} of {} honest skills", self.skills))
            .collect()
    }

    fn print(&self) {
        println!(
            "\n== safety rules over {} skills, {} of them blocked; flagged in a thousand:",
            self.skills, self.rejected
        );
        for (rule, skills) in &self.by_rule {
            let tenths = skills * 10_000 / self.skills.max(1);
            println!("  {:3}.{}  {rule} ({skills})", tenths / 10, tenths % 10);
        }
    }
}

fn table(title: &str, entries: &BTreeMap<String, usize>) {
    if !entries.is_empty() {
        println!("{title}:");
        for (key, number) in entries {
            println!("  {number:5}  {key}");
        }
    }
}

fn figures(metier: &Path, folder: &Path, lenient: bool) -> Result<Figures, String> {
    let mut command = Command::new(metier);
    command.args(["check", "--statistics", "--format", "json"]);
    if lenient {
        command.arg("--lenient");
    }
    // Findings are an exit code of their own; what counts is whether figures came.
    let output = command
        .arg(folder)
        .output()
        .map_err(|error| format!("the check did not start: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("the check gave no figures ({error}): {}", said.trim_end())
    })
}
