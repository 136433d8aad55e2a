//! `metier info`.

use std::path::{Path, PathBuf};

use clap::Args;
use metier::catalog::{CatalogSnapshot, SkillInfo, TextState};
use metier::diagnostics::Diagnostic;
use metier::skill_model::{
    Affinity, JsonObject, SkillMetadata, SkillStatus, ToolDeclaration, canonical_name, wire_name,
};
use metier::{CatalogSettings, SkillCatalog};
use serde_json::{Value, json};

use crate::Failure;
use crate::config::nearest;
use crate::findings::placed;
use crate::options::{Running, SkillPlaces};
use crate::printer::{Printer, clipped, count};
use crate::searched::named;
use crate::tool_outlook::ToolOutlook;
use crate::{choosing, schema_summary};

#[derive(Args)]
pub(crate) struct Info {
    /// The skill's name, or the id of a shadowed one.
    skill: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Info {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (settings, config) = self.running.settings_of_server(&self.places)?;
        let (catalog, _) = self.places.catalog(settings.clone());
        // What a look at the files finds may be another skill, or a rejected one.
        let text_state = catalog.text_states(&[self.skill.as_str()]).pop().flatten();
        let Some(info) = catalog.get_skill_info(&self.skill) else {
            // The name leads nowhere, which is told in any case.
            let _ = self.places.tell_if_empty(printer, &catalog);
            let has_path = !self.places.paths.is_empty();
            if let Some(said) = choosing::left_out(&config, &catalog, &self.skill) {
                return Err(Failure::Usage(said));
            }
            return Err(Failure::Usage(unknown(&catalog, &self.skill, has_path)));
        };
        let snapshot = catalog.snapshot();
        let folder = folder(&snapshot, &info);
        let mut findings = findings(&snapshot, &info, folder.as_deref());
        if let Some(state) = &text_state {
            state.add_findings(&mut findings);
        }
        if self.json {
            let mut value = to_json(&info, folder.as_ref(), &findings, &settings);
            if let (Some(value), Some(Value::Object(served))) =
                (value.as_object_mut(), text_state.map(|state| json!(state)))
            {
                value.extend(served);
            }
            printer.json(&value);
            return Ok(());
        }
        let state = text_state.unwrap_or_default();
        let findings: Vec<Diagnostic> = findings
            .iter()
            .map(|finding| placed(&snapshot, finding))
            .collect();
        for line in text(
            &info,
            &state,
            folder.as_ref(),
            &findings,
            &settings,
            printer.width(),
        ) {
            printer.data(&line);
        }
        Ok(())
    }
}

fn unknown(catalog: &SkillCatalog, name: &str, has_path: bool) -> String {
    let mut known: Vec<String> = Vec::new();
    for status in [None, Some(SkillStatus::Skipped)] {
        known.extend(
            catalog
                .list_skills(status)
                .into_iter()
                .map(|skill| skill.name),
        );
    }
    if !has_path && Path::new(name).is_dir() {
        return format!(
            "there is no skill `{name}`; that is a folder, and the skill's name comes before it: metier info SKILL {name}"
        );
    }
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("there is no skill `{name}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("there is no skill `{name}`; none was found at all"),
        None => format!("there is no skill `{name}`; `metier list` shows all"),
    }
}

/// Where it lies on this machine.
fn folder(snapshot: &CatalogSnapshot, info: &SkillInfo) -> Option<PathBuf> {
    if let Some(metadata) = &info.metadata {
        return Some(metadata.skill_path.clone());
    }
    // Of a rejected skill only its findings lead to its root.
    let (root, _) = snapshot
        .operator_findings()
        .into_iter()
        .find(|(_, finding)| info.summary.diagnostics.contains(finding))?;
    std::path::absolute(root.join(&info.location)).ok()
}

/// Everything that was found about it, infos as well.
fn findings(
    snapshot: &CatalogSnapshot,
    info: &SkillInfo,
    folder: Option<&Path>,
) -> Vec<Diagnostic> {
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    // Another root may have a skill in a folder of the same name.
    let is_here = |root: &Path| match &folder {
        Some(folder) => root
            .join(&info.location)
            .canonicalize()
            .is_ok_and(|found| found == *folder),
        None => true,
    };
    let mut findings: Vec<Diagnostic> = snapshot
        .operator_findings()
        .into_iter()
        .filter(|(root, finding)| {
            let is_below = finding
                .location()
                .is_some_and(|place| is_below(&place.file, &info.location));
            info.summary.diagnostics.contains(finding) || (is_below && is_here(root))
        })
        .map(|(_, finding)| finding.clone())
        .collect();
    findings.dedup();
    findings
}

fn is_below(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder)
        .is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
}

fn wire_name_of(metadata: &SkillMetadata, tool: &ToolDeclaration) -> String {
    wire_name(&canonical_name(&metadata.name, &tool.name))
}

