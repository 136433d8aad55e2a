//! What is worth keeping of a state over a restart.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::snapshot::CatalogSnapshot;

/// A skill that is loaded, as a later run would load it again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedSkillState {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its folder.
    pub path: PathBuf,
    /// Those of its declared groups that are active.
    pub active_groups: BTreeSet<String>,
}

impl CatalogSnapshot {
    /// The loaded skills by name.
    pub fn loaded_skills(&self) -> Vec<LoadedSkillState> {
        let loaded = self.parts.loaded.iter().map(|(name, tools)| {
            let metadata = &tools.skill.metadata;
            let groups = metadata.groups.iter().map(|group| group.name.clone());
            let is_active = |group: &String| {
                let key = (name.clone(), group.clone());
                self.parts.active_groups.contains(&key)
            };
            LoadedSkillState {
                name: name.clone(),
                version: metadata.version.clone(),
                path: tools.skill.path.clone(),
                active_groups: groups.filter(is_active).collect(),
            }
        });
        loaded.collect()
    }

    /// Whether a skill lost its tools without anybody unloading it: its folder is gone, or it came
    /// back and a policy did not let it in.
    pub fn is_missed(&self, name: &str) -> bool {
        self.parts.wished.contains(name) || self.parts.kept_out.contains_key(name)
    }
}
