//! The rules that the loader does not have, one file each.

mod body_links;
mod dependencies;
mod hostile_text;
mod nearly_named;
mod nested_skill;
mod next_tools;
mod not_served;
mod scaffold_text;
mod schema_slips;
mod script_not_run;
mod tool_names;
mod unused_script;
mod uri_taken;

use std::collections::{BTreeMap, BTreeSet};

use metier_diagnostics::Diagnostic;
use metier_loader::ParseMode;
use metier_skill_model::canonical_name;

pub(crate) use dependencies::{Served, verdicts};
pub use schema_slips::{RequiredAndForbidden, required_and_forbidden};
pub(crate) use uri_taken::find as uri_taken;

use crate::subject::Subject;

/// What a rule may know of the other skills.
#[derive(Debug)]
pub(crate) struct Neighbours<'a> {
    pub(crate) mode: ParseMode,
    /// Skills that are there and of which nothing can be read.
    pub(crate) unreadable: BTreeSet<&'a str>,
    /// The beginning of every skill's canonical tool names: its name with `_` for `-`.
    pub(crate) prefixes: BTreeSet<String>,
    /// Every tool by its canonical name, with the author's spelling.
    pub(crate) tools: BTreeMap<String, String>,
    /// Every tool by its bare name, `-` and `_` alike.
    pub(crate) bare: BTreeSet<String>,
}

impl<'a> Neighbours<'a> {
    pub(crate) fn new(
        served: &[Served<'_, 'a>],
        unreadable: Vec<&'a str>,
        mode: ParseMode,
    ) -> Self {
        let mut neighbours = Self {
            mode,
            unreadable: unreadable.into_iter().collect(),
            prefixes: BTreeSet::new(),
            tools: BTreeMap::new(),
            bare: BTreeSet::new(),
        };
        for served in served {
            let metadata = served.subject.metadata();
            neighbours.prefixes.insert(metadata.name.replace('-', "_"));
            for tool in &metadata.tools {
                let canonical = canonical_name(&metadata.name, &tool.name);
                let own = canonical.rsplit("__").next().unwrap_or(&canonical);
                neighbours.bare.insert(own.replace('-', "_"));
                neighbours.tools.insert(canonical, tool.name.clone());
            }
        }
        neighbours
    }
}

/// The rules about more than one skill; each finding with the number of the skill it is shown at.
pub(crate) fn across(
    served: &[Served<'_, '_>],
    neighbours: &Neighbours<'_>,
) -> Vec<(usize, Diagnostic)> {
    let mut found = dependencies::find(served, neighbours);
    found.extend(tool_names::find(served));
    found
}

/// The rules about one skill.
pub(crate) fn alone(subject: &Subject<'_>, neighbours: &Neighbours<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    found.extend(nested_skill::find(subject));
    found.extend(nearly_named::find(subject));
    found.extend(not_served::find(subject));
    found.extend(scaffold_text::find(subject));
    found.extend(body_links::find(subject));
    found.extend(schema_slips::find(subject));
    found.extend(script_not_run::find(subject));
    found.extend(next_tools::find(subject, neighbours));
    found.extend(unused_script::find(subject));
    found.extend(hostile_text::find(subject));
    found
}

/// The nearest of some words, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .min()
        .filter(|(distance, known)| *distance * 3 <= known.len().max(3))
        .map(|(_, known)| known)
}
