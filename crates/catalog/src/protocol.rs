//! How the catalog's skills come before a model: listing, discovery and activation, through one view of a snapshot.

mod activation;
mod conversations;
mod discovery;
mod settings;

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use metier_loader::RootLabel;
use metier_skill_protocol::{
    Listing, ListingOptions, SkillBook, SkillEntry, Source, Standing, View, budget_of_window,
    listing,
};

use crate::catalog::SkillCatalog;
use crate::snapshot::CatalogSnapshot;

pub use activation::{ActivateError, Activated, ActivationRequest};
pub(crate) use conversations::Conversations;
pub use discovery::Discover;
pub use settings::ProtocolSettings;

/// What a listing is asked for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListingRequest {
    /// The client's session: what it was sent is remembered for it.
    pub session: Option<String>,
    /// Who it is for among the agents of the session.
    pub agent: String,
    /// What the last listing gave; without one, what the session's agent was sent last.
    pub token: Option<String>,
    /// The most characters; `None`: the share of the context window in the settings.
    pub budget: Option<usize>,
    /// Files that were touched, relative to the project: skills for such files come into view.
    pub touched: Vec<String>,
}

impl ListingRequest {
    /// The first listing, for nobody that is known.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The skills of a snapshot, in the order of their names.
pub(crate) fn book(snapshot: &CatalogSnapshot) -> SkillBook {
    let entries = &snapshot.parts.skills.entries;
    let entries = entries.iter().map(|(name, entry)| {
        let source = match entry.skill.root.label {
            RootLabel::Bundled => Source::Bundled,
            _ => Source::Local,
        };
        SkillEntry::of(name, source, entry.metadata())
    });
    SkillBook::new(snapshot.generation(), entries.collect())
}

impl SkillCatalog {
    /// What is disabled, revoked and left out at present.
    pub fn standing(&self) -> Standing {
        self.shared
            .standing
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Disables, revokes and leaves out other skills from now on: the next listing, discovery and activation know.
    /// Ids are the names of skills.
    pub fn set_standing(&self, standing: Standing) {
        *self
            .shared
            .standing
            .write()
            .unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// The names and descriptions of skills within a budget, or what is new since the last time.
    pub fn skill_listing(&self, request: &ListingRequest) -> Listing {
        let snapshot = self.snapshot();
        let book = snapshot.book();
        let settings = &self.shared.settings.protocol;
        let budget = request
            .budget
            .or_else(|| settings.window.map(budget_of_window));
        let mut options = ListingOptions::default();
        options.budget = budget.unwrap_or(options.budget);
        let standing = self.standing();
        let mut conversations = self.conversations();
        let mut conversation = conversations.of(request.session.as_deref());
        for path in &request.touched {
            conversation.touch(book, path);
        }
        let agent: String = request.agent.chars().take(LONGEST_AGENT).collect();
        let token = request
            .token
            .clone()
            .or_else(|| conversation.listings.get(&agent).cloned());
        let view = View::new(book, &standing, &conversation, &*settings.quality);
        let listing = listing(&view, token.as_deref(), &options);
        let is_known = conversation.listings.contains_key(&agent);
        if conversation.listings.len() >= MOST_AGENTS && !is_known {
            conversation.listings.clear();
        }
        conversation.listings.insert(agent, listing.token.clone());
        conversations.keep(request.session.as_deref(), conversation);
        listing
    }

    fn conversations(&self) -> std::sync::MutexGuard<'_, Conversations> {
        self.shared
            .conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// So many agents of a session are told apart.
const MOST_AGENTS: usize = 64;
/// So much of an agent's name counts.
const LONGEST_AGENT: usize = 100;

impl CatalogSnapshot {
    /// The names of skills that are there and that the settings disable.
    pub fn disabled_skills(&self) -> &BTreeSet<String> {
        &self.parts.skills.disabled
    }

    /// The skills as the protocol sees them, made once for the snapshot.
    pub fn book(&self) -> &Arc<SkillBook> {
        self.book.get_or_init(|| Arc::new(book(self)))
    }
}
