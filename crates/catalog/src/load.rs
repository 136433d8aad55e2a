//! Loading skills.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use metier_depgraph::ClosureError;
use metier_diagnostics::{Diagnostic, Severity};
use metier_hooks::{HookDeny, HookPayload};
use metier_skill_model::{CORE_TOOLS, GROUP_TOOLS};

use crate::catalog::SkillCatalog;
use crate::dispatcher::SHOWN_NAME;
use crate::event::CatalogEventKind;
use crate::groups;
use crate::listed_tool::ListedTool;
use crate::loaded_skill::LoadedTools;
use crate::snapshot::{CatalogSnapshot, Parts, is_active};
use crate::stub::clipped;

/// Which skill to load, and which of its tool groups to activate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadRequest {
    /// The name as lists show it.
    pub name: String,
    /// Activate every group; otherwise those that are active by default.
    pub activate_groups: bool,
    /// One more group to activate.
    pub tool_group: Option<String>,
    /// The client's session.
    pub session: Option<String>,
}

impl LoadRequest {
    /// A skill with all its groups.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            activate_groups: true,
            tool_group: None,
            session: None,
        }
    }
}

/// What loading a skill did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadReport {
    /// The skill, if it was not loaded before.
    pub loaded: Vec<String>,
    /// The skill, if it was.
    pub already_loaded: Vec<String>,
    /// Dependencies that were loaded on the way, in their order.
    pub dependencies: Vec<String>,
    /// The skill's tools as they are listed now, in the order of their declaration.
    pub tools: Vec<Arc<ListedTool>>,
    /// Groups of the skill that are not active.
    pub inactive_groups: Vec<String>,
    /// What is wrong with the skills that were loaded, as their files were read and as their tools
    /// were registered: warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a skill was not loaded. Nothing else was loaded either.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No skill has this name.
    #[error("there is no skill named `{name}`{}; call list_skills or search_skills to see what there is", offer(.nearest))]
    Unknown {
        /// The name as asked for.
        name: String,
        /// Names that look like it, best first.
        nearest: Vec<String>,
    },
    /// The folder was found, but its files are wrong.
    #[error("the skill `{name}` was found and rejected:\n{}", lines(.diagnostics))]
    Rejected {
        /// The skill.
        name: String,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// The skill is known and cannot be loaded.
    #[error("the skill `{name}` cannot be loaded: {reason}")]
    Unusable {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// Dependencies have not been found.
    #[error("the skill `{name}` cannot be loaded: {error}")]
    Dependencies {
        /// The skill.
        name: String,
        /// What is missing, or which circle is in the way.
        error: ClosureError,
    },
    /// The skill has no such group.
    #[error("the skill `{name}` has no tool group `{group}`{}", having(.known))]
    UnknownGroup {
        /// The skill.
        name: String,
        /// The group as asked for.
        group: String,
        /// The groups it has.
        known: Vec<String>,
    },
    /// A policy refused the skill or one of its dependencies.
    #[error("loading `{skill}` was denied by policy: {deny}")]
    Denied {
        /// The skill that was refused.
        skill: String,
        /// The refusal.
        deny: HookDeny,
    },
}

fn offer(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let names: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
    format!(" (did you mean {}?)", names.join(" or "))
}

fn having(groups: &[String]) -> String {
    if groups.is_empty() {
        return "; it has no groups".to_owned();
    }
    format!("; it has {}", groups.join(", "))
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

impl SkillCatalog {
    /// Loads a skill with all its groups; the answer holds the wire names of its tools.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn load_skill(&self, name: &str) -> Result<Vec<String>, LoadError> {
        let report = self.load(LoadRequest::new(name)).await?;
        Ok(report.tools.iter().map(|tool| tool.name.clone()).collect())
    }

    /// Loads a skill and, before it, everything it depends on: all or nothing, in one generation.
    /// Loading a loaded skill changes no tool, but may activate further groups.
    ///
    /// # Errors
    /// See [`LoadError`].
    pub async fn load(&self, request: LoadRequest) -> Result<LoadReport, LoadError> {
        // Policies are asked once for each skill, however often the plan has to be made anew
        // because somebody else changed the catalog meanwhile.
        let mut allowed = HashSet::new();
        loop {
            let snapshot = self.snapshot();
            let plan = plan(&snapshot, &request)?;
            for skill in &plan {
                if allowed.insert(skill.clone()) {
                    self.ask(skill, &request).await?;
                }
            }
            if let Some((snapshot, report)) = self.commit(&snapshot, &plan, &request) {
                self.tell(&snapshot, &plan, &request).await;
                return Ok(report);
            }
        }
    }

    async fn ask(&self, skill: &str, request: &LoadRequest) -> Result<(), LoadError> {
        let payload = HookPayload::BeforeSkillLoad {
            skill_name: skill.to_owned(),
            dependency_of: (skill != request.name).then(|| request.name.clone()),
        };
        self.shared
            .dispatch(request.session.clone(), payload)
            .await
            .map_err(|deny| LoadError::Denied {
                skill: skill.to_owned(),
                deny,
            })
    }

    /// Publishes the plan; `None` when the skills it was made from have changed.
    fn commit(
        &self,
        seen: &Arc<CatalogSnapshot>,
        plan: &[String],
        request: &LoadRequest,
    ) -> Option<(Arc<CatalogSnapshot>, LoadReport)> {
        let writer = self.shared.write();
        let current = writer.current();
        let same_skills = Arc::ptr_eq(&current.parts.skills, &seen.parts.skills);
        let same_loaded = Arc::ptr_eq(&current.parts.loaded, &seen.parts.loaded);
        if !(same_skills && same_loaded) {
            return None;
        }
        let mut parts = current.parts.clone();
        let mut taken = taken_names(&parts);
        for name in plan {
            let entry = parts.skills.entries.get(name)?;
            let tools =
                LoadedTools::prepare(&self.shared, &entry.skill, &parts.declared, &mut taken);
            Arc::make_mut(&mut parts.loaded).insert(name.clone(), Arc::new(tools));
        }
        for name in plan {
            let dependency = *name != request.name;
            groups::activate_on_load(&mut parts, name, dependency || request.activate_groups);
        }
        if let Some(group) = &request.tool_group {
            Arc::make_mut(&mut parts.active_groups).insert((request.name.clone(), group.clone()));
        }
        let unchanged = plan.is_empty() && parts.active_groups == current.parts.active_groups;
        let next = if unchanged {
            current
        } else if plan.is_empty() {
            writer.publish(
                parts,
                CatalogEventKind::GroupChanged {
                    skill: request.name.clone(),
                },
            )
        } else {
            writer.publish(
                parts,
                CatalogEventKind::SkillLoaded {
                    names: plan.to_vec(),
                },
            )
        };
        let report = report(&next, plan, request);
        Some((next, report))
    }

    async fn tell(&self, snapshot: &CatalogSnapshot, plan: &[String], request: &LoadRequest) {
        for skill in plan {
            let tools = snapshot
                .parts
                .loaded
                .get(skill)
                .map_or(&[][..], |loaded| &loaded.tools);
            let payload = HookPayload::AfterSkillLoad {
                skill_name: skill.clone(),
                tools: tools.iter().map(|tool| tool.listed.name.clone()).collect(),
            };
            // After-handlers cannot refuse; what they say is in the log.
            let _ = self.shared.dispatch(request.session.clone(), payload).await;
        }
    }
}

/// The skills to load, dependencies first; empty when the skill is loaded already.
fn plan(snapshot: &CatalogSnapshot, request: &LoadRequest) -> Result<Vec<String>, LoadError> {
    let name = &request.name;
    let set = &snapshot.parts.skills;
    let Some(entry) = set.entries.get(name) else {
        if let Some(rejected) = set.rejected.iter().find(|skill| skill.name == *name) {
            return Err(LoadError::Rejected {
                name: name.clone(),
                diagnostics: rejected.diagnostics.clone(),
            });
        }
        return Err(LoadError::Unknown {
            name: clipped(name, SHOWN_NAME),
            nearest: snapshot.nearest_skills(name),
        });
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
    if snapshot.parts.loaded.contains_key(name) {
        return Ok(Vec::new());
    }
    let mut plan = set
        .graph
        .closure(name)
        .map_err(|error| LoadError::Dependencies {
            name: name.clone(),
            error,
        })?
        .dependencies;
    plan.push(name.clone());
    plan.retain(|skill| !snapshot.parts.loaded.contains_key(skill));
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

fn report(snapshot: &CatalogSnapshot, plan: &[String], request: &LoadRequest) -> LoadReport {
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
    let names: HashSet<&str> = loaded
        .tools
        .iter()
        .map(|tool| tool.listed.name.as_str())
        .collect();
    report.tools = snapshot
        .tools()
        .iter()
        .filter(|tool| names.contains(tool.name.as_str()))
        .cloned()
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
