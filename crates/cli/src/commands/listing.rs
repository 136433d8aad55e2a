//! `metier listing`.

use clap::Args;
use metier::catalog::ListingRequest;
use metier::skill_protocol::ListingKind;
use serde_json::json;

use crate::Failure;
use crate::options::SkillPlaces;
use crate::printer::{Printer, clipped, count};

#[derive(Args)]
pub(crate) struct Listing {
    /// Print JSON, with the token for the next listing.
    #[arg(long)]
    json: bool,
    /// The most characters.
    #[arg(long, value_name = "CHARACTERS", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    budget: Option<u32>,
    /// The token of an earlier listing: what is new since.
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// A file that was touched, relative to the project; may be given several times.
    #[arg(long = "touched", value_name = "FILE")]
    touched: Vec<String>,
    #[command(flatten)]
    places: SkillPlaces,
}

impl Listing {
    pub(crate) fn run(self, printer: Printer) -> Result<(), Failure> {
        let (catalog, _) = self.places.catalog(self.places.settings()?);
        let mut request = ListingRequest::new();
        request.budget = self.budget.and_then(|budget| usize::try_from(budget).ok());
        request.token = self.token;
        if !self.touched.is_empty() {
            // Skills that come into view are those of one conversation.
            request.session = Some("command".to_owned());
            request.touched = self.touched;
        }
        let listing = catalog.skill_listing(&request);
        let unlisted = catalog.unlisted();
        if self.json {
            let mut answer = json!(listing);
            if let Some(answer) = answer.as_object_mut().filter(|_| !unlisted.is_empty()) {
                answer.insert("left_out".to_owned(), json!(unlisted));
            }
            printer.json(&answer);
            return self.places.tell_if_empty(printer, &catalog);
        }
        if listing.kind == ListingKind::TokenUnreadable {
            printer.say("the token could not be read; this is the whole list");
        }
        for line in listing.text.lines() {
            printer.data(line);
        }
        printer.say(&format!(
            "{} of {} in {} characters",
            listing.shown.len(),
            count(listing.visible, "skill"),
            listing.text.chars().count()
        ));
        if !unlisted.is_empty() {
            printer.say(&format!("{} left out:", count(unlisted.len(), "skill")));
        }
        for (name, reason) in unlisted {
            printer.say(&format!("  {name}: {}", clipped(&reason, usize::MAX)));
        }
        self.places.tell_if_empty(printer, &catalog)
    }
}
