//! `metier list`.

use std::collections::BTreeMap;

use clap::Args;
use metier::SkillCatalog;
use metier::catalog::{CatalogEvent, TextState};
use metier::skill_model::{SkillStatus, SkillSummary};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::Failure;
use crate::findings::tell_findings;
use crate::options::{SkillPlaces, follow, runtime};
use crate::printer::{Printer, clipped, count};
use crate::searched;
use crate::stop_signal::StopSignal;

/// How much of a description stands in the table.
const DESCRIPTION: usize = 80;

#[derive(Args)]
pub(crate) struct List {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the list again whenever the folders change, until it is stopped.
    #[arg(long)]
    watch: bool,
    /// Only skills that stand here: loaded, unloaded, `pending_deps`, error, skipped, shadowed.
    #[arg(long, value_name = "STATUS")]
    status: Option<SkillStatus>,
    #[command(flatten)]
    places: SkillPlaces,
}

impl List {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let mut changes = catalog.subscribe();
        let (shown, found) = self.print(printer, &catalog, None);
        if !self.watch {
            return found;
        }
        follow(&catalog)?;
        // The first look of those who follow is news of nothing, unless something changed meanwhile.
        while changes.try_recv().is_ok() {}
        // Whoever watches waits for what may come.
        let _ = self.print(printer, &catalog, Some(&shown));
        runtime()?.block_on(self.print_changes(printer, &catalog, changes));
        Ok(())
    }

    /// Prints the list again after every change, until it is stopped.
    async fn print_changes(
        &self,
        printer: Printer,
        catalog: &SkillCatalog,
        mut changes: Receiver<CatalogEvent>,
    ) {
        let stop = StopSignal::listen(printer);
        let changed = async {
            // A listener that lags is told of it, and looks at everything all the same.
            while !matches!(changes.recv().await, Err(RecvError::Closed)) && !printer.is_gone() {
                let _ = self.print(printer, catalog, None);
            }
        };
        tokio::select! {
            () = stop.wait() => {}
            () = changed => {}
        }
    }

    /// Gives what was printed, and how a command ends that has printed it. What is there `already` is not
    /// printed again.
    fn print(
        &self,
        printer: Printer,
        catalog: &SkillCatalog,
        already: Option<&Value>,
    ) -> (Value, Result<(), Failure>) {
        // What the files say may take a skill out: what is told is what the look at them left.
        let mut texts = Texts::default();
        texts.look(catalog, &catalog.list_skills(None));
        let skills = catalog.list_skills(self.status);
        let unusable = |status| {
            if self.status.is_none() {
                catalog.list_skills(Some(status))
            } else {
                Vec::new()
            }
        };
        let rejected = unusable(SkillStatus::Skipped);
        let shadowed = unusable(SkillStatus::Shadowed);
        texts.look(catalog, &skills);
        texts.look(catalog, &shadowed);
        let answer = json!({
            "total": skills.len(),
            "skills": rows(catalog, &skills, &texts),
            "rejected": rejected,
            "shadowed": rows(catalog, &shadowed, &texts),
            "findings": catalog.snapshot().root_findings().collect::<Vec<_>>(),
            "searched": searched::places(catalog.registry().settings(), &self.places.paths),
        });
        if already == Some(&answer) {
            return (answer, Ok(()));
        }
        if self.json {
            printer.json(&answer);
            let found = self.places.tell_if_empty(printer, catalog);
            return (answer, found);
        }
        if !skills.is_empty() {
            let mut rows = vec![
                ["NAME", "STATUS", "DCC", "TOOLS", "DESCRIPTION"]
                    .map(str::to_owned)
                    .to_vec(),
            ];
            rows.extend(skills.iter().map(row));
            printer.overview(&rows);
        }
        tell_findings(printer, &catalog.snapshot());
        let mut said = count(skills.len(), "skill");
        for (number, word) in [(rejected.len(), "rejected"), (shadowed.len(), "shadowed")] {
            if number > 0 {
                said = format!("{said}, {number} {word}");
            }
        }
        printer.say(&said);
        let usual: usize = [&skills, &shadowed]
            .into_iter()
            .flatten()
            .filter_map(|skill| texts.of(skill))
            .map(TextState::hidden_or_compiled)
            .sum();
        if usual > 0 {
            printer.say(&format!(
                "hidden or compiled, and so not served: {usual} (--json names each)"
            ));
        }
        let found = self.places.tell_if_empty(printer, catalog);
        (answer, found)
    }
}

/// How skills are served as text, each looked at once.
#[derive(Default)]
struct Texts(BTreeMap<String, TextState>);

impl Texts {
    /// Looks at the files of those that are not known yet.
    fn look(&mut self, catalog: &SkillCatalog, skills: &[SkillSummary]) {
        let new = skills.iter().filter(|skill| self.of(skill).is_none());
        let new: Vec<SkillSummary> = new.cloned().collect();
        let found = new.iter().zip(catalog.texts_of(&new));
        let found = found.filter_map(|(skill, text)| Some((asked(skill).to_owned(), text?)));
        self.0.extend(found);
    }

    fn of(&self, skill: &SkillSummary) -> Option<&TextState> {
        self.0.get(asked(skill))
    }
}

/// What `metier info` takes: the id of a skill whose name another one has.
fn asked(skill: &SkillSummary) -> &str {
    skill.id.as_ref().unwrap_or(&skill.name)
}

/// The skills, each with where it lies and why its files are not served.
fn rows(catalog: &SkillCatalog, skills: &[SkillSummary], texts: &Texts) -> Vec<Value> {
    let rows = skills.iter().map(|skill| {
        let text = texts.of(skill);
        let mut skill = skill.clone();
        if let Some(text) = text {
            text.add_findings(&mut skill.diagnostics);
        }
        let mut row = json!(skill);
        let info = catalog.get_skill_info(asked(&skill));
        let metadata = info.and_then(|info| info.metadata);
        if let (Some(metadata), Some(row)) = (metadata, row.as_object_mut()) {
            let folder = metadata.skill_path.to_string_lossy();
            row.insert("folder".to_owned(), folder.into());
        }
        if let Some(text) = text
            && let Some(row) = row.as_object_mut()
        {
            let why = text.not_served.clone();
            row.extend(why.map(|why| ("not_served".to_owned(), why.into())));
            if !text.left_out.is_empty() {
                row.insert("left_out".to_owned(), json!(text.left_out));
            }
        }
        row
    });
    rows.collect()
}

fn row(skill: &SkillSummary) -> Vec<String> {
    vec![
        asked(skill).to_owned(),
        skill.status.to_string(),
        skill.dcc.clone(),
        skill.tool_count.to_string(),
        clipped(&skill.description, DESCRIPTION),
    ]
}
