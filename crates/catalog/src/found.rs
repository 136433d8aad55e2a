//! The skills of a snapshot as they were read, for those that serve their texts.

use std::sync::Arc;

use metier_loader::LoadedSkill;

use crate::snapshot::CatalogSnapshot;

impl CatalogSnapshot {
    /// Every skill that can be had by its name, in the order of names, loaded or not.
    pub fn skills(&self) -> impl Iterator<Item = &Arc<LoadedSkill>> {
        self.parts.skills.entries.values().map(|entry| &entry.skill)
    }

    /// The skills whose names an earlier one has, in the order of roots and paths.
    pub fn shadowed_skills(&self) -> impl Iterator<Item = &Arc<LoadedSkill>> {
        self.parts
            .skills
            .shadowed
            .iter()
            .map(|shadowed| &shadowed.skill)
    }
}
