//! How a skill is served as text, for whoever tells it beside other facts of the skill.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, visible_name};
use metier_loader::{ManifestFile, is_hidden_or_compiled};
use metier_skill_model::{SkillStatus, SkillSummary};
use serde::Serialize;

use super::{FileChange, ServedSkill, SkillShelf};
use crate::catalog::SkillCatalog;

/// The text side of one skill. Exactly one of `uri` and `not_served` is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TextState {
    /// The URI of its `SKILL.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Why none of its files is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_served: Option<String>,
    /// Every file that is served, by path.
    pub files: Vec<ManifestFile>,
    /// Files and folders that are not, each with the reason; a hundred at most. What is not seen of a name is escaped.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, String>,
    /// What is to be said of the files beside that.
    #[serde(skip)]
    findings: Vec<Diagnostic>,
}

impl TextState {
    fn of(skill: &ServedSkill, change: &mut FileChange) -> Self {
        let manifest = skill.manifest(change);
        let nested = skill.nested_in(&manifest).into_iter();
        let nested = nested.chain(skill.kept_prompts(change)).collect();
        match manifest.as_ref() {
            Ok(manifest) => Self {
                uri: Some(skill.entry_uri()),
                not_served: None,
                files: manifest.files.clone(),
                left_out: as_told(&manifest.skipped),
                findings: nested,
            },
            Err(reason) => Self::not_served(reason, nested),
        }
    }

    fn not_served(reason: &str, findings: Vec<Diagnostic>) -> Self {
        Self {
            not_served: Some(reason.to_owned()),
            findings,
            ..Self::default()
        }
    }

    /// How many of those that are left out everybody leaves out.
    pub fn hidden_or_compiled(&self) -> usize {
        let paths = self.left_out.keys();
        paths.filter(|path| is_hidden_or_compiled(path)).count()
    }

    /// Adds what is to be said of the files to what is said of the skill.
    pub fn add_findings(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.extend(self.findings.iter().cloned());
    }
}

impl SkillShelf {
    /// By key, or by the id of a skill that is shadowed.
    pub(crate) fn by_key_or_id(&self, name: &str) -> Option<&Arc<ServedSkill>> {
        self.get(name).or_else(|| {
            let key = self.shadowed.get(name)?;
            self.get(key)
        })
    }

    /// Of a skill that is left out, by its name, or by its id where it is shadowed.
    fn state_of_left_out(&self, name: &str) -> Option<TextState> {
        let key = self.shadowed.get(name).map_or(name, String::as_str);
        let left_out = self.left_out.get(key)?;
        let findings = left_out.nested(key).into_iter().collect();
        Some(TextState::not_served(left_out.reason(), findings))
    }
}

/// In the words and the writing of the log and of `check`.
fn as_told(skipped: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let told = |text: &str| visible_name(text).into_owned();
    let skipped = skipped.iter();
    skipped
        .map(|(path, reason)| (told(path), told(reason)))
        .collect()
}

impl SkillCatalog {
    /// How each of these skills is served as text, by name, or by the id of a shadowed one; `None`
    /// for one that is rejected or unknown. Looks at their files, which blocks.
    pub fn text_states(&self, names: &[&str]) -> Vec<Option<TextState>> {
        let looked = self.look(|shelf, change| {
            let states = names.iter().map(|name| match shelf.by_key_or_id(name) {
                Some(skill) => Some(TextState::of(skill, change)),
                None => shelf.state_of_left_out(name),
            });
            Ok::<_, Infallible>(states.collect())
        });
        looked.unwrap_or_default()
    }

    /// How each of these is served as text, whoever has its name. Looks at their files, which blocks.
    pub fn texts_of(&self, skills: &[SkillSummary]) -> Vec<Option<TextState>> {
        // Whoever has the name is served under it, and no other skill of that name.
        let names: Vec<&str> = skills
            .iter()
            .map(|skill| match (skill.status, &skill.id) {
                (SkillStatus::Skipped, _) | (SkillStatus::Shadowed, None) => "",
                (SkillStatus::Shadowed, Some(id)) => id,
                _ => &skill.name,
            })
            .collect();
        self.text_states(&names)
    }
}
