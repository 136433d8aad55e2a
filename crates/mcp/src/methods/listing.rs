//! The listing of the skills at the end of the instructions, and as the resource `metier://listing`.

use metier_catalog::ListedKind;
use serde_json::{Value, json};

use crate::config::OF_STUBS;
use crate::shared::Shared;

/// Readable and never listed: it is no file of a skill.
pub(super) const URI: &str = "metier://listing";
/// Where the token of a listing stands, for `skills_listing`.
const TOKEN: &str = "metier/token";
/// The tools for texts stand among the first.
const FIRST: usize = 16;

/// Whether the instructions hold the listing: while tools for the skills' texts are listed.
pub(super) fn is_told(shared: &Shared) -> bool {
    let snapshot = shared.catalog.snapshot();
    let mut first = snapshot.tools().iter().take(FIRST);
    shared.config.listing && first.any(|tool| tool.kind == ListedKind::Text)
}

/// What a model is told about the server.
pub(super) fn instructions(shared: &Shared) -> Option<String> {
    let mut text = shared.config.instructions.clone()?;
    if !shared.config.stubs {
        text = text.replace(OF_STUBS, "");
    }
    if !is_told(shared) {
        return Some(text);
    }
    let listing = shared.catalog.listing_for_all();
    if listing.text.is_empty() {
        return Some(text);
    }
    Some(format!(
        "{text}\n\nSkills to be used with skill, as far as they fit here; discover_skills finds the others:\n{}",
        listing.text
    ))
}

/// The listing as the contents of a resource.
pub(super) fn contents(shared: &Shared) -> Value {
    let listing = shared.catalog.listing_for_all();
    json!({
        "uri": URI,
        "mimeType": "text/plain",
        "text": listing.text,
        "_meta": { TOKEN: listing.token },
    })
}
