//! Unloading skills.

use std::sync::Arc;

use crate::catalog::SkillCatalog;
use crate::dispatcher::SHOWN_NAME;
use crate::event::CatalogEventKind;
use crate::snapshot::CatalogSnapshot;
use crate::stub::clipped;

/// What unloading a skill did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnloadReport {
    /// The skills that were unloaded, dependents first.
    pub unloaded: Vec<String>,
    /// The wire names of the tools that are gone.
    pub tools: Vec<String>,
}

/// Why a skill was not unloaded. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnloadError {
    /// No skill has this name.
    #[error("there is no skill named `{name}`")]
    Unknown {
        /// The name as asked for.
        name: String,
        /// Names that look like it, best first.
        nearest: Vec<String>,
    },
    /// Loaded skills need it.
    #[error("the skill `{name}` is needed by {}; unload them first, or pass force=true to unload them with it", .dependents.join(", "))]
    Needed {
        /// The skill.
        name: String,
        /// The loaded skills that need it.
        dependents: Vec<String>,
    },
}

impl SkillCatalog {
    /// Unloads a skill; the answer is the number of tools that are gone. A skill that is not loaded
    /// gives 0.
    ///
    /// # Errors
    /// See [`UnloadError`].
    pub fn unload_skill(&self, name: &str) -> Result<usize, UnloadError> {
        self.unload(name, false).map(|report| report.tools.len())
    }

    /// Unloads a skill, with `force` also the loaded skills that need it.
    ///
    /// # Errors
    /// See [`UnloadError`].
    pub fn unload(&self, name: &str, force: bool) -> Result<UnloadReport, UnloadError> {
        let writer = self.shared.write();
        let current = writer.current();
        let mut parts = current.parts.clone();
        if parts.wished.contains(name) {
            // Its folder is gone; nobody waits for it any more.
            parts.forget_wish(name);
            Arc::make_mut(&mut parts.active_groups).retain(|(of, _)| of != name);
            let report = UnloadReport {
                unloaded: vec![name.to_owned()],
                tools: Vec::new(),
            };
            let names = report.unloaded.clone();
            writer.publish(parts, CatalogEventKind::SkillUnloaded { names });
            return Ok(report);
        }
        if !parts.loaded.contains_key(name) {
            return if parts.skills.entries.contains_key(name) {
                Ok(UnloadReport::default())
            } else {
                Err(UnloadError::Unknown {
                    name: clipped(name, SHOWN_NAME),
                    nearest: current.nearest_skills(name),
                })
            };
        }
        let dependents = loaded_dependents(&current, name);
        if !dependents.is_empty() && !force {
            return Err(UnloadError::Needed {
                name: name.to_owned(),
                dependents,
            });
        }
        let mut report = UnloadReport::default();
        let loaded = Arc::make_mut(&mut parts.loaded);
        let groups = Arc::make_mut(&mut parts.active_groups);
        for skill in dependents.into_iter().chain([name.to_owned()]) {
            if let Some(tools) = loaded.remove(&skill) {
                report
                    .tools
                    .extend(tools.tools.iter().map(|tool| tool.listed.name.clone()));
                groups.retain(|(of, _)| *of != skill);
                report.unloaded.push(skill);
            }
        }
        let names = report.unloaded.clone();
        writer.publish(parts, CatalogEventKind::SkillUnloaded { names });
        Ok(report)
    }
}

fn loaded_dependents(snapshot: &CatalogSnapshot, name: &str) -> Vec<String> {
    snapshot
        .parts
        .skills
        .graph
        .transitive_dependents(name)
        .into_iter()
        .filter(|dependent| snapshot.parts.loaded.contains_key(*dependent))
        .map(ToOwned::to_owned)
        .collect()
}
