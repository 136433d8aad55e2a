//! Loading skills.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use metier_depgraph::ClosureError;
use metier_diagnostics::Diagnostic;
use metier_hooks::{HookDeny, HookPayload};

use crate::catalog::SkillCatalog;
use crate::event::CatalogEventKind;
use crate::groups;
use crate::left_out::{LeftOut, needs};
use crate::listed_tool::ListedTool;
use crate::load_plan::{Planner, report, taken_names};
use crate::loaded_skill::LoadedTools;
use crate::snapshot::CatalogSnapshot;
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
    /// Exactly these of its groups are active when this loads the skill, whatever else is asked for;
    /// names that it does not have are passed over. For what was loaded in an earlier run.
    pub groups: Option<BTreeSet<String>>,
    /// The client's session.
    pub session: Option<String>,
    /// The skill was loaded until its folder went: its groups stay as they were.
    pub(crate) returns: bool,
}

impl LoadRequest {
    /// A skill with all its groups.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            activate_groups: true,
            tool_group: None,
            groups: None,
            session: None,
            returns: false,
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
    #[error("there is no skill named `{}`{}; call list_skills or search_skills to see what there is", asked(.name), offer(.nearest))]
    Unknown {
        /// The name as asked for.
        name: String,
        /// Names that look like it, best first.
        nearest: Vec<String>,
    },
    /// Whoever runs the server has left it out.
    #[error("the skill `{name}` {why}; {}", .why.cure())]
    LeftOut {
        /// The skill.
        name: String,
        /// Why.
        why: LeftOut,
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
    #[error("the skill `{name}` cannot be loaded: {}", needs(.error, .reasons))]
    Dependencies {
        /// The skill.
        name: String,
        /// What is missing, or which circle is in the way.
        error: Box<ClosureError>,
        /// Why those of the missing ones cannot be had that are there all the same, by name.
        reasons: BTreeMap<String, String>,
    },
    /// The skill has no such group.
    #[error("the skill `{name}` has no tool group `{}`{}", asked(.group), having(.known))]
    UnknownGroup {
        /// The skill.
        name: String,
        /// The group as asked for.
        group: String,
        /// The groups it has.
        known: Vec<String>,
    },
    /// A policy refused the skill or one of its dependencies.
    #[error("loading `{skill}`{} was denied by policy: {deny}", needed(.needed_by.as_deref()))]
    Denied {
        /// The skill that was refused.
        skill: String,
        /// The skill that was asked for, where that needs it.
        needed_by: Option<String>,
        /// The refusal.
        deny: HookDeny,
    },
}

/// Behind the name of a skill that another one needs.
pub(crate) fn needed(by: Option<&str>) -> String {
    by.map(|name| format!(", which `{name}` needs,"))
        .unwrap_or_default()
}

/// A name that somebody asked for, which need not be short.
fn asked(name: &str) -> String {
    clipped(name, LONGEST_ASKED)
}

/// So much of a name that nothing has is repeated.
const LONGEST_ASKED: usize = 120;

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

/// Nothing is loaded whose files could not be looked at.
fn refuse_unjudged(requests: &[LoadRequest], plans: &mut [Result<Vec<String>, LoadError>]) {
    for (request, plan) in requests.iter().zip(plans) {
        if plan.as_ref().is_ok_and(|plan| !plan.is_empty()) {
            *plan = Err(LoadError::Unusable {
                name: request.name.clone(),
                reason: "its files could not be looked at for what may harm; the log of the server says why"
                    .to_owned(),
            });
        }
    }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// What policies said so far: each is asked once for each skill, however often the plan has to be
/// made anew because somebody else changed the catalog meanwhile.
#[derive(Default)]
struct Answers {
    allowed: BTreeSet<String>,
    /// By skill and by who asked for it; as another skill's dependency the answer may differ.
    denied: BTreeMap<(String, String), HookDeny>,
}

/// The skills to load for a request, in their order, or why it fails.
pub(crate) type Planned = Result<Vec<String>, LoadError>;

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
        let reports = self.load_all(vec![request]).await;
        // One request, one answer.
        reports
            .into_iter()
            .next()
            .unwrap_or_else(|| Ok(LoadReport::default()))
    }

