//! What is told of a skill, short and long.

use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Severity};
use metier_loader::{RejectedSkill, ShadowedSkill};
use metier_skill_model::{SkillMetadata, SkillStatus, SkillSummary};
use metier_skill_protocol::visible;
use serde::Serialize;

use crate::skill_set::{SkillEntry, rejected_skill};
use crate::snapshot::CatalogSnapshot;

/// Everything about one skill. No absolute path is in it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SkillInfo {
    /// The short form.
    #[serde(flatten)]
    pub summary: SkillSummary,
    /// Where it lies below its root.
    pub location: String,
    /// Which kind of root it was found in.
    pub source: String,
    /// The front matter and its sibling files; absent for a rejected skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<SkillMetadata>>,
    /// The wire names of its registered tools.
    pub registered_tools: Vec<String>,
    /// Skills that need it.
    pub dependents: Vec<String>,
    /// Why it is not served as a `skill://` resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_served: Option<String>,
}

/// The short form of a known skill.
pub(crate) fn summary(snapshot: &CatalogSnapshot, name: &str, entry: &SkillEntry) -> SkillSummary {
    let status = snapshot.status(name, entry);
    let mut summary = of_metadata(entry.metadata(), status);
    summary.missing_dependencies.clone_from(&entry.missing);
    summary.diagnostics = grave(&entry.diagnostics);
    if let Some(loaded) = snapshot.parts.loaded.get(name) {
        summary.diagnostics.extend(grave(&loaded.diagnostics));
    }
    let kept_out = snapshot.parts.kept_out.get(name);
    summary.diagnostics.extend(kept_out.cloned());
    summary
}

/// The short form of a rejected skill.
pub(crate) fn rejected(skill: &RejectedSkill) -> SkillSummary {
    let mut summary = SkillSummary::named(&skill.name, SkillStatus::Skipped);
    summary.diagnostics = grave(&skill.diagnostics);
    summary
}

/// The short form of a skill whose name an earlier one has: why it is none, then what is wrong with it besides.
fn shadowed_summary(shadowed: &ShadowedSkill) -> SkillSummary {
    let mut summary = of_metadata(&shadowed.skill.metadata, SkillStatus::Shadowed);
    summary.id = Some(shadowed.skill.id.to_string());
    summary.diagnostics = vec![shadowed.diagnostic.clone()];
    summary
        .diagnostics
        .extend(grave(&shadowed.skill.diagnostics));
    summary
}

pub(crate) fn list(snapshot: &CatalogSnapshot, status: Option<SkillStatus>) -> Vec<SkillSummary> {
    let set = &snapshot.parts.skills;
    match status {
        Some(SkillStatus::Skipped) => set.rejected.iter().map(|skill| rejected(skill)).collect(),
        Some(SkillStatus::Shadowed) => set.shadowed.iter().map(shadowed_summary).collect(),
        wanted => set
            .entries
            .iter()
            .map(|(name, entry)| summary(snapshot, name, entry))
            .filter(|summary| wanted.is_none_or(|wanted| summary.status == wanted))
            .collect(),
    }
}

pub(crate) fn info(snapshot: &CatalogSnapshot, name: &str) -> Option<SkillInfo> {
    let set = &snapshot.parts.skills;
    if let Some(entry) = set.entries.get(name) {
        let registered = snapshot
            .parts
            .loaded
            .get(name)
            .map_or(&[][..], |loaded| &loaded.tools);
        return Some(SkillInfo {
            summary: summary(snapshot, name, entry),
            location: entry.skill.display_path.clone(),
            source: entry.skill.root.label.to_string(),
            metadata: Some(Arc::clone(&entry.skill.metadata)),
            registered_tools: registered
                .iter()
                .map(|tool| tool.listed.name.clone())
                .collect(),
            dependents: set
                .graph
                .dependents(name)
                .into_iter()
                .map(ToOwned::to_owned)
                .collect(),
            not_served: entry.skill.not_served.clone(),
        });
    }
    if let Some(shadowed) = set
        .shadowed
        .iter()
        .find(|shadowed| shadowed.skill.id.as_str() == name)
    {
        return Some(SkillInfo {
            summary: shadowed_summary(shadowed),
            location: shadowed.skill.display_path.clone(),
            source: shadowed.skill.root.label.to_string(),
            metadata: Some(Arc::clone(&shadowed.skill.metadata)),
            registered_tools: Vec::new(),
            dependents: Vec::new(),
            not_served: shadowed.skill.not_served.clone(),
        });
    }
    let skill = rejected_skill(&set.rejected, name)?;
    Some(SkillInfo {
        summary: rejected(skill),
        location: skill.display_path.clone(),
        source: skill.root.label.to_string(),
        metadata: None,
        registered_tools: Vec::new(),
        dependents: Vec::new(),
        not_served: None,
    })
}

fn of_metadata(metadata: &SkillMetadata, status: SkillStatus) -> SkillSummary {
    let mut summary = SkillSummary::named(metadata.name.as_str(), status);
    summary.description = visible(&metadata.description).into_owned();
    let tags = metadata.tags.iter();
    summary.tags = tags.map(|tag| visible(tag).into_owned()).collect();
    summary.dcc.clone_from(&metadata.dcc);
    summary.version.clone_from(&metadata.version);
    summary.tool_count = metadata.tools.len();
    summary.tool_names = metadata
        .tools
        .iter()
        .map(|tool| tool.name.clone())
        .collect();
    summary.required_capabilities = metadata.required_capabilities();
    summary
}

/// Lists carry what needs somebody's attention; the rest is in `check`.
fn grave(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    diagnostics
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning)
        .cloned()
        .collect()
}
