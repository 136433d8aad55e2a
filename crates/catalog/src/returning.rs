//! Skills that were loaded until their folders went, and that are back.

use std::sync::{Arc, PoisonError};

use metier_diagnostics::{Diagnostic, Location};
use metier_hooks::HookEvent;

use crate::catalog::SkillCatalog;
use crate::codes;
use crate::event::CatalogEventKind;
use crate::load::{LoadError, LoadRequest};
use crate::skill_set::{SkillSet, file_of};
use crate::snapshot::CatalogSnapshot;

impl SkillCatalog {
    /// Whether handlers want to know of skills that are loaded.
    pub(crate) fn is_supervised(&self) -> bool {
        let hooks = self.shared.hooks();
        [HookEvent::BeforeSkillLoad, HookEvent::AfterSkillLoad]
            .iter()
            .any(|event| !hooks.handlers(*event).is_empty())
    }

    /// Asks the policies of the skills that are back, and loads those that are let in, in one
    /// generation; the others stay unloaded, with the reason.
    ///
    /// Policies take their time, and whoever noticed the return must not wait for them: this happens
    /// on the runtime on which skills were loaded before.
    pub(crate) fn welcome_back(&self) {
        let snapshot = self.snapshot();
        if snapshot.parts.wished.is_empty() || !self.is_supervised() {
            return;
        }
        let mut asked = self
            .shared
            .returning
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let back: Vec<String> = back(&snapshot)
            .filter(|name| !asked.contains(name))
            .collect();
        if back.is_empty() {
            return;
        }
        let Some(runtime) = self.shared.runtime() else {
            tracing::warn!("skills that were loaded are back and wait for load_skill: {back:?}");
            return;
        };
        asked.extend(back.iter().cloned());
        drop(asked);
        let catalog = self.clone();
        runtime.spawn(async move { catalog.ask_and_load(back).await });
    }

    async fn ask_and_load(&self, names: Vec<String>) {
        let requests: Vec<LoadRequest> = names.iter().map(LoadRequest::returning).collect();
        let reports = self.load_all(requests).await;
        let failed: Vec<(&String, LoadError)> = names
            .iter()
            .zip(reports)
            .filter_map(|(name, report)| Some((name, report.err()?)))
            .collect();
        let is_veto = |error: &LoadError| matches!(error, LoadError::Denied { .. });
        if failed.iter().any(|(_, error)| is_veto(error)) {
            let writer = self.shared.write();
            let mut parts = writer.current().parts.clone();
            for (name, error) in failed.iter().filter(|(_, error)| is_veto(error)) {
                // Somebody took the wish back, or loaded the skill, while the policy was asked.
                if !parts.wished.contains(*name) {
                    continue;
                }
                tracing::warn!(
                    "the skill `{name}`, which was loaded, is back and is kept out: {error}"
                );
                let file = parts
                    .skills
                    .entries
                    .get(*name)
                    .map(|entry| file_of(&entry.skill, "SKILL.md"));
                parts.forget_wish(name);
                let mut finding = Diagnostic::warning(
                    codes::KEPT_OUT,
                    format!("the skill was loaded before its folder went, and is not loaded again: {error}"),
                )
                .help("call load_skill to ask once more");
                if let Some(file) = file {
                    finding = finding.at(Location::file(file), "");
                }
                Arc::make_mut(&mut parts.kept_out).insert((*name).clone(), finding);
            }
            writer.publish(parts, CatalogEventKind::SkillsChanged);
        }
        let mut asked = self
            .shared
            .returning
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for name in &names {
            asked.remove(name);
        }
        drop(asked);
        // One of them may have gone and come back meanwhile.
        self.welcome_back();
    }
}

fn back(snapshot: &CatalogSnapshot) -> impl Iterator<Item = String> {
    let set = &snapshot.parts.skills;
    snapshot
        .parts
        .wished
        .iter()
        .filter(|name| set.plan_of_return(name).is_some())
        .cloned()
}

impl LoadRequest {
    /// Loads a skill that is back, with the groups that were active when it went.
    fn returning(name: &String) -> Self {
        Self {
            returns: true,
            ..Self::new(name)
        }
    }
}

impl SkillSet {
    /// The skills to load when this one is back, itself last; `None` while one of them cannot be
    /// loaded.
    pub(crate) fn plan_of_return(&self, name: &str) -> Option<Vec<String>> {
        self.entries.get(name)?;
        let mut plan = self.graph.closure(name).ok()?.dependencies;
        plan.push(name.to_owned());
        let usable = |name: &String| {
            let entry = self.entries.get(name);
            entry.is_some_and(|entry| entry.obstacle.is_none())
        };
        plan.iter().all(usable).then_some(plan)
    }
}
