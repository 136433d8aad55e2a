//! Skills of which no file is served, whatever is in them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use metier_diagnostics::Diagnostic;
use metier_loader::LoadedSkill;

use super::shadowed_place::PlaceObstacle;
use super::told::Told;
use crate::nested_skill::nested_in_folder;

/// Why a skill is left out, and what the log has said of it.
#[derive(Debug)]
pub(super) struct LeftOut {
    skill: Arc<LoadedSkill>,
    reason: String,
    told: Mutex<Told>,
}

/// Why one is to be left out.
#[derive(Debug)]
pub(super) struct Reason {
    text: String,
    /// A finding about the skill itself says it as well, wherever findings are told.
    is_found: bool,
}

impl Reason {
    /// What keeps a skill back wherever it lies is said before what its place does.
    pub(super) fn of(skill: &LoadedSkill, place: Option<PlaceObstacle>) -> Self {
        match (&skill.not_served, place) {
            (None, Some(obstacle)) => Self {
                text: obstacle.to_string(),
                is_found: false,
            },
            (own, _) => Self {
                text: own.clone().unwrap_or_default(),
                is_found: true,
            },
        }
    }
}

/// Those of one shelf, by what would be their key.
#[derive(Debug, Default)]
pub(super) struct LeftOutSkills(BTreeMap<String, Arc<LeftOut>>);

impl LeftOutSkills {
    /// One more. The log says why, unless it did `before`.
    pub(super) fn put(
        &mut self,
        key: String,
        skill: &Arc<LoadedSkill>,
        reason: Reason,
        before: &Self,
    ) {
        let Reason {
            text: reason,
            is_found,
        } = reason;
        let known = before.0.get(&key).filter(|known| known.reason == reason);
        match known {
            Some(_) => {}
            None if is_found => {
                tracing::info!("the files of the skill `{key}` are not served: {reason}");
            }
            None => tracing::warn!("the files of the skill `{key}` are not served: {reason}"),
        }
        let left_out = match known {
            Some(known) if Arc::ptr_eq(&known.skill, skill) => Arc::clone(known),
            known => Arc::new(LeftOut {
                told: Mutex::new(known.map_or_else(Told::default, |known| known.told())),
                skill: Arc::clone(skill),
                reason,
            }),
        };
        self.0.insert(key, left_out);
    }

    pub(super) fn get(&self, key: &str) -> Option<&LeftOut> {
        self.0.get(key).map(AsRef::as_ref)
    }

    pub(super) fn reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, left_out)| (key.as_str(), left_out.reason()))
    }
}

impl LeftOut {
    pub(super) fn reason(&self) -> &str {
        &self.reason
    }

    /// What is said of the SKILL.md files inside, which the log says as well. Looks at the folder, which blocks.
    pub(super) fn nested(&self, key: &str) -> Option<Diagnostic> {
        let finding = nested_in_folder(&self.skill);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.nested(key, finding.clone());
        finding
    }

    fn told(&self) -> Told {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.clone()
    }
}
