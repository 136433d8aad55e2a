//! Tests of the crate from outside.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod activation;
mod discovery;
mod listing;
mod permissions;
mod selector;

use metier_skill_protocol::{Conversation, MemoryCounters, SkillBook, SkillEntry, Standing, View};

/// Everything that a view looks through.
#[derive(Default)]
struct House {
    book: SkillBook,
    standing: Standing,
    conversation: Conversation,
    quality: MemoryCounters,
}

impl House {
    fn new(entries: Vec<SkillEntry>) -> Self {
        Self {
            book: SkillBook::new(1, entries),
            ..Self::default()
        }
    }

    fn view(&self) -> View<'_> {
        View::new(
            &self.book,
            &self.standing,
            &self.conversation,
            &self.quality,
        )
    }
}

fn skill(name: &str, description: &str) -> SkillEntry {
    SkillEntry::new(format!("user:{name}"), name, description)
}

fn with_front(name: &str, front: &serde_json::Value) -> SkillEntry {
    let mut entry = skill(name, "Does it.");
    entry.front_matter.clone_from(front.as_object().unwrap());
    entry
}
