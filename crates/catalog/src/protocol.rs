//! How the catalog's skills come before a model: listing, discovery and activation, through one view of a snapshot.

mod activation;
mod conversations;
mod discovery;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use metier_loader::{LoadedSkill, RootLabel};
use metier_skill_protocol::{
    Conversation, Listing, ListingOptions, QualityEvent, SkillBook, SkillEntry, Source, Standing,
    View, budget_of_window, listing,
};

use crate::catalog::SkillCatalog;
use crate::left_out::LeftOut;
use crate::settings::SkillTools;
use crate::snapshot::CatalogSnapshot;
use crate::stub::load_call;

pub use activation::{ActivateError, Activated, ActivationRequest};
pub(crate) use conversations::Conversations;
use discovery::Silent;
pub use discovery::{Discover, Discovered};
pub use settings::ProtocolSettings;

/// What a listing is asked for.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ListingRequest {
    /// The client's session.
    pub session: Option<String>,
    /// Who it is for among the agents of the session: what an agent that has a name was sent is remembered for it.
    pub agent: String,
    /// What the last listing gave; without one, what the session's agent of that name was sent last.
    pub token: Option<String>,
    /// The most characters; `None`: the share of the context window in the settings.
    pub budget: Option<usize>,
    /// Files that were touched, relative to the project, 4,096 at most: skills for such files come into view.
    pub touched: Vec<String>,
}

impl ListingRequest {
    /// The first listing, for nobody that is known.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The skills of a snapshot, in the order of their names, each with why its text is not served, as far as that is known.
pub(crate) fn book(snapshot: &CatalogSnapshot) -> SkillBook {
    let shelf = snapshot.shelf();
    let entries = snapshot.parts.skills.entries.iter();
    let entries = entries.map(|(name, entry)| {
        let known = entry.skill.not_served.clone();
        let why = known.or_else(|| shelf.get(name)?.why_not());
        let why = why.map(|reason| {
            if entry.metadata().tools.is_empty() {
                return reason;
            }
            format!("{reason}; its tools are there with {}", load_call(name))
        });
        let served = entry.before_model.get_or_init(|| {
            let source = source_of(&entry.skill);
            Arc::new(SkillEntry::of(name, source, entry.metadata()))
        });
        match why {
            None => Arc::clone(served),
            why => Arc::new(SkillEntry::clone(served).not_served(why)),
        }
    });
    SkillBook::of_shared(snapshot.generation(), entries)
}

fn source_of(skill: &LoadedSkill) -> Source {
    match skill.root.label {
        RootLabel::Bundled => Source::Bundled,
        _ => Source::Local,
    }
}

/// A skill whose name an earlier one has, by its id. No face but reading its files leads to it.
fn shadowed_entry(skill: &LoadedSkill) -> SkillEntry {
    SkillEntry::of(skill.id.as_str(), source_of(skill), &skill.metadata)
}

impl SkillCatalog {
    /// Skills that no listing shows because their text is not served, each with the reason, as far as it is known.
    pub fn unlisted(&self) -> BTreeMap<String, String> {
        let snapshot = self.snapshot();
        let entries = snapshot.book().entries();
        let unlisted = entries.filter_map(|entry| {
            let reason = entry.not_served.clone()?;
            Some((entry.name.clone(), reason))
        });
        unlisted.collect()
    }

    /// What is disabled, revoked and left out at present.
    pub fn standing(&self) -> Standing {
        Standing::clone(&self.standing_now())
    }

    fn standing_now(&self) -> Arc<Standing> {
        let standing = self.shared.standing.read();
        Arc::clone(&standing.unwrap_or_else(PoisonError::into_inner))
    }

    /// Disables, revokes and leaves out other skills from now on: the next listing, discovery and activation know.
    /// Ids are the names of skills.
    pub fn set_standing(&self, standing: Standing) {
        *self
            .shared
            .standing
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(standing);
    }

