//! The shelf of a snapshot, made when somebody asks for it.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwapOption;

use super::SkillShelf;
use crate::skill_set::{SkillEntry, SkillSet};

/// The skills' texts, once somebody asks for them; the same for all generations with the same skills.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    shelf: OnceLock<Arc<SkillShelf>>,
    /// What is known of files, and what was shown, is taken over from here. Nothing once that is done, so that no
    /// generation is kept for the one behind it.
    before: ArcSwapOption<SkillShelf>,
}

impl Texts {
    /// Those of other skills than before.
    pub(crate) fn after(before: Option<&Self>) -> Self {
        // In this order: what is taken over is there before it is let go.
        let shelf = before.and_then(|before| {
            let waiting = before.before.load_full();
            before.shelf.get().cloned().or(waiting)
        });
        Self {
            shelf: OnceLock::new(),
            before: ArcSwapOption::new(shelf),
        }
    }

    /// The shelf, of these skills.
    pub(crate) fn shelf(&self, skills: &SkillSet) -> &Arc<SkillShelf> {
        let shelf = self.shelf.get_or_init(|| {
            let before = self.before.load_full().unwrap_or_default();
            Arc::new(SkillShelf::new(skills, &before))
        });
        if self.before.load().is_some() {
            self.before.store(None);
        }
        shelf
    }

    /// Whether a skill has no tools, and its text is not served: nobody gets anything by loading it.
    pub(crate) fn leave_nothing(&self, entry: &SkillEntry, skills: &SkillSet) -> bool {
        let skill = &entry.skill;
        if !skill.metadata.tools.is_empty() {
            return false;
        }
        if skill.not_served.is_some() {
            return true;
        }
        if !self.is_used() {
            return skill.beyond_manifest.is_some();
        }
        let served = self.shelf(skills).get(&skill.metadata.name);
        served.is_some_and(|served| served.why_not().is_some())
    }

    /// Whether somebody has asked for it, in this generation or in one before.
    pub(crate) fn is_used(&self) -> bool {
        self.before.load().is_some() || self.shelf.get().is_some()
    }
}
