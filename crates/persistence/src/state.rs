//! What is kept: plain values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The version of the file that this build reads and writes.
pub const SCHEMA_VERSION: u64 = 1;

/// A skill that was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SavedSkill {
    /// Its name.
    pub name: String,
    /// The version that was loaded; a record without one fits every version.
    pub version: Option<String>,
    /// The folder it was loaded from; for people, a replay goes by the name.
    pub skill_path: Option<String>,
    /// When it was loaded, in milliseconds since 1970.
    pub loaded_at_ms: Option<u64>,
    /// Members that this build does not know, kept as they are.
    pub other: Map<String, Value>,
}

impl SavedSkill {
    /// A record of a skill without anything else.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Sets the version.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the folder.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.skill_path = Some(path.into());
        self
    }
}

/// Everything that is kept of an application.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LoadedState {
    /// When it was last written, in milliseconds since 1970. Nothing depends on it.
    pub saved_at_ms: Option<u64>,
    /// The skills in the order in which they were loaded; each name once.
    pub skills: Vec<SavedSkill>,
    /// `skill:group` for each active group.
    pub active_groups: BTreeSet<String>,
    /// Members that this build does not know, kept as they are.
    pub other: Map<String, Value>,
}

impl LoadedState {
    /// The record of a skill.
    pub fn skill(&self, name: &str) -> Option<&SavedSkill> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    /// The active groups of a skill, without its name.
    pub fn groups_of(&self, skill: &str) -> BTreeSet<String> {
        let prefix = format!("{skill}:");
        let from_there = self.active_groups.range(prefix.clone()..);
        from_there
            .map_while(|group| group.strip_prefix(&prefix))
            .map(ToOwned::to_owned)
            .collect()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty() && self.active_groups.is_empty()
    }
}

/// What one server changed since it last saved; what others changed meanwhile is not touched.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StateChange {
    /// Skills that are loaded, with their version, their folder and all their active groups.
    pub loaded: Vec<(SavedSkill, BTreeSet<String>)>,
    /// Skills that are no longer to be loaded. Their groups go with them.
    pub unloaded: Vec<String>,
    /// All that the server has loaded, in that order: for a file that somebody has deleted or damaged
    /// since, which would hold the change alone otherwise.
    pub whole: Vec<(SavedSkill, BTreeSet<String>)>,
}

impl StateChange {
    /// Adds a skill that is loaded, or whose version or groups changed.
    #[must_use]
    pub fn with_loaded(
        mut self,
        skill: SavedSkill,
        groups: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        self.loaded.push((skill, groups));
        self
    }

    /// Adds a skill that was unloaded.
    #[must_use]
    pub fn with_unloaded(mut self, name: impl Into<String>) -> Self {
        self.unloaded.push(name.into());
        self
    }

    /// Says what the server has loaded in all, the change included.
    #[must_use]
    pub fn within(mut self, whole: Vec<(SavedSkill, BTreeSet<String>)>) -> Self {
        self.whole = whole;
        self
    }

    /// The same change of a file that holds nothing any more, or not all of it.
    pub(crate) fn anew(&self) -> Self {
        let mut anew = self.clone();
        if !self.whole.is_empty() {
            anew.loaded.clone_from(&self.whole);
        }
        anew
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.loaded.is_empty() && self.unloaded.is_empty()
    }

    /// Makes the change. A record that is there keeps its place, the time it was loaded at and what
    /// this build does not know of it.
    pub fn apply_to(&self, state: &mut LoadedState, now_ms: u64) {
        let unloaded: BTreeSet<&str> = self.unloaded.iter().map(String::as_str).collect();
        let loaded = self.loaded.iter().map(|(skill, _)| skill.name.as_str());
        let touched: BTreeSet<&str> = loaded.chain(unloaded.iter().copied()).collect();
        state
            .skills
            .retain(|skill| !unloaded.contains(skill.name.as_str()));
        state.active_groups.retain(|group| {
            let skill = group.split_once(':').map(|(skill, _)| skill);
            skill.is_none_or(|skill| !touched.contains(skill))
        });
        let names = state.skills.iter().map(|skill| skill.name.clone());
        let mut places: BTreeMap<String, usize> = names.zip(0..).collect();
        for (skill, groups) in &self.loaded {
            let named = groups.iter().map(|group| format!("{}:{group}", skill.name));
            state.active_groups.extend(named);
            let place = places.get(&skill.name);
            if let Some(known) = place.and_then(|place| state.skills.get_mut(*place)) {
                known.version.clone_from(&skill.version);
                known.skill_path.clone_from(&skill.skill_path);
                known.loaded_at_ms.get_or_insert(now_ms);
            } else {
                places.insert(skill.name.clone(), state.skills.len());
                let mut skill = skill.clone();
                skill.loaded_at_ms.get_or_insert(now_ms);
                state.skills.push(skill);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_touches_its_own_skills_alone() {
        let mut state = LoadedState::default();
        StateChange::default()
            .with_loaded(SavedSkill::new("a").with_version("1"), ["x", "y"])
            .with_loaded(SavedSkill::new("ab"), ["x"])
            .apply_to(&mut state, 5);
        StateChange::default()
            .with_loaded(SavedSkill::new("a").with_version("2"), ["y"])
            .with_unloaded("missing")
            .apply_to(&mut state, 9);
        assert_eq!(
            state.active_groups.iter().collect::<Vec<_>>(),
            ["a:y", "ab:x"]
        );
        let a = state.skill("a").unwrap();
        assert_eq!((a.version.as_deref(), a.loaded_at_ms), (Some("2"), Some(5)));
        StateChange::default()
            .with_unloaded("a")
            .apply_to(&mut state, 9);
        assert_eq!(state.skills.len(), 1);
        assert_eq!(state.groups_of("ab").len(), 1);
    }
}
