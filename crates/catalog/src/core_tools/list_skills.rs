//! `list_skills`: what there is, by name, page by page.

use std::sync::Arc;

use metier_capability::CapabilitySet;
use metier_diagnostics::{Diagnostic, Severity};
use metier_skill_model::{SkillStatus, SkillSummary};
use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::rows::{Finding, RejectedRow, SkillRow, is_none};
use super::{Own, reads, refuse};
use crate::catalog::SkillCatalog;
use crate::skill_info;
use crate::snapshot::CatalogSnapshot;
use crate::stub::clipped;

const DEFAULT_LIMIT: usize = 50;
/// How many rejected folders and how many findings one answer holds at most.
const MOST_FAULTS: usize = 50;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Only skills that stand here.
    #[serde(default)]
    status: Option<Status>,
    /// Only skills for this application.
    #[serde(default)]
    dcc: Option<String>,
    /// Only skills with all of these tags.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// Only skills from this source, as `get_skill_info` names it: where their root comes from, such as `user`.
    #[serde(default)]
    source: Option<String>,
    /// `true`: only skills whose tools need nothing that the host lacks.
    #[serde(default)]
    usable: Option<bool>,
    /// At most so many skills; 50 when not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// The `next_cursor` of the answer before.
    #[serde(default)]
    cursor: Option<String>,
}

/// Where a skill stands; `all` is every skill that is neither skipped nor shadowed.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    All,
    Loaded,
    Unloaded,
    PendingDeps,
    Error,
    Skipped,
    Shadowed,
}

impl Status {
    fn known(self) -> Option<SkillStatus> {
        Some(match self {
            Self::All => return None,
            Self::Loaded => SkillStatus::Loaded,
            Self::Unloaded => SkillStatus::Unloaded,
            Self::PendingDeps => SkillStatus::PendingDeps,
            Self::Error => SkillStatus::Error,
            Self::Skipped => SkillStatus::Skipped,
            Self::Shadowed => SkillStatus::Shadowed,
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The skills of this page, by name.
    skills: Vec<SkillRow>,
    /// How many there are in all pages.
    total: usize,
    /// Pass it as `cursor` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Folders that were found and cannot be used, 50 at most; on the first page only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<RejectedRow>,
    /// How many more there are; `status: skipped` lists all of them.
    #[serde(skip_serializing_if = "is_none")]
    more_rejected: usize,
    /// How many skills are not used because another one of their name comes first; `status: shadowed` lists them. On the
    /// first page only.
    #[serde(skip_serializing_if = "is_none")]
    shadowed: usize,
    /// What was found about roots and about folders that are no skills (scripts without a SKILL.md,
    /// broken links, odd names), 50 at most; on the first page only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    /// How many more of them there are.
    #[serde(skip_serializing_if = "is_none")]
    more_findings: usize,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("list_skills", move |input: Input, _: CallContext| {
        let own = own.clone();
        async move {
            // The files of the skills are looked at.
            tokio::task::spawn_blocking(move || run(&own, &input))
                .await
                .map_err(|error| ToolError::Failed(error.to_string()))?
        }
    })
    .title("List skills")
    .description(
        "List the skills of this server by name with their status, page by page, and the folders that were \
         rejected or passed over, with the reasons, also why a skill's files are not served. To find a skill for a task, search_skills is quicker.",
    )
    .annotations(reads())
}

fn run(own: &Own, input: &Input) -> Result<Output, ToolError> {
    let catalog = own.catalog()?;
    catalog.bring_back();
    let snapshot = catalog.snapshot();
    let answer = page(&catalog, &snapshot, input)?;
    let now = catalog.snapshot();
    // What the look at the files took out is among the rejected of this answer already.
    if Arc::ptr_eq(&snapshot.parts.skills, &now.parts.skills) {
        return Ok(answer);
    }
    page(&catalog, &now, input)
}

fn page(
    catalog: &SkillCatalog,
    snapshot: &CatalogSnapshot,
    input: &Input,
) -> Result<Output, ToolError> {
    let skip: usize = match input.cursor.as_deref() {
        None | Some("") => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            let error = format!(
                "the cursor `{}` is not one that list_skills gave",
                clipped(cursor, 40)
            );
            refuse("bad_cursor", &error, Map::new())
        })?,
    };
    let status = input.status.and_then(Status::known);
    let mut skills = skill_info::list(snapshot, status);
    if let Some(dcc) = &input.dcc {
        skills.retain(|skill| skill.dcc.eq_ignore_ascii_case(dcc));
    }
    for tag in input.tags.iter().flatten() {
        skills.retain(|skill| skill.tags.iter().any(|has| has.eq_ignore_ascii_case(tag)));
    }
    if let Some(source) = &input.source {
        skills.retain(|skill| {
            let info = skill_info::info(snapshot, &skill.name);
            info.is_some_and(|info| info.source == *source)
        });
    }
    let declared = &snapshot.parts.declared;
    if input.usable == Some(true) {
        skills.retain(|skill| declared.check(&skill.required_capabilities).is_empty());
    }
    let total = skills.len();
    let limit = input.limit.unwrap_or(DEFAULT_LIMIT);
    let next = skip.saturating_add(limit);
    let rejected = if skip == 0 && status != Some(SkillStatus::Skipped) {
        skill_info::list(snapshot, Some(SkillStatus::Skipped))
    } else {
        Vec::new()
    };
    let shadowed = if skip == 0 && status != Some(SkillStatus::Shadowed) {
        snapshot.parts.skills.shadowed.len()
    } else {
        0
    };
    let findings: Vec<&Diagnostic> = snapshot
        .root_findings()
        .filter(|finding| skip == 0 && finding.severity >= Severity::Warning)
        .collect();
    let page: Vec<SkillSummary> = skills.into_iter().skip(skip).take(limit).collect();
    Ok(Output {
        skills: rows(catalog, page, declared),
        total,
        next_cursor: (next < total).then(|| next.to_string()),
        more_rejected: rejected.len().saturating_sub(MOST_FAULTS),
        rejected: rejected
            .into_iter()
            .take(MOST_FAULTS)
            .map(RejectedRow::from)
            .collect(),
        shadowed,
        more_findings: findings.len().saturating_sub(MOST_FAULTS),
        findings: findings
            .into_iter()
            .take(MOST_FAULTS)
            .map(Finding::of_place)
            .collect(),
    })
}

fn rows(
    catalog: &SkillCatalog,
    skills: Vec<SkillSummary>,
    declared: &CapabilitySet,
) -> Vec<SkillRow> {
    let texts = catalog.texts_of(&skills);
    let rows = skills.into_iter().zip(texts).map(|(skill, text)| {
        let missing = declared.check(&skill.required_capabilities);
        SkillRow::of(skill, text, missing)
    });
    rows.collect()
}
