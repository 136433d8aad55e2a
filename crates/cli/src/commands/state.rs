//! `metier state`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use metier::LoadedStateStore;
use metier::persistence::{LoadedState, SavedSkill, StateChange, state_text};
use serde_json::{Value, json};

use super::state_approvals::StateApprovals;
use super::state_memory::StateMemory;
use super::state_quality::Quality;
use crate::Failure;
use crate::config::Config;
use crate::options::{Running, SkillPlaces};
use crate::persisting::{StatePlace, mirror_file, quality_file, store};
use crate::printer::Printer;
use crate::utc::utc;

#[derive(Args)]
pub(crate) struct State {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show what is kept of an application, and where.
    Show(Shown<Which>),
    /// Forget skills: they do not come back after a restart, and how they did is not known any more.
    Forget(Forget),
    /// Print what is kept as it would be written.
    Export(Shown<Which>),
    /// What agents learned about tools: show it, forget it, export it.
    Memory(StateMemory),
    /// Which skills of other servers were approved: show it, forget it, export it.
    Approvals(StateApprovals),
}

/// What is meant, and how the answer looks.
#[derive(Args)]
pub(super) struct Shown<W: Args> {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) which: W,
}

#[derive(Args)]
struct Forget {
    /// Skills by their names.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Every skill of the application.
    #[arg(long, conflicts_with = "names")]
    all: bool,
    #[command(flatten)]
    shown: Shown<Which>,
}

/// Whose state.
#[derive(Args)]
struct Which {
    /// The application [default: python].
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    #[command(flatten)]
    place: StatePlace,
    #[command(flatten)]
    file: SettingsFile,
}

/// Which settings count.
#[derive(Args)]
pub(super) struct SettingsFile {
    /// Read the settings from this file; otherwise from metier.toml in the working directory or the
    /// nearest folder above.
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Read no settings from a file.
    #[arg(long)]
    no_config: bool,
}

impl SettingsFile {
    /// The settings in force.
    pub(super) fn config(&self, app: Option<String>, printer: Printer) -> Result<Config, Failure> {
        let places = SkillPlaces {
            app,
            config: self.config.clone(),
            no_config: self.no_config,
            ..SkillPlaces::default()
        };
        let (config, faults) = Running::default().config(&places);
        for note in &config.notes {
            printer.say(&format!("warning: {note}"));
        }
        if !faults.is_empty() {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Err(Failure::Usage(faults.join("\nerror: ")));
        }
        Ok(config)
    }
}

impl Which {
    fn open(&self, printer: Printer) -> Result<(LoadedStateStore, Quality), Failure> {
        let config = self.config(printer)?;
        let quality = Quality::read(quality_file(&config)?);
        Ok((store(&config)?, quality))
    }

    fn config(&self, printer: Printer) -> Result<Config, Failure> {
        let mut config = self.file.config(self.app.clone(), printer)?;
        self.place.cover(&mut config);
        Ok(config)
    }
}

impl State {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        match self.action {
            Action::Show(show) => show.show(printer),
            Action::Forget(forget) => forget.run(printer),
            Action::Export(export) => export.export(printer),
            Action::Memory(memory) => memory.run(printer),
            Action::Approvals(approvals) => approvals.run(printer),
        }
    }
}

impl Shown<Which> {
    fn show(&self, printer: Printer) -> Result<(), Failure> {
        let (store, quality) = self.which.open(printer)?;
        let mut reading = store.load();
        reading.warnings.extend(quality.warning());
        let file = store.file().display().to_string();
        if self.json {
            printer.json(&json!({
                "app": store.app().as_str(),
                "file": file,
                "state": as_json(&reading.state)?,
                "quality": quality.counters,
                "warnings": reading.warnings,
            }));
        } else {
            let tables = [rows(&reading.state), quality.rows()];
            let shown = tables.iter().filter(|rows| !rows.is_empty());
            for (number, rows) in shown.enumerate() {
                if number > 0 {
                    printer.data("");
                }
                printer.rows(rows);
            }
        }
        if reading.state.is_empty() {
            printer.say(&format!("nothing is kept for {} in {file}", store.app()));
        } else {
            printer.say(&format!("kept for {} in {file}", store.app()));
        }
        if !quality.counters.is_empty() {
            printer.say(&format!("counted in {}", quality.place()));
        }
        warn(printer, &reading.warnings);
        Ok(())
    }

    /// The text of the file is JSON in both forms; the counters stand in it as one more member.
    fn export(&self, printer: Printer) -> Result<(), Failure> {
        let (store, quality) = self.which.open(printer)?;
        let mut reading = store.load();
        reading.warnings.extend(quality.warning());
        warn(printer, &reading.warnings);
        if !quality.counters.is_empty() {
            let counters = json!(quality.counters);
            reading.state.other.insert("quality".to_owned(), counters);
        }
        printer.text(&state_text(&reading.state));
        Ok(())
    }
}

