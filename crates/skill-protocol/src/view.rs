//! What of the book is to be seen.

use std::collections::BTreeSet;

use crate::book::{SkillBook, SkillEntry, Source};
use crate::conversation::Conversation;
use crate::quality::QualityCounters;

/// What an operator decided about skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Ids of skills that are switched off.
    pub disabled: BTreeSet<String>,
    /// Ids of skills that are no longer trusted.
    pub revoked: BTreeSet<String>,
    /// Only skills from these; `None`: from everywhere.
    pub sources: Option<BTreeSet<Source>>,
}

/// Why a skill is not to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// It is disabled, revoked or from a source that is left out.
    Disabled,
    /// None of the files that it is for was touched.
    Conditional,
    /// Only a person may invoke it.
    OnlyForUsers,
    /// It is loaded by name alone.
    OnlyByName,
    /// Its instructions cannot be had.
    NotServed,
}

/// The one way to look at the skills, for all three faces.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) book: &'a SkillBook,
    pub(crate) standing: &'a Standing,
    pub(crate) conversation: &'a Conversation,
    pub(crate) quality: &'a dyn QualityCounters,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View")
            .field("generation", &self.book.generation())
            .field("standing", self.standing)
            .finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    /// Looks at a book through standing, conversation and experience.
    pub fn new(
        book: &'a SkillBook,
        standing: &'a Standing,
        conversation: &'a Conversation,
        quality: &'a dyn QualityCounters,
    ) -> Self {
        Self {
            book,
            standing,
            conversation,
            quality,
        }
    }

    /// Whether the skill is switched off, for everybody and every way.
    pub fn is_disabled(&self, entry: &SkillEntry) -> bool {
        self.standing.disabled.contains(&entry.id)
            || self.standing.revoked.contains(&entry.id)
            || self
                .standing
                .sources
                .as_ref()
                .is_some_and(|sources| !sources.contains(&entry.source))
    }

    /// Why a skill is in neither listing nor discovery; `None` where it is in both.
    pub fn absence(&self, entry: &SkillEntry) -> Option<Absence> {
        if self.is_disabled(entry) {
            Some(Absence::Disabled)
        } else if !entry.paths.is_empty() && !self.conversation.activated.contains(&entry.id) {
            Some(Absence::Conditional)
        } else if entry.only_for_users {
            Some(Absence::OnlyForUsers)
        } else if entry.only_by_name {
            Some(Absence::OnlyByName)
        } else if entry.not_served.is_some() {
            Some(Absence::NotServed)
        } else {
            None
        }
    }

    /// The skills that are in listing and discovery, in the order of the registry.
    pub fn visible(&self) -> impl Iterator<Item = &'a SkillEntry> {
        let view = *self;
        view.book
            .entries()
            .filter(move |entry| view.absence(entry).is_none())
    }
}
