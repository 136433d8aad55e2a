//! The names by which tools are called, and what each leads to.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use metier_skill_model::{canonical_name, wire_name};

use crate::nearest::nearest;
use crate::registered_tool::RegisteredTool;
use crate::snapshot::{CatalogSnapshot, Parts, is_active};

/// What a name leads to.
#[derive(Debug)]
pub(crate) enum Located {
    Tool(Arc<RegisteredTool>),
    /// A tool of a loaded skill whose group is not active.
    InactiveGroup {
        skill: String,
        group: String,
        tool: String,
    },
    /// A stub, or a tool of a skill that is not loaded.
    UnloadedSkill(String),
    Unknown,
}

impl CatalogSnapshot {
    /// The skill that would have to be loaded so that a tool of this name can be called; `None` when
    /// the tool can be called already, or when no skill declares it.
    pub fn skill_to_load_for(&self, tool: &str) -> Option<String> {
        match self.locate(tool) {
            Located::UnloadedSkill(skill) => Some(skill),
            _ => None,
        }
    }

    /// Whether this names a tool of the server, one of a skill that could be loaded included.
    pub fn knows_tool(&self, tool: &str) -> bool {
        !matches!(self.locate(tool), Located::Unknown)
    }

    /// What a called name leads to: the wire name, the canonical one, `skill-name__tool`, or the
    /// declared name alone where exactly one loaded tool has it.
    pub(crate) fn locate(&self, name: &str) -> Located {
        let known = self.callable.get(name).or_else(|| {
            self.other_names
                .get(name)
                .and_then(|wire| self.callable.get(wire))
        });
        if let Some(tool) = known {
            if let Some(skill) = &tool.skill
                && !is_active(&self.parts, skill, &tool.group)
            {
                return Located::InactiveGroup {
                    skill: skill.to_string(),
                    group: tool.group.clone(),
                    tool: tool.listed.name.clone(),
                };
            }
            return Located::Tool(Arc::clone(tool));
        }
        match self
            .unloaded
            .get_or_init(|| unloaded_names(&self.parts))
            .get(name)
        {
            Some(skill) => Located::UnloadedSkill(skill.clone()),
            None => Located::Unknown,
        }
    }

    /// Up to three names that look like the given one, best first.
    pub(crate) fn nearest_tools(&self, name: &str) -> Vec<String> {
        let unloaded = self.parts.skills.entries.iter().flat_map(|(skill, entry)| {
            let loaded = self.parts.loaded.contains_key(skill);
            let tools = entry.metadata().tools.iter().filter(move |_| !loaded);
            tools.map(|tool| wire_name(&canonical_name(skill, &tool.name)))
        });
        let listed = self.tools().iter().map(|tool| tool.name.clone());
        nearest(name, listed.chain(unloaded))
    }

    /// Up to three skills whose names look like the given one, best first.
    pub(crate) fn nearest_skills(&self, name: &str) -> Vec<String> {
        nearest(name, self.parts.skills.entries.keys().cloned())
    }
}

/// Collects names that more than one tool may have.
#[derive(Default)]
pub(crate) struct Names(HashMap<String, Option<String>>);

impl Names {
    pub(crate) fn add(&mut self, skill: &str, tool: &RegisteredTool) {
        let wire = &tool.listed.name;
        let mut names = BTreeSet::from([tool.canonical.clone(), tool.declared.clone()]);
        names.insert(format!("{skill}__{}", tool.declared));
        for name in names {
            self.0
                .entry(name)
                .and_modify(|found| {
                    if found.as_ref() != Some(wire) {
                        *found = None;
                    }
                })
                .or_insert_with(|| Some(wire.clone()));
        }
    }

    pub(crate) fn unique(
        self,
        callable: &HashMap<String, Arc<RegisteredTool>>,
    ) -> HashMap<String, String> {
        self.0
            .into_iter()
            .filter_map(|(name, wire)| Some((name, wire?)))
            // A wire name always wins: `load_skill` is the core tool, whatever a skill calls its own.
            .filter(|(name, _)| !callable.contains_key(name))
            .collect()
    }
}

/// Names by which the tools of unloaded skills would be called, and their stubs. A declared name
/// alone counts where one skill only has it.
fn unloaded_names(parts: &Parts) -> HashMap<String, String> {
    let mut names = HashMap::new();
    let mut bare: HashMap<&str, Option<&str>> = HashMap::new();
    for (skill, entry) in &parts.skills.entries {
        if parts.loaded.contains_key(skill) {
            continue;
        }
        names.insert(entry.stub.name.clone(), skill.clone());
        for tool in &entry.metadata().tools {
            let canonical = canonical_name(skill, &tool.name);
            let full = [
                wire_name(&canonical),
                format!("{skill}__{}", tool.name),
                canonical,
            ];
            for name in full {
                names.entry(name).or_insert_with(|| skill.clone());
            }
            bare.entry(&tool.name)
                .and_modify(|found| *found = None)
                .or_insert(Some(skill));
        }
    }
    // The order does not matter: each name is set once.
    #[expect(
        clippy::iter_over_hash_type,
        reason = "every key goes into another map"
    )]
    for (name, skill) in bare {
        if let Some(skill) = skill {
            names
                .entry(name.to_owned())
                .or_insert_with(|| skill.to_owned());
        }
    }
    names
}
