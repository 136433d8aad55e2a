//! How skills and findings look in the answers.

use std::collections::BTreeMap;

use metier_diagnostics::{Diagnostic, Severity};
use metier_skill_model::SkillSummary;
use schemars::JsonSchema;
use serde::Serialize;

use crate::shelf::TextState;
use crate::stub::clipped;

/// A skill in a list.
#[derive(Serialize, JsonSchema)]
pub(super) struct SkillRow {
    /// The name that `load_skill` accepts.
    name: String,
    /// Of a shadowed skill: what tells it from the others of its name; `get_skill_info` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// What it is for.
    description: String,
    /// Where it stands: loaded, unloaded, `pending_deps`, error, skipped or shadowed.
    status: String,
    /// Whether its tools are registered.
    loaded: bool,
    /// The application it is for.
    dcc: String,
    /// Its version.
    version: String,
    /// Classification words.
    tags: Vec<String>,
    /// How many tools it declares.
    tool_count: usize,
    /// Their names, the first two hundred.
    tool_names: Vec<String>,
    /// Dependencies that have not been found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_dependencies: Vec<String>,
    /// How many more are missing; `get_skill_info` names all.
    #[serde(skip_serializing_if = "is_none")]
    more_missing_dependencies: usize,
    /// What its tools need of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required_capabilities: Vec<String>,
    /// What of that the host lacks: tools that need it refuse calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_capabilities: Vec<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Finding>,
    /// How many more findings there are; `get_skill_info` has all.
    #[serde(skip_serializing_if = "is_none")]
    more_diagnostics: usize,
    /// Why its files are not served as resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_served: Option<String>,
    /// Files of it that are not, with the reasons.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    left_out: BTreeMap<String, String>,
}

/// How many findings and missing names of one skill stand in a list, so that one sick skill does not fill it.
const MOST_IN_A_ROW: usize = 20;

/// How many tools of one skill an answer names, and how many it describes: a tools file of a megabyte has room for a
/// hundred thousand.
pub(super) const MOST_TOOLS: usize = 200;

/// How many characters of a text of its author's an answer carries. What is told of a text that is longer is told by
/// `check`.
const LONGEST_TEXT: usize = 2000;
const LONGEST_WORD: usize = 100;
const MOST_TAGS: usize = 50;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
pub(super) fn is_none(number: &usize) -> bool {
    *number == 0
}

impl SkillRow {
    /// The row of a skill on a host that lacks this of what it needs.
    pub(super) fn of(
        mut skill: SkillSummary,
        text: Option<TextState>,
        missing_capabilities: Vec<String>,
    ) -> Self {
        let text = text.unwrap_or_default();
        text.add_findings(&mut skill.diagnostics);
        let beyond = |length: usize| length.saturating_sub(MOST_IN_A_ROW);
        let more_diagnostics = beyond(skill.diagnostics.len());
        let more_missing_dependencies = beyond(skill.missing_dependencies.len());
        skill.diagnostics.truncate(MOST_IN_A_ROW);
        skill.missing_dependencies.truncate(MOST_IN_A_ROW);
        bound(&mut skill);
        Self {
            more_diagnostics,
            more_missing_dependencies,
            not_served: text.not_served,
            left_out: text.left_out,
            missing_capabilities,
            status: skill.status.to_string(),
            loaded: skill.loaded,
            name: skill.name,
            id: skill.id,
            description: skill.description,
            dcc: skill.dcc,
            version: skill.version,
            tags: skill.tags,
            tool_count: skill.tool_count,
            tool_names: skill.tool_names,
            missing_dependencies: skill.missing_dependencies,
            required_capabilities: skill.required_capabilities,
            diagnostics: skill.diagnostics.iter().map(Finding::from).collect(),
        }
    }
}

/// Cuts what an author may have written at any length. The name stays whole, for it is what loads the skill.
pub(super) fn bound(skill: &mut SkillSummary) {
    // A text of ordinary length stays as it was written.
    let cut = |text: &mut String, most: usize| {
        if text.chars().nth(most).is_some() {
            *text = clipped(text, most);
        }
    };
    cut(&mut skill.description, LONGEST_TEXT);
    cut(&mut skill.dcc, LONGEST_WORD);
    cut(&mut skill.version, LONGEST_WORD);
    skill.tags.truncate(MOST_TAGS);
    for tag in &mut skill.tags {
        cut(tag, LONGEST_WORD);
    }
    skill.tool_names.truncate(MOST_TOOLS);
}

/// A skill that cannot be used, and why.
#[derive(Serialize, JsonSchema)]
pub(super) struct RejectedRow {
    /// Its name, or its folder's where the name is not known.
    name: String,
    /// Why it is rejected, the first twenty reasons; `get_skill_info` has all.
    reasons: Vec<Finding>,
}

impl From<SkillSummary> for RejectedRow {
    fn from(skill: SkillSummary) -> Self {
        Self {
            name: skill.name,
            reasons: skill
                .diagnostics
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .take(MOST_IN_A_ROW)
                .map(Finding::from)
                .collect(),
        }
    }
}

/// Something that was found wrong.
#[derive(Serialize, JsonSchema)]
pub(super) struct Finding {
    /// A stable code.
    code: String,
    /// error, warning or info.
    severity: String,
    /// What was found.
    message: String,
    /// Where: `file:line:column` below the skill root.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// The cure.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl From<&Diagnostic> for Finding {
    fn from(finding: &Diagnostic) -> Self {
        Self {
            code: finding.code.to_string(),
            severity: finding.severity.to_string(),
            message: finding.message.clone(),
            place: finding.location().map(ToString::to_string),
            help: finding.help.clone(),
        }
    }
}

impl Finding {
    /// A finding about a root or a folder. What is said of a root itself names it by its path on the
    /// server, which is nobody else's business: the rule is told instead.
    pub(super) fn of_place(finding: &Diagnostic) -> Self {
        let mut told = Self::from(finding);
        if finding.location().is_none() {
            finding.code.summary.clone_into(&mut told.message);
            told.help = None;
        }
        told
    }
}

/// The exact call that loads a skill, or gives its instructions.
#[derive(Serialize, JsonSchema)]
pub(super) struct LoadCall {
    /// The tool to call.
    tool: &'static str,
    /// Its arguments.
    arguments: LoadArguments,
}

#[derive(Serialize, JsonSchema)]
struct LoadArguments {
    skill_name: String,
}

impl LoadCall {
    pub(super) fn of(skill: &str) -> Self {
        Self::to("load_skill", skill)
    }

    /// The call of another tool that takes one skill.
    pub(super) fn to(tool: &'static str, skill: &str) -> Self {
        Self {
            tool,
            arguments: LoadArguments {
                skill_name: skill.to_owned(),
            },
        }
    }
}