    /// The names and descriptions of skills within a budget, or what is new since the last time.
    ///
    /// Without a token and without a name of the agent it is whole: whoever cannot say what was sent may have lost it.
    pub fn skill_listing(&self, request: &ListingRequest) -> Listing {
        let snapshot = self.snapshot();
        let session = request.session.as_deref();
        let agent: String = request.agent.chars().take(LONGEST_AGENT).collect();
        let mut conversation = self.conversations().of(session);
        let touched = request.touched.iter().take(MOST_TOUCHED);
        let mut woken = Vec::new();
        if !request.touched.is_empty() {
            let shadowed = snapshot.parts.skills.shadowed.iter();
            let shadowed = shadowed.map(|shadowed| shadowed_entry(&shadowed.skill));
            let shadowed = SkillBook::new(snapshot.generation(), shadowed.collect());
            for path in touched {
                woken.extend(conversation.touch(snapshot.book(), path));
                woken.extend(conversation.touch(&shadowed, path));
            }
        }
        let remembered = conversation.listings.get(&agent).cloned();
        let token = request
            .token
            .clone()
            .or_else(|| remembered.filter(|_| !agent.is_empty()));
        let listing = self.listing_of(&snapshot, &conversation, token.as_deref(), request.budget);
        // Others may have been at the same session meanwhile.
        self.conversations().change(session, |conversation| {
            conversation.activated.extend(woken);
            if agent.is_empty() {
                return;
            }
            let is_known = conversation.listings.contains_key(&agent);
            if conversation.listings.len() >= MOST_AGENTS && !is_known {
                conversation.listings.clear();
            }
            conversation.listings.insert(agent, listing.token.clone());
        });
        listing
    }

    /// The listing for somebody of whom nothing is known, as servers show it unasked: made once for each snapshot and
    /// each decision about its skills. Nobody knows whether a model sees it, so it counts for no skill.
    pub fn listing_for_all(&self) -> Arc<Listing> {
        let snapshot = self.snapshot();
        let standing = self.standing_now();
        let mut kept = snapshot
            .listing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((of, listing)) = kept.as_ref()
            && Arc::ptr_eq(of, &standing)
        {
            return Arc::clone(listing);
        }
        let quality = Silent(&*self.shared.settings.protocol.quality);
        let conversation = Conversation::default();
        let view = View::new(snapshot.book(), &standing, &conversation, &quality);
        let made = Arc::new(listing(&view, None, &self.listing_options(None)));
        *kept = Some((standing, Arc::clone(&made)));
        made
    }

    fn listing_of(
        &self,
        snapshot: &CatalogSnapshot,
        conversation: &Conversation,
        token: Option<&str>,
        budget: Option<usize>,
    ) -> Listing {
        let standing = self.standing_now();
        let quality = &*self.shared.settings.protocol.quality;
        let view = View::new(snapshot.book(), &standing, conversation, quality);
        listing(&view, token, &self.listing_options(budget))
    }

    fn listing_options(&self, budget: Option<usize>) -> ListingOptions {
        let window = self.shared.settings.protocol.window;
        let budget = budget.or_else(|| window.map(budget_of_window));
        let mut options = ListingOptions::default();
        options.budget = budget.unwrap_or(options.budget);
        if self.shared.settings.skill_tools == SkillTools::Off {
            // What is switched off finds nothing.
            "search_skills".clone_into(&mut options.discover_tool);
        }
        options
    }

    /// Counts what a host knows of a skill: that it went well, or that it was given up. Calls of its tools are counted
    /// without that.
    pub fn report_skill(&self, id: &str, event: QualityEvent) {
        self.shared.settings.protocol.quality.record(&[(id, event)]);
    }

    /// Waits until what was counted of skills so far is kept, where it is kept at all. Blocks.
    pub fn flush_experience(&self) {
        self.shared.settings.protocol.quality.flush();
    }

    fn conversations(&self) -> std::sync::MutexGuard<'_, Conversations> {
        self.shared
            .conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// So many touched files count.
const MOST_TOUCHED: usize = 4_096;
/// So many agents of a session are told apart.
const MOST_AGENTS: usize = 64;
/// So much of an agent's name counts.
const LONGEST_AGENT: usize = 100;

impl CatalogSnapshot {
    /// The names of skills that are there and that the settings disable.
    pub fn disabled_skills(&self) -> BTreeSet<&str> {
        let left_out = self.parts.skills.left_out.iter();
        let disabled = left_out.filter(|(_, why)| **why == LeftOut::Disabled);
        disabled.map(|(name, _)| name.as_str()).collect()
    }

    /// Skills that are there and that the settings keep from being served, by name.
    pub fn left_out_skills(&self) -> &BTreeMap<String, LeftOut> {
        &self.parts.skills.left_out
    }

    /// The skills as the protocol sees them, made once for the snapshot.
    pub fn book(&self) -> &Arc<SkillBook> {
        self.book.get_or_init(|| Arc::new(book(self)))
    }
}
