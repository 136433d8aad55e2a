//! What is wrong with the dependencies of skills, with one wording and one place for the catalog and
//! for a check.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use metier_depgraph::{ClosureError, Cycle, DependencyGraph};
use metier_diagnostics::{Diagnostic, Location, Severity};
use metier_loader::{LoadedSkill, MOST_FINDINGS, findings_left_out};

use crate::codes;
use crate::left_out::LeftOut;
use crate::nearest::nearest;

/// Names that look like a missing one are looked for so often; comparing with every name costs, and
/// where more than that is missing nobody has made slips of the hand.
const OFFERS: usize = 64;

/// So many places of a circle are shown. Each member carries the finding, so that without a bound the memory for a
/// circle would grow with its square; the message says how many there are.
const PLACES: usize = 16;

/// A skill that may depend on others.
#[derive(Clone, Copy, Debug)]
pub struct Dependent<'a> {
    /// The skill.
    pub skill: &'a LoadedSkill,
    /// Its folder as findings name it; the skill itself may have been read without its root.
    pub display_path: &'a str,
    /// It was read all the same, and nothing can be loaded that depends on it.
    pub is_rejected: bool,
}

impl<'a> Dependent<'a> {
    /// A skill that is served.
    pub fn served(skill: &'a LoadedSkill) -> Self {
        Self {
            skill,
            display_path: &skill.display_path,
            is_rejected: false,
        }
    }

    fn place(&self, dependency: &str) -> Location {
        let known = self.skill.place_of_dependency(dependency);
        let mut place = known.cloned().unwrap_or_else(|| Location::file("SKILL.md"));
        let folder = self.display_path;
        let is_below = known.is_some() && self.skill.display_path == folder;
        if !is_below && !folder.is_empty() {
            place.file = format!("{folder}/{}", place.file);
        }
        place
    }
}

/// Finds what is missing and what goes in circles among some skills.
#[derive(Debug)]
pub struct DependencyFindings<'a> {
    graph: &'a DependencyGraph,
    skills: BTreeMap<&'a str, Dependent<'a>>,
    rejected: BTreeSet<&'a str>,
    left_out: Option<&'a BTreeMap<String, LeftOut>>,
    /// Skills that are listed and cannot be loaded, whatever is loaded before.
    unusable: BTreeSet<&'a str>,
    missing: Severity,
    offered: RefCell<BTreeMap<String, Option<String>>>,
}

impl<'a> DependencyFindings<'a> {
    /// Over the skills of a graph. `rejected` are names that exist and cannot be used; `missing` is how
    /// grave it is that a dependency is not there.
    pub fn new(
        graph: &'a DependencyGraph,
        skills: impl IntoIterator<Item = Dependent<'a>>,
        rejected: impl IntoIterator<Item = &'a str>,
        missing: Severity,
    ) -> Self {
        let named = skills
            .into_iter()
            .map(|dependent| (dependent.skill.metadata.name.as_str(), dependent));
        let skills: BTreeMap<&str, Dependent<'_>> = named.collect();
        let unusable = skills.iter();
        let unusable = unusable.filter(|(_, dependent)| dependent.skill.unusable.is_some());
        Self {
            graph,
            unusable: unusable.map(|(name, _)| *name).collect(),
            skills,
            rejected: rejected.into_iter().collect(),
            left_out: None,
            missing,
            offered: RefCell::default(),
        }
    }

    /// Tells of these names, which are there and not served, why they are missing.
    pub(crate) fn with_left_out(mut self, left_out: &'a BTreeMap<String, LeftOut>) -> Self {
        self.left_out = Some(left_out);
        self
    }

    /// The same, unless another skill stands for its name.
    pub(crate) fn told_about(&self, skill: &LoadedSkill) -> Vec<Diagnostic> {
        let name = skill.metadata.name.as_str();
        let known = self.skills.get(name);
        if known.is_some_and(|known| std::ptr::eq(known.skill, skill)) {
            self.told_at(name)
        } else {
            Vec::new()
        }
    }

    /// The findings that stand at this skill. A circle stands at the first of its members.
    pub fn told_at(&self, name: &str) -> Vec<Diagnostic> {
        let Some(dependent) = self.skills.get(name) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if let Some(cycle) = self.graph.cycle_of(name) {
            if first(cycle) == Some(name) {
                found.push(self.circle(cycle));
            }
        } else if let Some(cycle) = self.graph.blocked_by_cycle(name) {
            let direct = self.graph.direct(name);
            let through = direct.iter().find(|needed| cycle.contains(needed));
            let place = dependent.place(through.or(direct.first()).copied().unwrap_or_default());
            let message = format!("a dependency of `{name}` is part of a cycle: {cycle}");
            let about = Diagnostic::warning(codes::DEPENDS_ON_CYCLE, message).at(place, "");
            found.push(about.help("break the cycle; this skill can be loaded then"));
        }
        let depends = dependent.skill.metadata.depends.iter();
        let mut absent = depends.filter(|needed| self.is_missing(dependent, needed));
        let told = absent.by_ref().take(MOST_FINDINGS);
        found.extend(told.map(|needed| self.missing(dependent, needed)));
        // Nobody reads more of them, and every list would carry them.
        if let Some(next) = absent.next() {
            let place = dependent.place(next);
            found.extend(findings_left_out(
                self.missing,
                1 + absent.count(),
                Some(&place),
            ));
        }
        found.extend(self.unusable_needs(dependent));
        found
    }