    /// Loads several skills, each as [`SkillCatalog::load`] does, in one generation: the answers are
    /// in the order of the requests, and one that fails leaves the others alone.
    pub async fn load_all(&self, requests: Vec<LoadRequest>) -> Vec<Result<LoadReport, LoadError>> {
        self.shared.remember_runtime();
        let names: Vec<&str> = requests.iter().map(|request| &*request.name).collect();
        self.look_again_at_all(names).await;
        let mut answers = Answers::default();
        loop {
            let snapshot = self.snapshot();
            let mut planner = Planner::new(&snapshot);
            let mut plans = Vec::with_capacity(requests.len());
            for request in &requests {
                let mut planned = planner.plan(request);
                if let Ok(plan) = &planned
                    && let Err(error) = self.ask(plan, request, &mut answers).await
                {
                    planned = Err(error);
                }
                if let Ok(plan) = &planned {
                    planner.take(plan);
                }
                plans.push(planned);
            }
            let names = plans.iter().flatten().flatten();
            match self.block_hostile(&snapshot, names).await {
                // Planned anew without them.
                Some(true) => continue,
                Some(false) => {}
                None => refuse_unjudged(&requests, &mut plans),
            }
            let Some(next) = self.commit(&snapshot, &requests, &plans) else {
                continue;
            };
            for (request, plan) in requests.iter().zip(&plans) {
                if let Ok(plan) = plan {
                    self.tell_loaded(&next, plan, request.session.as_ref())
                        .await;
                }
            }
            let listed: HashMap<&str, &Arc<ListedTool>> = next
                .tools()
                .iter()
                .map(|tool| (tool.name.as_str(), tool))
                .collect();
            return requests
                .iter()
                .zip(plans)
                .map(|(request, plan)| Ok(report(&next, &listed, &plan?, request)))
                .collect();
        }
    }

    async fn ask(
        &self,
        plan: &[String],
        request: &LoadRequest,
        answers: &mut Answers,
    ) -> Result<(), LoadError> {
        for skill in plan {
            if answers.allowed.contains(skill) {
                continue;
            }
            let key = (skill.clone(), request.name.clone());
            let denied = answers.denied.get(&key).cloned();
            let answer = match denied {
                Some(deny) => Err(deny),
                None => self.may_load(skill, request).await,
            };
            if let Err(deny) = answer {
                answers.denied.insert(key, deny.clone());
                return Err(LoadError::Denied {
                    skill: skill.clone(),
                    needed_by: (*skill != request.name).then(|| request.name.clone()),
                    deny,
                });
            }
            answers.allowed.insert(skill.clone());
        }
        Ok(())
    }

    async fn may_load(&self, skill: &str, request: &LoadRequest) -> Result<(), HookDeny> {
        let payload = HookPayload::BeforeSkillLoad {
            skill_name: skill.to_owned(),
            dependency_of: (skill != request.name).then(|| request.name.clone()),
        };
        self.shared.dispatch(request.session.clone(), payload).await
    }

    /// Publishes the plans; `None` when the skills they were made from have changed.
    fn commit(
        &self,
        seen: &Arc<CatalogSnapshot>,
        requests: &[LoadRequest],
        plans: &[Planned],
    ) -> Option<Arc<CatalogSnapshot>> {
        let writer = self.shared.write();
        let current = writer.current();
        let same_skills = Arc::ptr_eq(&current.parts.skills, &seen.parts.skills);
        let same_loaded = Arc::ptr_eq(&current.parts.loaded, &seen.parts.loaded);
        // Whoever unloads a skill that is gone takes the wish for it back, also while a policy is asked.
        let same_wishes = Arc::ptr_eq(&current.parts.wished, &seen.parts.wished)
            || requests.iter().all(|request| !request.returns);
        if !(same_skills && same_loaded && same_wishes) {
            return None;
        }
        let mut parts = current.parts.clone();
        let granted = || {
            let both = requests.iter().zip(plans);
            both.filter_map(|(request, plan)| Some((request, plan.as_ref().ok()?)))
        };
        let names: Vec<String> = granted().flat_map(|(_, plan)| plan).cloned().collect();
        if !names.is_empty() {
            let mut taken = taken_names(&parts);
            for name in &names {
                let entry = parts.skills.entries.get(name)?;
                let tools =
                    LoadedTools::prepare(&self.shared, &entry.skill, &parts.declared, &mut taken);
                Arc::make_mut(&mut parts.loaded).insert(name.clone(), Arc::new(tools));
            }
        }
        let mut touched = None;
        for (request, plan) in granted() {
            for name in plan {
                let returns = *name == request.name && request.returns;
                if !returns {
                    let all = *name != request.name || request.activate_groups;
                    groups::activate_on_load(&mut parts, name, all);
                }
                parts.forget_wish(name);
            }
            if let Some(group) = &request.tool_group {
                Arc::make_mut(&mut parts.active_groups)
                    .insert((request.name.clone(), group.clone()));
                touched.get_or_insert_with(|| request.name.clone());
            }
        }
        // Last, because as a dependency of another one it was given all of its groups.
        for (request, _) in granted() {
            if let Some(exactly) = &request.groups
                && names.contains(&request.name)
            {
                groups::activate_exactly(&mut parts, &request.name, exactly);
            }
        }
        let kind = match touched {
            _ if !names.is_empty() => CatalogEventKind::SkillLoaded { names },
            Some(skill) if parts.active_groups != current.parts.active_groups => {
                CatalogEventKind::GroupChanged { skill }
            }
            _ => return Some(current),
        };
        Some(writer.publish(parts, kind))
    }

    async fn tell_loaded(
        &self,
        snapshot: &CatalogSnapshot,
        plan: &[String],
        session: Option<&String>,
    ) {
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
            let _ = self.shared.dispatch(session.cloned(), payload).await;
        }
    }
}
