//! `metier doctor`.

mod interpreters;
mod problems;
mod variables;

use clap::Args;
use metier::runner::ScriptKind;
use metier::{CatalogSettings, LifecycleHooks, SkillCatalog};
use serde::Serialize;
use serde_json::json;

use crate::Failure;
use crate::attaching::attached;
use crate::catalog_settings::settings;
use crate::config::{Config, Fault};
use crate::options::{Running, SkillPlaces, runtime};
use crate::printer::{Printer, count, indented};
use crate::searched::{self, Place, named};
use crate::wrapping::wrapped;
use crate::{choosing, interpreter_faults, program_hooks};

use interpreters::Interpreter;
use problems::Problem;
use variables::Variable;

#[derive(Args)]
pub(crate) struct Doctor {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    places: SkillPlaces,
}

/// What the doctor found.
#[derive(Serialize)]
struct Findings {
    /// The settings file in force.
    settings_file: Option<String>,
    roots: Vec<Place>,
    skills: usize,
    rejected: usize,
    shadowed: usize,
    /// What the attached application calls itself.
    application: Option<String>,
    interpreters: Vec<Interpreter>,
    hooks: Vec<Hook>,
    variables: Vec<Variable>,
    problems: Vec<Problem>,
}

/// A program that is told of an event.
#[derive(Serialize)]
struct Hook {
    event: &'static str,
    command: Vec<String>,
    /// Where it is set.
    place: String,
    /// What would be started.
    program: Option<String>,
}

impl Doctor {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        self.places.check_paths()?;
        // A sick setting is what a doctor is for: it is told, and the rest is looked at all the same.
        let (config, mut faults) = self.running.config(&self.places);
        let mut settings = settings(&config, &self.places, &mut faults);
        faults.extend(interpreter_faults::faults(&config, &settings));
        let hooks = hooks(&config, &settings, &mut faults);
        // What is loaded to look at it is told to nobody.
        settings.hooks = LifecycleHooks::new();
        let environment = settings.run.environment.clone();
        let roots = searched::places(&settings, &self.places.paths);
        let (catalog, report) = self.places.catalog(settings);
        let not_served = problems::of_texts(&catalog);
        let (application, interpreters, problems) = runtime()?.block_on(async {
            let application = match attached(&config).await {
                Some(Err(fault)) => {
                    faults.push(fault);
                    None
                }
                Some(Ok(name)) => Some(name),
                None => None,
            };
            let interpreters = interpreters::of(&catalog).await;
            faults.extend(program_hooks::idle(&config, &catalog));
            faults.extend(choosing::unknown_names(&config, &catalog));
            let mut problems = problems::of_settings(&config, &faults);
            problems.extend(problems::of_interpreters(&interpreters));
            problems.extend(problems::of_skills(&catalog).await);
            problems.extend(not_served);
            (application, interpreters, problems)
        });
        let findings = Findings {
            settings_file: config.file.as_ref().map(|(shown, _)| shown.clone()),
            roots,
            skills: report.skills,
            rejected: report.rejected,
            shadowed: report.shadowed,
            application,
            interpreters,
            hooks,
            variables: variables::in_force(&environment),
            problems,
        };
        if self.json {
            printer.json(&json!(findings));
        } else {
            let most = printer.width();
            for line in text(&findings, &config, &catalog, most) {
                let indent = line.len() - line.trim_start().len();
                for line in wrapped(&line, indent + 2, most) {
                    printer.data(&line);
                }
            }
        }
        let found = self.places.tell_if_empty(printer, &catalog);
        for name in interpreter_faults::unused(&config, &catalog) {
            printer.say_prose(&format!(
                "note: nothing here uses interpreters.{name}: no skill is for an application `{name}`, and the extensions of scripts are {}",
                ScriptKind::EXTENSIONS.join(", ")
            ));
        }
        if findings.problems.is_empty() {
            // Of nothing there is nothing good to say either.
            found?;
            printer.say("nothing would fail");
            return Ok(());
        }
        printer.say(&format!(
            "{} would fail",
            count(findings.problems.len(), "thing")
        ));
        Err(Failure::Answered)
    }
}

fn hooks(config: &Config, settings: &CatalogSettings, faults: &mut Vec<Fault>) -> Vec<Hook> {
    let found = program_hooks::found(config, settings);
    found
        .map(|(hook, program)| Hook {
            event: hook.value.event.as_str(),
            command: hook.value.command.clone(),
            place: hook.origin.to_string(),
            program: program.map_err(|fault| faults.push(fault)).ok(),
        })
        .collect()
}

fn text(findings: &Findings, config: &Config, catalog: &SkillCatalog, most: usize) -> Vec<String> {
    let mut lines = vec![match &config.file {
        Some((shown, _)) => format!("settings: {shown}"),
        None => "settings: no metier.toml".to_owned(),
    }];
    let tools: usize = catalog
        .list_skills(None)
        .iter()
        .map(|skill| skill.tool_count)
        .sum();
    lines.push(format!(
        "skills: {} with {}, {} rejected, {} shadowed",
        findings.skills,
        count(tools, "tool"),
        findings.rejected,
        findings.shadowed
    ));
    section(
        &mut lines,
        "searched",
        findings.roots.iter().map(|root| {
            let note = if root.exists { "found" } else { "absent" };
            vec![
                note.to_owned(),
                named(root.label).to_owned(),
                root.path.clone(),
            ]
        }),
        usize::MAX,
    );
    section(
        &mut lines,
        "attached application",
        findings.application.iter().map(|name| vec![name.clone()]),
        most,
    );
    section(
        &mut lines,
        "interpreters",
        findings.interpreters.iter().map(Interpreter::row),
        most,
    );
    section(
        &mut lines,
        "hooks",
        findings.hooks.iter().map(|hook| {
            vec![
                hook.event.to_owned(),
                hook.command.join(" "),
                hook.program.clone().unwrap_or_else(|| "absent".to_owned()),
                hook.place.clone(),
            ]
        }),
        usize::MAX,
    );
    section(
        &mut lines,
        "variables in force",
        findings
            .variables
            .iter()
            .map(|variable| vec![variable.name.clone(), variable.value.clone()]),
        most,
    );
    if !findings.problems.is_empty() {
        lines.push(String::new());
        lines.push("would fail:".to_owned());
        for (problem, about) in problems::grouped(&findings.problems) {
            lines.push(format!("  {about}: {}", problem.what));
            lines.push(format!("    {}", problem.cure));
        }
    }
    lines
}

/// Paths are what somebody acts on and are not cut but wrapped: `most` is for rows that end with something else.
fn section(
    lines: &mut Vec<String>,
    title: &str,
    rows: impl Iterator<Item = Vec<String>>,
    most: usize,
) {
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(format!("{title}:"));
    lines.extend(indented(&rows, most));
}
