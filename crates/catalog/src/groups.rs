//! Activating and deactivating groups of tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::catalog::SkillCatalog;
use crate::event::CatalogEventKind;
use crate::snapshot::Parts;

/// Why a group was not activated or deactivated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// The skill is not loaded, or there is none of that name.
    #[error("the skill `{0}` is not loaded; call load_skill(skill_name=\"{0}\") first")]
    NotLoaded(String),
    /// The skill has no such group.
    #[error("the skill `{skill}` has no tool group `{group}`; it has {}", known.join(", "))]
    Unknown {
        /// The skill.
        skill: String,
        /// The group as asked for.
        group: String,
        /// The groups it has.
        known: Vec<String>,
    },
}

impl SkillCatalog {
    /// Shows or hides the tools of one group of a loaded skill; `false` when nothing changed.
    ///
    /// # Errors
    /// See [`GroupError`].
    pub fn set_group_active(
        &self,
        skill: &str,
        group: &str,
        active: bool,
    ) -> Result<bool, GroupError> {
        let writer = self.shared.write();
        let mut parts = writer.current().parts.clone();
        let Some(loaded) = parts.loaded.get(skill) else {
            return Err(GroupError::NotLoaded(skill.to_owned()));
        };
        let groups = &loaded.skill.metadata.groups;
        if !groups.iter().any(|known| known.name == group) {
            return Err(GroupError::Unknown {
                skill: skill.to_owned(),
                group: group.to_owned(),
                known: groups.iter().map(|group| group.name.clone()).collect(),
            });
        }
        let key = (skill.to_owned(), group.to_owned());
        let set = Arc::make_mut(&mut parts.active_groups);
        let changed = if active {
            set.insert(key)
        } else {
            set.remove(&key)
        };
        if changed {
            writer.publish(
                parts,
                CatalogEventKind::GroupChanged {
                    skill: skill.to_owned(),
                },
            );
        }
        Ok(changed)
    }
}

/// Activates groups when a skill is loaded: all of them, or those that are active by default. A tool whose group nobody declared is active, because nothing could activate it.
pub(crate) fn activate_on_load(parts: &mut Parts, skill: &str, all: bool) {
    let Some(loaded) = parts.loaded.get(skill).cloned() else {
        return;
    };
    let metadata = &loaded.skill.metadata;
    let active = Arc::make_mut(&mut parts.active_groups);
    for group in &metadata.groups {
        if all || group.default_active {
            active.insert((skill.to_owned(), group.name.clone()));
        }
    }
    for tool in &metadata.tools {
        if !metadata.groups.iter().any(|group| group.name == tool.group) {
            active.insert((skill.to_owned(), tool.group.clone()));
        }
    }
}

/// Makes exactly these of a loaded skill's declared groups active.
pub(crate) fn activate_exactly(parts: &mut Parts, skill: &str, exactly: &BTreeSet<String>) {
    let Some(loaded) = parts.loaded.get(skill).cloned() else {
        return;
    };
    let active = Arc::make_mut(&mut parts.active_groups);
    for group in &loaded.skill.metadata.groups {
        let key = (skill.to_owned(), group.name.clone());
        if exactly.contains(&group.name) {
            active.insert(key);
        } else {
            active.remove(&key);
        }
    }
}