fn to_json(
    info: &SkillInfo,
    folder: Option<&PathBuf>,
    findings: &[Diagnostic],
    settings: &CatalogSettings,
) -> Value {
    let mut value = json!(info);
    let Some(object) = value.as_object_mut() else {
        return value;
    };
    object.insert(
        "folder".to_owned(),
        json!(folder.map(|folder| folder.to_string_lossy())),
    );
    object.insert("diagnostics".to_owned(), json!(findings));
    if let Some(metadata) = &info.metadata {
        let tools: Vec<Value> = metadata
            .tools
            .iter()
            .map(|tool| {
                let outlook = ToolOutlook::of(tool, metadata, settings);
                let program = outlook
                    .program
                    .as_ref()
                    .and_then(|found| found.as_ref().ok());
                json!({
                    "name": wire_name_of(metadata, tool),
                    "declared": tool.name,
                    "script": outlook.script,
                    "interpreter": program.map(|program| program.interpreter.to_string_lossy()),
                    "affinity": tool.affinity,
                    "requires_in_process": tool.requires_in_process,
                    "obstacles": outlook.obstacles,
                })
            })
            .collect();
        object.insert("runs".to_owned(), json!(tools));
    }
    value
}

/// What is only read is cut to so many columns; what somebody acts on is not: places, findings, cures.
fn text(
    info: &SkillInfo,
    state: &TextState,
    folder: Option<&PathBuf>,
    findings: &[Diagnostic],
    settings: &CatalogSettings,
    most: usize,
) -> Vec<String> {
    let summary = &info.summary;
    let mut lines = vec![format!(
        "{} {} ({})",
        summary.name, summary.version, summary.status
    )];
    if summary.version.is_empty() {
        lines = vec![format!("{} ({})", summary.name, summary.status)];
    }
    if !summary.description.is_empty() {
        lines.push(clipped(&summary.description, most));
    }
    lines.push(String::new());
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{name:<13} {value}"));
        }
    };
    let read = |text: &str| clipped(text, most.saturating_sub(14));
    fact("id", summary.id.clone().unwrap_or_default());
    fact(
        "location",
        folder.map_or_else(String::new, |folder| folder.display().to_string()),
    );
    fact("found in", named(&info.source).to_owned());
    fact("application", summary.dcc.clone());
    fact("tags", read(&summary.tags.join(", ")));
    if let Some(metadata) = &info.metadata {
        fact("layer", metadata.layer.clone());
        fact("stage", metadata.stage.clone());
        fact("license", metadata.license.clone());
        fact("works with", read(&metadata.compatibility));
        fact("needs", needs(metadata, &summary.missing_dependencies));
        fact("needed by", info.dependents.join(", "));
        fact("requires", summary.required_capabilities.join(", "));
        let groups = metadata.groups.iter().map(|group| {
            let active = if group.default_active { ", active" } else { "" };
            format!(
                "{} ({}{active})",
                group.name,
                count(group.tools.len(), "tool")
            )
        });
        fact("groups", read(&groups.collect::<Vec<_>>().join(", ")));
        let resource = match (&state.uri, &state.not_served) {
            (_, Some(reason)) => format!("not served: {reason}"),
            (Some(uri), None) => format!("{uri}, {} in all", count(state.files.len(), "file")),
            (None, None) => String::new(),
        };
        fact("resource", resource);
        for (path, reason) in &state.left_out {
            fact(
                "left out",
                clipped(&format!("{path}: {reason}"), usize::MAX),
            );
        }
        lines.push(String::new());
        lines.push(count(metadata.tools.len(), "tool"));
        for tool in &metadata.tools {
            lines.extend(tool_lines(metadata, tool, settings, most));
        }
    }
    if !findings.is_empty() {
        lines.push(String::new());
        lines.push(count(findings.len(), "finding"));
        for finding in findings {
            lines.push(format!("  {}", clipped(&finding.to_string(), usize::MAX)));
        }
    }
    lines
}

fn needs(metadata: &SkillMetadata, missing: &[String]) -> String {
    let mark = |name: &String| {
        if missing.contains(name) {
            format!("{name} (missing)")
        } else {
            name.clone()
        }
    };
    let names = metadata.depends.iter().map(mark);
    names.collect::<Vec<_>>().join(", ")
}

fn tool_lines(
    metadata: &SkillMetadata,
    tool: &ToolDeclaration,
    settings: &CatalogSettings,
    most: usize,
) -> Vec<String> {
    let read = |text: &str| clipped(text, most.saturating_sub(16));
    let outlook = ToolOutlook::of(tool, metadata, settings);
    let mut lines = vec![format!("  {}", wire_name_of(metadata, tool))];
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("    {name:<11} {value}"));
        }
    };
    fact("does", read(&clipped(&tool.description, 160)));
    let interpreter = match &outlook.program {
        Some(Ok(program)) => format!(" by {}", program.interpreter.display()),
        _ => String::new(),
    };
    if let Some(script) = &outlook.script {
        fact("script", format!("{script}{interpreter}"));
    }
    for (what, schema) in [
        ("arguments", &tool.input_schema),
        ("answers", &tool.output_schema),
    ] {
        let schema = schema.as_ref().map(JsonObject::map);
        fact(what, read(&schema_summary::arguments(schema.as_ref())));
    }
    let hints = [
        (tool.read_only, "only reads"),
        (tool.destructive, "may destroy"),
        (tool.idempotent, "may be repeated"),
    ];
    let hints = hints.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
    fact("hints", hints.collect::<Vec<_>>().join(", "));
    if tool.requires_in_process {
        fact("runs", "inside its application alone".to_owned());
    } else if tool.affinity == Affinity::Main {
        fact("runs", "on the application's main thread".to_owned());
    }
    fact("group", tool.group.clone());
    fact("requires", tool.required_capabilities.join(", "));
    for obstacle in &outlook.obstacles {
        fact(
            "would fail",
            format!("{}; {}", obstacle.problem, obstacle.cure),
        );
    }
    lines
}