impl Forget {
    fn run(&self, printer: Printer) -> Result<(), Failure> {
        if self.names.is_empty() && !self.all {
            return Err(Failure::Usage(
                "say what to forget: skills by their names; --all forgets every one".to_owned(),
            ));
        }
        let config = self.shown.which.config(printer)?;
        let (store, quality) = (store(&config)?, Quality::read(quality_file(&config)?));
        let mirror = mirror_file(&config)?;
        let reading = store.load();
        warn(printer, &reading.warnings);
        if !reading.warnings.is_empty() && reading.state == LoadedState::default() {
            return Err(Failure::Usage(format!(
                "nothing is forgotten: what {} holds cannot be read; delete it to forget all of it, with the copies beside it",
                store.file().display()
            )));
        }
        quality.is_readable()?;
        let is_loaded = |name: &String| reading.state.skill(name).is_some();
        let kept = |name: &String| is_loaded(name) || quality.counters.contains_key(name);
        let (known, unknown): (Vec<String>, Vec<String>) = if self.all {
            let loaded = reading.state.skills.iter().map(|skill| &skill.name);
            let counted = quality.counters.keys().filter(|name| !is_loaded(name));
            (loaded.chain(counted).cloned().collect(), Vec::new())
        } else {
            self.names.iter().cloned().partition(kept)
        };
        let mut change = StateChange::default();
        for name in &known {
            change = change.with_unloaded(name);
        }
        let (mut mirror_fault, mut told_copy) = (None, None);
        // Forgetting nothing where nothing is kept makes no files.
        if !known.is_empty() || store.file().exists() {
            // The counters first: a database refuses more often than a file, and then nothing has been done.
            quality.forget(&known)?;
            let saved = store.save(&change).map_err(|error| {
                let counted = known.iter().any(|name| quality.counters.contains_key(name));
                let done = if counted {
                    "; how they did is forgotten"
                } else {
                    ""
                };
                Failure::Usage(format!(
                    "they are still to be loaded at the next start: {error}{done}"
                ))
            })?;
            if let Some(copy) = &saved.kept_aside {
                printer.say(&format!(
                    "the damaged file is kept as {}, with all that it held, until you delete it",
                    copy.display()
                ));
            }
            told_copy = saved.kept_aside;
            mirror_fault = saved.mirror_fault;
        } else if self.all && mirror.exists() {
            mirror_fault = store.show_in_mirror().err();
        }
        if self.shown.json {
            printer.json(&json!({"forgotten": known, "unknown": unknown}));
        } else {
            for name in &known {
                printer.data(&format!("forgotten: {name}"));
            }
        }
        if known.is_empty() && unknown.is_empty() {
            printer.say(&format!("nothing is kept for {}", store.app()));
        }
        for name in &unknown {
            printer.say(&format!(
                "`{name}` is not kept; `metier state show` lists what is"
            ));
        }
        let mut copies = copies(&[store.file(), quality.file(), &mirror]);
        copies.retain(|copy| Some(copy) != told_copy.as_ref());
        if !copies.is_empty() && (self.all || !known.is_empty()) {
            printer.say(&format!(
                "what was in a damaged file stays in the copy of it until you delete that: {}",
                paths(&copies)
            ));
        }
        if let Some(fault) = mirror_fault {
            return Err(Failure::Usage(format!(
                "the mirror shows it still: {fault}; once it can be written, forget again"
            )));
        }
        if unknown.is_empty() {
            Ok(())
        } else {
            Err(Failure::NothingFound)
        }
    }
}

/// The copies of damaged files that lie beside these.
fn copies(files: &[&Path]) -> Vec<PathBuf> {
    let endings = [".bak", ".bak.1", ".bak.2"];
    let names = files.iter().flat_map(|file| {
        endings.map(|ending| {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        })
    });
    names.filter(|name| name.exists()).collect()
}

fn paths(paths: &[PathBuf]) -> String {
    let shown = paths.iter().map(|path| path.display().to_string());
    shown.collect::<Vec<_>>().join(", ")
}

fn warn(printer: Printer, warnings: &[String]) {
    for warning in warnings {
        printer.say(&format!("warning: {warning}"));
    }
}

fn as_json(state: &LoadedState) -> Result<Value, Failure> {
    serde_json::from_str(&state_text(state)).map_err(|error| Failure::Usage(error.to_string()))
}

fn rows(state: &LoadedState) -> Vec<Vec<String>> {
    if state.skills.is_empty() {
        return Vec::new();
    }
    let header = ["SKILL", "VERSION", "LOADED", "GROUPS", "FOLDER"];
    let row = |skill: &SavedSkill| {
        let groups: Vec<String> = state.groups_of(&skill.name).into_iter().collect();
        let groups = Some(groups.join(",")).filter(|text| !text.is_empty());
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            skill.name.clone(),
            or_none(skill.version.clone()),
            or_none(skill.loaded_at_ms.map(utc)),
            or_none(groups),
            or_none(skill.skill_path.clone()),
        ]
    };
    std::iter::once(header.map(str::to_owned).to_vec())
        .chain(state.skills.iter().map(row))
        .collect()
}
