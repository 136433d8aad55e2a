//! `metier discover`.

use clap::Args;
use metier::catalog::Discover as DiscoverCall;
use metier::skill_protocol::{DiscoveryAnswer, Stage};

use crate::Failure;
use crate::found::{Found, rows};
use crate::options::{SkillPlaces, runtime};
use crate::printer::{Printer, count};

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
        if self.query.trim().is_empty() {
            let text = "the query is empty; say what is needed, or name a skill";
            return Err(Failure::Usage(text.to_owned()));
        }
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let mut discover = DiscoverCall::new(self.query);
        discover.request.limit = self.limit;
        let answer = runtime()?.block_on(catalog.discover_skills(discover));
        let answer = answer.map_err(|deny| printer.denied_search(&deny, self.json))?;
        if self.json {
            printer.json(&answer.to_json());
            return self.places.tell_if_empty(printer, &catalog);
        }
        let hits = answer.hits.iter().map(|hit| Found {
            name: &hit.name,
            description: &hit.description,
            score: hit.score,
            missing: answer.missing_capabilities(&hit.id),
        });
        printer.overview(&rows(&hits.collect::<Vec<_>>()));
        for note in &answer.notes {
            printer.say(&note.to_string());
        }
        if let Some(order) = order(&answer) {
            printer.say(&order);
        }
        self.places.tell_if_empty(printer, &catalog)
    }
}

/// What the order is by, and how sure the first is.
fn order(answer: &DiscoveryAnswer) -> Option<String> {
    let first = answer.hits.first()?;
    let found = count(answer.hits.len(), "skill");
    let by = match answer.stage {
        Stage::Direct => return Some(format!("{found}, found by name")),
        Stage::Select => return Some(format!("{found}, chosen by a model")),
        Stage::Lexical => "words",
        Stage::Hybrid => "words and meaning",
    };
    let sure = first.confidence.unwrap_or_default() * 100.0;
    Some(format!(
        "{found} by {by}, best first; the percentage is of the best one's score; the first is {sure:.0} % sure"
    ))
}