    /// Whether the dependencies of a skill are all there, can be loaded and are in no circle.
    pub(crate) fn stands_alone(&self, name: &str) -> bool {
        self.graph.is_satisfied(name)
            && self.graph.cycle_of(name).is_none()
            && self.graph.blocked_by_cycle(name).is_none()
            && !self.needs_unusable(name)
    }

    /// Whether something that the skill needs, directly or not, can never be loaded as it is.
    pub fn needs_unusable(&self, name: &str) -> bool {
        !self.unusable.is_empty()
            && self.graph.closure(name).is_ok_and(|closure| {
                let mut needed = closure.dependencies.iter();
                needed.any(|needed| self.unusable.contains(needed.as_str()))
            })
    }

    fn unusable_needs(&self, dependent: &Dependent<'a>) -> Vec<Diagnostic> {
        let needs = dependent.skill.metadata.depends.iter();
        needs
            .filter(|needed| self.unusable.contains(needed.as_str()))
            .filter(|needed| !self.is_missing(dependent, needed))
            .take(MOST_FINDINGS)
            .map(|needed| {
                let name = &dependent.skill.metadata.name;
                let message = format!("`{name}` depends on `{needed}`, which cannot be loaded");
                Diagnostic::new(codes::MISSING_DEPENDENCY, self.missing, message)
                    .at(dependent.place(needed), "")
                    .help(format!("mend the errors of `{needed}`"))
            })
            .collect()
    }

    /// The findings that stand at other skills and keep this one from being loaded, with the names
    /// that are missing, its own and theirs; of either as many as are told about a file.
    pub(crate) fn told_elsewhere(&self, name: &str) -> (Vec<Diagnostic>, Vec<String>) {
        if let Some(cycle) = self.graph.cycle_of(name) {
            let elsewhere = (first(cycle) != Some(name)).then(|| self.circle(cycle));
            return (elsewhere.into_iter().collect(), Vec::new());
        }
        if self.graph.is_satisfied(name) {
            return (self.unusable_elsewhere(name), Vec::new());
        }
        // The full walk is only made for the few skills that need one.
        let Err(ClosureError::Missing { missing, .. }) = self.graph.closure(name) else {
            return (Vec::new(), Vec::new());
        };
        let others = missing.iter().filter_map(|path| {
            let by = path.needed_by().filter(|by| *by != name)?;
            let by = self.skills.get(by)?;
            let is_told = self.is_missing(by, &path.dependency);
            is_told.then(|| self.missing(by, &path.dependency))
        });
        let found = others.take(MOST_FINDINGS).collect();
        let names = missing.into_iter().map(|path| path.dependency);
        (found, names.take(MOST_FINDINGS).collect())
    }

    fn unusable_elsewhere(&self, name: &str) -> Vec<Diagnostic> {
        if !self.needs_unusable(name) {
            return Vec::new();
        }
        let closure = self.graph.closure(name).map(|closure| closure.dependencies);
        let needed = closure.unwrap_or_default();
        let needed = needed.iter().filter_map(|by| self.skills.get(by.as_str()));
        let found = needed.flat_map(|by| self.unusable_needs(by));
        found.take(MOST_FINDINGS).collect()
    }

    fn circle(&self, cycle: &Cycle) -> Diagnostic {
        let mut about = Diagnostic::error(
            codes::DEPENDENCY_CYCLE,
            format!("dependency cycle: {cycle}"),
        )
        .help("remove one of these dependencies");
        let root = first(cycle)
            .and_then(|name| self.skills.get(name))
            .map(|first| &first.skill.root);
        let next = cycle.path.iter().cycle().skip(1);
        for (member, needed) in cycle.path.iter().zip(next).take(PLACES) {
            // A finding has one root, below which all its files are named.
            if let Some(dependent) = self.skills.get(member.as_str())
                && Some(&dependent.skill.root) == root
            {
                about = about.at(
                    dependent.place(needed),
                    format!("`{member}` needs `{needed}`"),
                );
            }
        }
        about
    }

    fn is_missing(&self, dependent: &Dependent<'_>, dependency: &str) -> bool {
        // Of two that are rejected each has its own errors, and nobody waits for either.
        self.skills
            .get(dependency)
            .is_none_or(|known| known.is_rejected && !dependent.is_rejected)
    }

    fn missing(&self, dependent: &Dependent<'_>, dependency: &str) -> Diagnostic {
        let is_known = self.skills.contains_key(dependency);
        let name = &dependent.skill.metadata.name;
        let left_out = self.left_out.and_then(|names| names.get(dependency));
        let (what, help) = if is_known || self.rejected.contains(dependency) {
            let what = "is rejected".to_owned();
            (what, format!("mend the errors of `{dependency}`"))
        } else if let Some(why) = left_out {
            (why.to_string(), why.cure())
        } else {
            let help = match self.nearest(dependency) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("add a skill named `{dependency}` to one of the roots"),
            };
            ("has not been found".to_owned(), help)
        };
        let message = format!("`{name}` depends on `{dependency}`, which {what}");
        let about = Diagnostic::new(codes::MISSING_DEPENDENCY, self.missing, message);
        about.at(dependent.place(dependency), "").help(help)
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let mut offered = self.offered.borrow_mut();
        if let Some(known) = offered.get(name) {
            return known.clone();
        }
        if offered.len() >= OFFERS {
            return None;
        }
        let names = self.skills.keys().map(|known| (*known).to_owned());
        let found = nearest(name, names).into_iter().next();
        offered.insert(name.to_owned(), found.clone());
        found
    }
}

fn first(cycle: &Cycle) -> Option<&str> {
    cycle.path.first().map(String::as_str)
}
