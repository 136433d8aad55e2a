//! What skills make of each other before any of them is loaded, those that are rejected included: as a check tells it.

use std::collections::BTreeMap;
use std::sync::Arc;

use metier_depgraph::DependencyGraph;
use metier_diagnostics::Diagnostic;
use metier_loader::{LoadedSkill, ParseMode, RejectedSkill, within_limit};

use crate::dependency_findings::{DependencyFindings, Dependent};
use crate::name_clash::{name_clashes, place_of_tool};

/// The skills that are left, with what their tools' names are found to be, and those that are rejected.
pub(crate) struct Others<'r> {
    pub(crate) skills: Vec<&'r Arc<LoadedSkill>>,
    /// By the skill's name.
    pub(crate) clashes: BTreeMap<&'r str, Vec<Diagnostic>>,
    pub(crate) rejected: Vec<Arc<RejectedSkill>>,
}

impl<'r> Others<'r> {
    /// Holds the names of tools against each other. In strict mode an error rejects the skill; otherwise it is refused when
    /// both are to be loaded.
    pub(crate) fn new(
        skills: Vec<&'r Arc<LoadedSkill>>,
        rejected: &[Arc<RejectedSkill>],
        mode: ParseMode,
    ) -> Self {
        let mut others = Self {
            skills,
            clashes: BTreeMap::new(),
            rejected: rejected.to_vec(),
        };
        let mut of_rejected: BTreeMap<usize, Vec<Diagnostic>> = BTreeMap::new();
        let read: Vec<(usize, &LoadedSkill)> = rejected
            .iter()
            .enumerate()
            .filter_map(|(number, rejected)| Some((number, readable(rejected)?)))
            .collect();
        let all = others.skills.iter().map(|skill| &skill.metadata);
        let all = all.chain(read.iter().map(|(_, skill)| &skill.metadata));
        for clash in name_clashes(all.map(|metadata| &**metadata)) {
            if let Some(skill) = others.skills.get(clash.skill) {
                let finding = clash.at(place_of_tool(skill, &clash.tool));
                let name = skill.metadata.name.as_str();
                others.clashes.entry(name).or_default().push(finding);
            } else if let Some((number, skill)) = read.get(clash.skill - others.skills.len()) {
                let finding = clash.at(place_of_tool(skill, &clash.tool));
                of_rejected.entry(*number).or_default().push(finding);
            }
        }
        for (number, found) in of_rejected {
            others.tell(number, found);
        }
        if mode == ParseMode::Strict {
            others.reject_clashing();
        }
        others
    }

    fn reject_clashing(&mut self) {
        let clashes = std::mem::take(&mut self.clashes);
        let (refused, left) = self
            .skills
            .iter()
            .copied()
            .partition(|skill| clashes.contains_key(skill.metadata.name.as_str()));
        self.skills = left;
        let refused: Vec<&Arc<LoadedSkill>> = refused;
        for skill in refused {
            let mut found = skill.diagnostics.clone();
            let clash = clashes.get(skill.metadata.name.as_str());
            found.extend(clash.into_iter().flatten().cloned());
            let mut rejected = skill.rejected(within_limit(found));
            rejected.read = Some(Arc::clone(skill));
            self.rejected.push(Arc::new(rejected));
        }
    }

    /// Whether there is a rejected skill that says what it needs.
    pub(crate) fn has_readable(&self) -> bool {
        self.rejected.iter().any(|skill| readable(skill).is_some())
    }

    /// Names that exist and cannot be used.
    pub(crate) fn rejected_names(&self) -> impl Iterator<Item = &str> {
        self.rejected.iter().flat_map(|skill| {
            // Of broken front matter the name is a guess, and the folder's is another.
            let folder = skill.display_path.rsplit('/').next();
            let is_guess = skill.read.is_none();
            let folder = folder.filter(|_| is_guess).unwrap_or_default();
            [skill.name.as_str(), folder]
        })
    }

    /// Every skill that something can be said of, in the order in which names count.
    pub(crate) fn dependents(&self) -> impl DoubleEndedIterator<Item = Dependent<'_>> {
        let skills = self.skills.iter().map(|skill| Dependent::served(skill));
        let rejected = self.rejected.iter().filter_map(|skill| readable(skill));
        skills.chain(rejected.map(|skill| Dependent {
            is_rejected: true,
            ..Dependent::served(skill)
        }))
    }

    /// The dependencies of all of them.
    pub(crate) fn graph(&self) -> DependencyGraph {
        DependencyGraph::new(self.dependents().map(|dependent| {
            let metadata = &dependent.skill.metadata;
            let depends: Vec<&str> = metadata.depends.iter().map(String::as_str).collect();
            (metadata.name.as_str(), depends)
        }))
    }

    /// What is to be told about the dependencies of rejected skills, by their number.
    pub(crate) fn needs_of_rejected(
        &self,
        findings: &DependencyFindings<'_>,
    ) -> Vec<(usize, Vec<Diagnostic>)> {
        let numbered = self.rejected.iter().enumerate();
        let told = numbered.filter_map(|(number, rejected)| {
            let found = findings.told_about(readable(rejected)?);
            (!found.is_empty()).then_some((number, found))
        });
        told.collect()
    }

    /// Adds findings to those about a rejected skill, each once.
    pub(crate) fn tell(&mut self, number: usize, found: Vec<Diagnostic>) {
        let Some(rejected) = self.rejected.get_mut(number) else {
            return;
        };
        let is_new = |finding: &Diagnostic| !rejected.diagnostics.contains(finding);
        let new: Vec<Diagnostic> = found.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            let rejected = Arc::make_mut(rejected);
            rejected.diagnostics.extend(new);
            rejected.diagnostics = within_limit(std::mem::take(&mut rejected.diagnostics));
        }
    }
}

/// What could be read of a rejected skill. Of a hostile one nothing is told, not even the names that it needs.
fn readable(rejected: &RejectedSkill) -> Option<&LoadedSkill> {
    let read = rejected.read.as_deref()?;
    (!rejected.is_blocked()).then_some(read)
}
