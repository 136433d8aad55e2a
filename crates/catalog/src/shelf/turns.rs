//! What has become of skills that clients were shown.

use std::sync::Arc;

use super::reader::LiveReaders;
use super::{ServedSkill, SkillReader, SkillShelf, SkillText};

impl SkillShelf {
    /// The states of each skill since this reader asked last, in their order, as far as it may be another
    /// one than clients were shown; `None` where there is no such skill. `before` is the shelf of that
    /// time. A new version of a skill that was shown is looked at, which blocks; one that nobody has
    /// ever looked at is compared without its files.
    pub fn turns_since(&self, before: &Self, reader: &SkillReader) -> Vec<Vec<Option<SkillText>>> {
        let counting = Counting {
            reader,
            live: reader.live(),
        };
        let mut is_used = None;
        let mut turns = Vec::new();
        for (key, new) in &self.skills {
            match before.skills.get(key) {
                Some(old) if Arc::ptr_eq(old.shown(), new.shown()) => {
                    turns.extend(counting.versions(old, new));
                }
                old => {
                    let is_used = is_used.get_or_insert_with(|| before.is_in_use());
                    if *is_used {
                        new.note_now(false);
                    }
                    let mut states = old.map_or_else(Vec::new, |old| counting.all(old));
                    states.push(None);
                    states.extend(counting.all(new));
                    turns.push(states);
                }
            }
        }
        for (_, old) in before
            .skills
            .iter()
            .filter(|(key, _)| self.get(key).is_none())
        {
            let mut states = counting.all(old);
            states.push(None);
            turns.push(states);
        }
        turns
    }

    /// Whether anybody has looked at a skill of it.
    fn is_in_use(&self) -> bool {
        self.skills
            .values()
            .any(|skill| !skill.shown().is_nothing())
    }
}

/// Whose turns are told.
struct Counting<'r> {
    reader: &'r SkillReader,
    live: LiveReaders,
}

impl Counting<'_> {
    /// The states of one skill in both versions, or in the only one.
    fn versions(
        &self,
        old: &Arc<ServedSkill>,
        new: &Arc<ServedSkill>,
    ) -> Option<Vec<Option<SkillText>>> {
        if !Arc::ptr_eq(old, new) {
            if new.shown().is_nothing() {
                return Some([old, new].map(|skill| Some(unread(skill))).into());
            }
            new.note_now(new.shown().has_prompts());
        }
        let states = new.shown().count(self.reader, &self.live);
        (states.len() > 1).then(|| states.into_iter().map(Some).collect())
    }

    /// Everything that was shown of a skill, or what it says of itself.
    fn all(&self, skill: &ServedSkill) -> Vec<Option<SkillText>> {
        let mut states = skill.shown().count(self.reader, &self.live);
        if states.is_empty() {
            states.push(unread(skill));
        }
        states.into_iter().map(Some).collect()
    }
}

fn unread(skill: &ServedSkill) -> SkillText {
    SkillText::unread(Arc::clone(skill.place()))
}
