//! `metier list`.

use clap::Args;
use metier::skill_model::{SkillStatus, SkillSummary};
use serde_json::json;

use crate::Failure;
use crate::options::{SkillPlaces, tell_findings};
use crate::printer::{Printer, clipped, count, table};

/// How much of a description stands in the table.
const DESCRIPTION: usize = 80;

#[derive(Args)]
pub(crate) struct List {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Only skills that stand here: loaded, unloaded, `pending_deps`, error, skipped, shadowed.
    #[arg(long, value_name = "STATUS")]
    status: Option<SkillStatus>,
    #[command(flatten)]
    places: SkillPlaces,
}

impl List {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (catalog, _) = self.places.catalog(self.places.settings()?);
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
        if self.json {
            printer.json(&json!({
                "total": skills.len(),
                "skills": skills,
                "rejected": rejected,
                "shadowed": shadowed,
            }));
            return Ok(());
        }
        if !skills.is_empty() {
            let mut rows = vec![
                ["NAME", "STATUS", "DCC", "TOOLS", "DESCRIPTION"]
                    .map(str::to_owned)
                    .to_vec(),
            ];
            rows.extend(skills.iter().map(row));
            for line in table(&rows) {
                printer.data(&line);
            }
        }
        tell_findings(printer, &catalog.snapshot());
        let mut said = count(skills.len(), "skill");
        for (number, word) in [(rejected.len(), "rejected"), (shadowed.len(), "shadowed")] {
            if number > 0 {
                said = format!("{said}, {number} {word}");
            }
        }
        printer.say(&said);
        Ok(())
    }
}

fn row(skill: &SkillSummary) -> Vec<String> {
    vec![
        skill.name.clone(),
        skill.status.to_string(),
        skill.dcc.clone(),
        skill.tool_count.to_string(),
        clipped(&skill.description, DESCRIPTION),
    ]
}
