//! The skills of one snapshot, as the protocol sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use metier_search::SkillDocument;
use metier_skill_model::SkillMetadata;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::glob::Glob;

/// Where a skill comes from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// It comes with the server.
    Bundled,
    /// It lies in a folder of the user or the project.
    #[default]
    Local,
    /// Another server offers it.
    Mcp,
}

/// One skill.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SkillEntry {
    /// What tells it from every other, in this run and the next. The id of its search document.
    pub id: String,
    /// The name by which it is asked for; two skills may share it, the first one answers.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// When to use it.
    pub when_to_use: String,
    /// Where it comes from.
    pub source: Source,
    /// Always among the first, with its whole description: bundled, or named by the user.
    pub is_pinned: bool,
    /// Globs of files; when there are any, it is there once one of them was touched.
    pub paths: Vec<String>,
    /// Only a person may invoke it.
    pub only_for_users: bool,
    /// Loaded by name alone, never listed nor discovered.
    pub only_by_name: bool,
    /// Why its instructions cannot be had: then it is in neither listing nor discovery, and not activated.
    pub not_served: Option<String>,
    /// The front matter, for what it asks of the host.
    pub front_matter: Map<String, Value>,
}

impl SkillEntry {
    /// A local skill of which no more is known.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            description: description.into(),
            ..Self::default()
        }
    }

    /// A skill as its folder says it.
    pub fn of(id: impl Into<String>, source: Source, metadata: &SkillMetadata) -> Self {
        Self {
            id: id.into(),
            name: metadata.name.to_string(),
            description: metadata.description.clone(),
            when_to_use: metadata.client.when_to_use.clone(),
            source,
            is_pinned: source == Source::Bundled,
            paths: metadata.client.paths.clone(),
            only_for_users: metadata.client.disable_model_invocation,
            only_by_name: !metadata.allow_implicit_invocation,
            not_served: None,
            front_matter: metadata.front_matter.clone(),
        }
    }

    /// The same where its instructions cannot be had, for this reason.
    #[must_use]
    pub fn not_served(mut self, reason: Option<String>) -> Self {
        self.not_served = reason;
        self
    }

    /// A document for an index of its own; a server that has an index of its skills needs none.
    pub fn document(&self) -> SkillDocument {
        SkillDocument {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            when_to_use: self.when_to_use.clone(),
            ..SkillDocument::default()
        }
    }

    /// Description and when to use it, in one text.
    pub(crate) fn about(&self) -> String {
        match (self.description.trim(), self.when_to_use.trim()) {
            (text, "") | ("", text) => text.to_owned(),
            (description, when) => format!("{description} - {when}"),
        }
    }
}

/// The skills of one snapshot, in the order of the registry. Built once for a generation; a skill that is the same in two
/// of them is held by both.
#[derive(Clone, Debug, Default)]
pub struct SkillBook {
    generation: u64,
    entries: Vec<Arc<SkillEntry>>,
    by_id: BTreeMap<String, usize>,
    by_key: BTreeMap<String, Vec<usize>>,
    /// The entries that are for certain files, with what says for which.
    conditional: Vec<(usize, Vec<Glob>)>,
}

/// So many globs of one skill count.
const MOST_GLOBS: usize = 64;

impl SkillBook {
    /// The skills of a generation. Of two with one id the first counts.
    pub fn new(generation: u64, entries: Vec<SkillEntry>) -> Self {
        Self::of_shared(generation, entries.into_iter().map(Arc::new))
    }

    /// The same of skills that other books may hold as well.
    pub fn of_shared(generation: u64, entries: impl IntoIterator<Item = Arc<SkillEntry>>) -> Self {
        let mut book = Self {
            generation,
            ..Self::default()
        };
        for entry in entries {
            if book.by_id.contains_key(&entry.id) {
                continue;
            }
            let number = book.entries.len();
            book.by_id.insert(entry.id.clone(), number);
            for key in [folded(&entry.name), folded(&entry.id)] {
                let of_key = book.by_key.entry(key).or_default();
                if !of_key.contains(&number) {
                    of_key.push(number);
                }
            }
            if !entry.paths.is_empty() {
                let globs = entry.paths.iter().take(MOST_GLOBS);
                let globs = globs.map(|glob| Glob::new(glob)).collect();
                book.conditional.push((number, globs));
            }
            book.entries.push(entry);
        }
        book
    }

    /// The number of the snapshot.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// All of them.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &SkillEntry> {
        self.entries.iter().map(Arc::as_ref)
    }

    /// The entries that are for a file of this path.
    pub(crate) fn for_path(&self, path: &str) -> impl Iterator<Item = &SkillEntry> {
        let meant = self
            .conditional
            .iter()
            .filter(move |(_, globs)| globs.iter().any(|glob| glob.matches(path)));
        meant.filter_map(|(number, _)| self.at(*number))
    }

    /// The one of this id.
    pub fn get(&self, id: &str) -> Option<&SkillEntry> {
        self.at(*self.by_id.get(id)?)
    }

    /// Those whose name or id it is, whatever the case and the separators.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &SkillEntry> {
        let numbers = self
            .by_key
            .get(&folded(name))
            .map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|number| self.at(*number))
    }

    /// Those whose name or id begins so.
    pub(crate) fn beginning<'b>(&'b self, name: &str) -> impl Iterator<Item = &'b SkillEntry> {
        let from = folded(name);
        let prefix = from.clone();
        let mut numbers: Vec<usize> = self
            .by_key
            .range(from..)
            .take_while(move |(key, _)| key.starts_with(&prefix))
            .flat_map(|(_, numbers)| numbers.iter().copied())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().filter_map(|number| self.at(number))
    }

    fn at(&self, number: usize) -> Option<&SkillEntry> {
        self.entries.get(number).map(Arc::as_ref)
    }
}

/// A name as it is compared: in lower case, with `-` for blanks, `_` and `/`.
pub(crate) fn folded(name: &str) -> String {
    name.trim()
        .to_lowercase()
        .chars()
        .map(|c| if matches!(c, ' ' | '_' | '/') { '-' } else { c })
        .collect()
}
