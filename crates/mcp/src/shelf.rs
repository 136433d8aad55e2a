//! The skills as texts: which are served, under which URI, and every file of each with its digest.
//!
//! One shelf belongs to one snapshot of the catalog. Files are looked at when somebody asks for them;
//! what is known of a file is what was hashed, and a reading that finds something else makes it known
//! before the new bytes go out.

mod contents;
mod served_skill;
mod uri;

use std::collections::BTreeMap;
use std::sync::Arc;

use metier_catalog::CatalogSnapshot;
use metier_loader::LoadedSkill;

use crate::newest::{Newest, OfGeneration};

pub(crate) use contents::{Body, Contents, mime_of_name};
pub(crate) use served_skill::{Change, ReadFault, ServedSkill};
pub(crate) use uri::{encoded, parse};

/// The file by which a skill is known.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Every skill whose texts are served.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    generation: u64,
    skills: BTreeMap<String, Arc<ServedSkill>>,
    /// Why others are not, by name.
    left_out: BTreeMap<String, String>,
}

/// Keeps the newest generation's shelf.
#[derive(Debug, Default)]
pub(crate) struct ShelfCache {
    newest: Newest<Shelf>,
}

impl ShelfCache {
    /// The shelf of a snapshot.
    pub(crate) fn of(&self, snapshot: &CatalogSnapshot) -> Arc<Shelf> {
        self.newest.of(snapshot.generation(), |before| {
            Shelf::new(snapshot, before.unwrap_or(&Shelf::default()))
        })
    }
}

impl OfGeneration for Shelf {
    fn generation(&self) -> u64 {
        self.generation
    }
}

impl Shelf {
    fn new(snapshot: &CatalogSnapshot, before: &Self) -> Self {
        let mut shelf = Self {
            generation: snapshot.generation(),
            ..Self::default()
        };
        for skill in snapshot.skills() {
            shelf.put(skill.metadata.name.to_string(), skill, before);
        }
        for skill in snapshot.shadowed_skills() {
            // The label that the skill's id begins with, which tells two roots of a kind apart.
            let label = skill.id.as_str().split(':').next().unwrap_or_default();
            let name = skill.metadata.name.as_str();
            let key = format!("{label}/{name}");
            if shelf.skills.contains_key(label) {
                let reason = format!("its URI would lie inside the skill `{label}`");
                shelf.left_out.insert(key, reason);
            } else if shelf.skills.contains_key(&key) {
                let reason = format!("another skill of this name is served as skill://{key}");
                shelf.left_out.insert(skill.id.to_string(), reason);
            } else {
                shelf.put(key, skill, before);
            }
        }
        shelf
    }

    fn put(&mut self, key: String, skill: &Arc<LoadedSkill>, before: &Self) {
        if let Some(reason) = &skill.not_served {
            self.left_out.insert(key, reason.clone());
            return;
        }
        let known = before
            .skills
            .get(&key)
            .filter(|known| Arc::ptr_eq(&known.skill, skill));
        let served = known.map_or_else(
            || Arc::new(ServedSkill::new(key.clone(), Arc::clone(skill))),
            Arc::clone,
        );
        self.skills.insert(key, served);
    }

    /// The skills that lists show, in the order of their URIs, after the one of that key.
    pub(crate) fn listed_after(&self, last: &str) -> impl Iterator<Item = &Arc<ServedSkill>> {
        self.all_after(last)
            .filter(|skill| skill.skill.metadata.allow_implicit_invocation)
    }

    /// Every served skill after the one of that key.
    pub(crate) fn all_after(&self, last: &str) -> impl Iterator<Item = &Arc<ServedSkill>> {
        use std::ops::Bound::{Excluded, Unbounded};
        self.skills
            .range::<str, _>((Excluded(last), Unbounded))
            .map(|(_, skill)| skill)
    }

    /// A skill by what stands between `skill://` and its files.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<ServedSkill>> {
        self.skills.get(key)
    }

    /// Why skills are not served, by name.
    pub(crate) fn left_out(&self) -> &BTreeMap<String, String> {
        &self.left_out
    }

    /// The skill that the segments of a URI lead into, and the path below it.
    pub(crate) fn locate(&self, segments: &[String]) -> Option<(&Arc<ServedSkill>, String)> {
        let (first, rest) = segments.split_first()?;
        if let Some(skill) = self.skills.get(first) {
            return Some((skill, rest.join("/")));
        }
        let (second, rest) = rest.split_first()?;
        let skill = self.skills.get(&format!("{first}/{second}"))?;
        Some((skill, rest.join("/")))
    }

    /// Whether it holds the same skills, read from the same bytes of `SKILL.md`.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.skills.len() == other.skills.len()
            && self
                .skills
                .iter()
                .zip(&other.skills)
                .all(|((a, one), (b, two))| a == b && Arc::ptr_eq(&one.skill, &two.skill))
    }
}
