//! `metier search`.

use clap::Args;
use metier::catalog::{SearchRequest, SearchSkillsError, SkillHit};
use serde_json::{Value, json};

use crate::Failure;
use crate::found::{Found, rows};
use crate::options::{SkillPlaces, runtime};
use crate::printer::{Printer, clipped, count};

#[derive(Args)]
pub(crate) struct Search {
    /// What you want to do, or a name.
    query: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// At most so many hits, 1 to 100.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Only skills with this tag; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only skills from this source, as `metier info` names it.
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Search {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let is_folder = std::path::Path::new(&self.query).is_dir();
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let mut request = SearchRequest::new(self.query);
        request.limit = self.limit;
        request.tags = self.tags;
        request.source = self.source;
        let report = runtime()?
            .block_on(catalog.search_skills(request))
            .map_err(|error| match error {
                SearchSkillsError::Denied(deny) => printer.denied_search(&deny, self.json),
                error => Failure::Usage(error.to_string()),
            })?;
        if self.json {
            let hits: Vec<Value> = report.hits.iter().map(hit_json).collect();
            printer.json(&json!({
                "total": report.total,
                "hits": hits,
                "notes": report.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "rejected": report.rejected,
            }));
            return self.places.tell_if_empty(printer, &catalog);
        }
        let best = report.hits.first().map_or(0.0, |hit| hit.score);
        let hits = report.hits.iter().map(|hit| Found {
            name: &hit.skill.name,
            description: &hit.skill.description,
            score: hit.score,
            missing: hit.missing_capabilities.clone(),
        });
        let mut rows = rows(&hits.collect::<Vec<_>>());
        for (row, hit) in rows.iter_mut().zip(&report.hits) {
            row.push(words(hit));
        }
        printer.overview(&rows);
        for note in &report.notes {
            printer.say(&note.to_string());
        }
        for skill in &report.rejected {
            printer.say(&format!("`{}` was found and rejected:", skill.name));
            for finding in &skill.diagnostics {
                printer.say(&format!("  {finding}"));
            }
        }
        let order = if best > 0.0 {
            ", best first; the percentage is of the best one's score"
        } else {
            ""
        };
        if report.hits.is_empty() && report.total == 0 {
            printer.say("no skill fits; `metier list` shows all that there are");
        } else {
            printer.say(&format!(
                "{} of {} that fit{order}",
                report.hits.len(),
                count(report.total, "skill")
            ));
        }
        if report.hits.is_empty() && is_folder {
            printer.say(
                "the query is a folder; it stands before the folders: metier search QUERY PATH",
            );
        }
        self.places.tell_if_empty(printer, &catalog)
    }
}

fn hit_json(hit: &SkillHit) -> Value {
    json!({
        "skill": hit.skill,
        "missing_capabilities": hit.missing_capabilities,
        "score": hit.score,
        "confidence": hit.confidence,
        "matched": hit.matched,
        "load": {"tool": "load_skill", "arguments": {"skill_name": hit.skill.name}},
    })
}

/// Why it was found.
fn words(hit: &SkillHit) -> String {
    let mut words: Vec<&str> = Vec::new();
    for matched in &hit.matched {
        if !words.contains(&matched.term.as_str()) {
            words.push(&matched.term);
        }
    }
    clipped(&words.join(", "), 40)
}
