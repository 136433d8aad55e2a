//! What one conversation has seen.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::book::SkillBook;

/// What one conversation has seen of the skills. Plain data, to be kept by a host that keeps a process, or written
/// into a transcript and restored from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Conversation {
    /// The token of the last listing, by agent.
    pub listings: BTreeMap<String, String>,
    /// Ids that discovery returned.
    pub discovered: BTreeSet<String>,
    /// Ids that were activated.
    pub invoked: BTreeSet<String>,
    /// Ids of conditional skills of which a file was touched.
    pub activated: BTreeSet<String>,
}

/// What a transcript holds of the skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TranscriptItem {
    /// A listing was sent.
    SkillListing {
        /// To whom.
        agent: String,
        /// Its token.
        token: String,
    },
    /// Discovery answered.
    SkillDiscovery {
        /// With these ids.
        ids: Vec<String>,
    },
    /// A skill was activated.
    InvokedSkill {
        /// Its id.
        id: String,
    },
    /// A conditional skill came into view.
    DynamicSkill {
        /// Its id.
        id: String,
    },
    /// Everything up to here, as it stood when the transcript was compacted.
    SkillState(Conversation),
}

impl Conversation {
    /// Notes that a file was touched, and returns the ids of the conditional skills that come into view by it.
    /// The path is relative to the project, with `/` between its parts.
    pub fn touch(&mut self, book: &SkillBook, path: &str) -> Vec<String> {
        let woken: Vec<String> = book
            .for_path(path)
            .filter(|entry| !self.activated.contains(&entry.id))
            .map(|entry| entry.id.clone())
            .collect();
        self.activated.extend(woken.iter().cloned());
        woken
    }

    /// The conversation that a transcript tells of, in its order.
    pub fn restore(items: impl IntoIterator<Item = TranscriptItem>) -> Self {
        let mut conversation = Self::default();
        for item in items {
            match item {
                TranscriptItem::SkillListing { agent, token } => {
                    conversation.listings.insert(agent, token);
                }
                TranscriptItem::SkillDiscovery { ids } => conversation.discovered.extend(ids),
                TranscriptItem::InvokedSkill { id } => {
                    conversation.invoked.insert(id);
                }
                TranscriptItem::DynamicSkill { id } => {
                    conversation.activated.insert(id);
                }
                TranscriptItem::SkillState(state) => conversation = state,
            }
        }
        conversation
    }

    /// Whether the conversation has come across a skill by discovery or use.
    pub fn has_seen(&self, id: &str) -> bool {
        self.discovered.contains(id) || self.invoked.contains(id)
    }
}
