//! What a request to load comes to: which skills, in which order, and what is told of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use metier_depgraph::ClosureError;
use metier_diagnostics::Severity;
use metier_skill_model::{CORE_TOOLS, GROUP_TOOLS};

use crate::dispatcher::SHOWN_NAME;
use crate::listed_tool::ListedTool;
use crate::load::{LoadError, LoadReport, LoadRequest, Planned};
use crate::skill_set::{SkillSet, rejected_skill};
use crate::snapshot::{CatalogSnapshot, Parts, is_active};
use crate::stub::clipped;

/// Names that look like an unknown one are looked for so often in one go; comparing with every name
/// costs, and a caller with more unknown names than this has not made slips of the hand.
const OFFERS: usize = 20;

/// Makes the plans of several requests that become one generation.
pub(crate) struct Planner<'s> {
    snapshot: &'s CatalogSnapshot,
    /// What the earlier requests load.
    taken: BTreeSet<String>,
    offers: usize,
}

impl<'s> Planner<'s> {
    pub(crate) fn new(snapshot: &'s CatalogSnapshot) -> Self {
        Self {
            snapshot,
            taken: BTreeSet::new(),
            offers: OFFERS,
        }
    }

    /// Counts the skills of a plan as loaded from now on.
    pub(crate) fn take(&mut self, plan: &[String]) {
        self.taken.extend(plan.iter().cloned());
    }

    fn is_loaded(&self, name: &str) -> bool {
        self.snapshot.parts.loaded.contains_key(name) || self.taken.contains(name)
    }

    /// The skills to load, dependencies first; empty when the skill is loaded already.
    pub(crate) fn plan(&mut self, request: &LoadRequest) -> Planned {
        let name = &request.name;
        let set = &self.snapshot.parts.skills;
        let Some(entry) = set.entries.get(name) else {
            if let Some(rejected) = rejected_skill(&set.rejected, name) {
                return Err(LoadError::Rejected {
                    name: name.clone(),
                    diagnostics: rejected.diagnostics.clone(),
                });
            }
            if self.offers > 0 {
                self.offers -= 1;
                return Err(self.snapshot.no_skill(name));
            }
            return Err(self.snapshot.left_out(name).unwrap_or(LoadError::Unknown {
                name: clipped(name, SHOWN_NAME),
                nearest: Vec::new(),
            }));
        };
        if let Some(group) = &request.tool_group {
            let known: Vec<String> = entry
                .metadata()
                .groups
                .iter()
                .map(|group| group.name.clone())
                .collect();
            if !known.contains(group) {
                return Err(LoadError::UnknownGroup {
                    name: name.clone(),
                    group: group.clone(),
                    known,
                });
            }
        }
        let is_wanted = !request.returns || self.snapshot.parts.wished.contains(name);
        if self.is_loaded(name) || !is_wanted {
            return Ok(Vec::new());
        }
        let mut plan = set
            .graph
            .closure(name)
            .map_err(|error| LoadError::Dependencies {
                name: name.clone(),
                reasons: reasons(set, &error),
                error: Box::new(error),
            })?
            .dependencies;
        plan.push(name.clone());
        plan.retain(|skill| !self.is_loaded(skill));
        for skill in &plan {
            let obstacle = set
                .entries
                .get(skill)
                .and_then(|entry| entry.obstacle.clone());
            if let Some(reason) = obstacle {
                let reason = if skill == name {
                    reason
                } else {
                    format!("its dependency `{skill}` cannot: {reason}")
                };
                return Err(LoadError::Unusable {
                    name: name.clone(),
                    reason,
                });
            }
        }
        Ok(plan)
    }
}

/// Why those of the missing skills cannot be had that are there.
fn reasons(set: &SkillSet, error: &ClosureError) -> BTreeMap<String, String> {
    let ClosureError::Missing { missing, .. } = error else {
        return BTreeMap::new();
    };
    let names = missing.iter().map(|path| path.dependency.as_str());
    let why = |name: &str| {
        // As for the skill itself: what is wrong with its files counts first.
        if rejected_skill(&set.rejected, name).is_some() {
            return Some(format!("is rejected (mend the errors of `{name}`)"));
        }
        let why = set.left_out.get(name)?;
        Some(format!("{why} ({})", why.cure()))
    };
    names
        .filter_map(|name| Some((name.to_owned(), why(name)?)))
        .collect()
}

/// The wire names that are given out already.
pub(crate) fn taken_names(parts: &Parts) -> BTreeSet<String> {
    let loaded = parts.loaded.values().flat_map(|loaded| &loaded.tools);
    loaded
        .map(|tool| tool.listed.name.clone())
        .chain(parts.host.keys().cloned())
        .chain(
            CORE_TOOLS
                .iter()
                .chain(&GROUP_TOOLS)
                .map(|name| (*name).to_owned()),
        )
        .collect()
}

/// What a request did; `listed` is the snapshot's list by name.
pub(crate) fn report(
    snapshot: &CatalogSnapshot,
    listed: &HashMap<&str, &Arc<ListedTool>>,
    plan: &[String],
    request: &LoadRequest,
) -> LoadReport {
    let mut report = LoadReport::default();
    let new = plan.contains(&request.name);
    let list = if new {
        &mut report.loaded
    } else {
        &mut report.already_loaded
    };
    list.push(request.name.clone());
    report.dependencies = plan
        .iter()
        .filter(|skill| **skill != request.name)
        .cloned()
        .collect();
    let Some(loaded) = snapshot.parts.loaded.get(&request.name) else {
        return report;
    };
    // A tool of an inactive group is not in the list.
    report.tools = loaded
        .tools
        .iter()
        .filter_map(|tool| listed.get(tool.listed.name.as_str()))
        .map(|tool| Arc::clone(tool))
        .collect();
    report.inactive_groups = loaded
        .skill
        .metadata
        .groups
        .iter()
        .map(|group| group.name.clone())
        .filter(|group| !is_active(&snapshot.parts, &request.name, group))
        .collect();
    for skill in plan.iter().chain((!new).then_some(&request.name)) {
        if let Some(loaded) = snapshot.parts.loaded.get(skill) {
            let findings = loaded.skill.diagnostics.iter().chain(&loaded.diagnostics);
            report.diagnostics.extend(
                findings
                    .filter(|finding| finding.severity >= Severity::Warning)
                    .cloned(),
            );
        }
    }
    report
}
