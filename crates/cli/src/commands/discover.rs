//! `metier discover`.

use clap::Args;
use metier::catalog::Discover as DiscoverCall;
use serde_json::json;

use crate::Failure;
use crate::options::{SkillPlaces, runtime};
use crate::printer::{Printer, clipped};

/// How much of a description stands in the table.
const DESCRIPTION: usize = 70;

#[derive(Args)]
pub(crate) struct Discover {
    /// What you need, in your own words; or `select:NAME`.
    query: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// At most so many skills, 1 to 20.
    #[arg(long, default_value_t = 5)]
    limit: usize,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Discover {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let mut discover = DiscoverCall::new(self.query);
        discover.request.limit = self.limit;
        let answer = runtime()?.block_on(catalog.discover_skills(discover));
        let answer = answer.map_err(|deny| {
            printer.say(&format!("error: the search was denied by policy: {deny}"));
            Failure::Answered
        })?;
        if self.json {
            printer.json(&json!(answer));
            self.places.tell_if_empty(printer, &catalog);
            return Ok(());
        }
        let rows: Vec<Vec<String>> = answer
            .hits
            .iter()
            .map(|hit| {
                let sure = hit.confidence.unwrap_or_default() * 100.0;
                vec![
                    hit.name.clone(),
                    format!("{sure:.0} %"),
                    hit.stage.as_str().to_owned(),
                    clipped(&hit.description, DESCRIPTION),
                ]
            })
            .collect();
        printer.overview(&rows);
        for note in &answer.notes {
            printer.say(&note.to_string());
        }
        self.places.tell_if_empty(printer, &catalog);
        Ok(())
    }
}
