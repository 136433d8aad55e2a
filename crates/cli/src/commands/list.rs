//! `metier list`.

use clap::Args;
use metier::SkillCatalog;
use metier::catalog::CatalogEvent;
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
        let _ = catalog.texts_of(&catalog.list_skills(None));
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
        let answer = json!({
            "total": skills.len(),
            "skills": rows(catalog, &skills),
            "rejected": rejected,
            "shadowed": rows(catalog, &shadowed),
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
        let found = self.places.tell_if_empty(printer, catalog);
        (answer, found)
    }
}

/// The skills, each with where it lies and why its files are not served.
fn rows(catalog: &SkillCatalog, skills: &[SkillSummary]) -> Vec<Value> {
    let texts = catalog.texts_of(skills);
    let rows = skills.iter().zip(texts).map(|(skill, text)| {
        let mut skill = skill.clone();
        if let Some(text) = &text {
            text.add_findings(&mut skill.diagnostics);
        }
        let mut row = json!(skill);
        let asked = skill.id.as_ref().unwrap_or(&skill.name);
        let metadata = catalog.get_skill_info(asked).and_then(|info| info.metadata);
        if let (Some(metadata), Some(row)) = (metadata, row.as_object_mut()) {
            let folder = metadata.skill_path.to_string_lossy();
            row.insert("folder".to_owned(), folder.into());
        }
        if let Some(text) = text
            && let Some(row) = row.as_object_mut()
        {
            row.extend(
                text.not_served
                    .map(|why| ("not_served".to_owned(), why.into())),
            );
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
        // What is shown is what `metier info` takes.
        skill.id.as_ref().unwrap_or(&skill.name).clone(),
        skill.status.to_string(),
        skill.dcc.clone(),
        skill.tool_count.to_string(),
        clipped(&skill.description, DESCRIPTION),
    ]
}
