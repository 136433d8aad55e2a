//! Missing dependencies and cycles, as the catalog tells them.

use std::collections::{BTreeMap, BTreeSet};

use metier_catalog::codes::{DEPENDENCY_CYCLE, DEPENDS_ON_CYCLE, MISSING_DEPENDENCY};
use metier_catalog::{DependencyFindings, Dependent};
use metier_depgraph::DependencyGraph;
use metier_diagnostics::{Code, Diagnostic};
use metier_loader::LoadedSkill;

use super::Neighbours;
use crate::report::Verdict;
use crate::subject::Subject;

/// A skill that stands for its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served<'s, 'a> {
    /// Its number among all skills.
    pub(crate) number: usize,
    pub(crate) subject: &'s Subject<'a>,
    pub(crate) is_rejected: bool,
}

pub(super) fn find(
    served: &[Served<'_, '_>],
    neighbours: &Neighbours<'_>,
) -> Vec<(usize, Diagnostic)> {
    let graph = graph(served.iter().map(|served| served.subject.skill));
    let dependents = served.iter().rev().map(|served| Dependent {
        skill: served.subject.skill,
        display_path: served.subject.display_path,
        is_rejected: served.is_rejected,
    });
    let rejected = neighbours.unreadable.iter().copied();
    let findings = DependencyFindings::new(&graph, dependents, rejected, neighbours.mode.fault());
    let by_name: BTreeMap<&str, usize> = served
        .iter()
        .rev()
        .map(|served| (served.subject.metadata().name.as_str(), served.number))
        .collect();
    let told = by_name.iter().flat_map(|(name, number)| {
        let told = findings.told_at(name).into_iter();
        told.map(|diagnostic| (*number, diagnostic))
    });
    told.collect()
}

/// What the dependencies of skills that load make of them: those that are not listed here are fine.
pub(crate) fn verdicts<'a>(
    loaded: impl Iterator<Item = &'a LoadedSkill> + Clone,
) -> BTreeMap<&'a str, (Verdict, Code)> {
    let graph = graph(loaded.clone());
    let unusable: BTreeSet<&str> = loaded
        .clone()
        .filter(|skill| skill.unusable.is_some())
        .map(|skill| skill.metadata.name.as_str())
        .collect();
    let needs_unusable = |name: &str| {
        !unusable.is_empty()
            && graph.closure(name).is_ok_and(|closure| {
                let mut needed = closure.dependencies.iter();
                needed.any(|needed| unusable.contains(needed.as_str()))
            })
    };
    let of = |name: &str| {
        if graph.cycle_of(name).is_some() {
            Some((Verdict::Unusable, DEPENDENCY_CYCLE))
        } else if graph.blocked_by_cycle(name).is_some() {
            Some((Verdict::Blocked, DEPENDS_ON_CYCLE))
        } else if needs_unusable(name) {
            Some((Verdict::Blocked, MISSING_DEPENDENCY))
        } else if graph.is_satisfied(name) {
            None
        } else {
            Some((Verdict::Pending, MISSING_DEPENDENCY))
        }
    };
    loaded
        .map(|skill| skill.metadata.name.as_str())
        .filter_map(|name| Some((name, of(name)?)))
        .collect()
}

fn graph<'a>(skills: impl Iterator<Item = &'a LoadedSkill>) -> DependencyGraph {
    DependencyGraph::new(skills.map(|skill| {
        let depends: Vec<&str> = skill.metadata.depends.iter().map(String::as_str).collect();
        (skill.metadata.name.as_str(), depends)
    }))
}
