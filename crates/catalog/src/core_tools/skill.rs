//! `skill`: the instructions of one skill come into the context.

use std::fmt::Write as _;

use metier_skill_protocol::ActivationRefusal;
use metier_tool::{Content, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::on_disk::on_disk;
use super::{Own, reads, refuse};
use crate::catalog::SkillCatalog;
use crate::protocol::{ActivateError, Activated, ActivationRequest};

/// Where the warnings of the safety rules stand, which are for the host.
const WARNINGS: &str = "metier/warnings";
/// So many files are named in the text.
const NAMED_FILES: usize = 20;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name or id, as lists show it; a / may stand before it.
    #[serde(default)]
    skill_name: Option<String>,
    /// The same as `skill_name`: what the tool of this name calls it elsewhere. One of the two is needed.
    #[serde(default)]
    skill: Option<String>,
    /// What its instructions are to be used on, as one line; words with blanks in quotes.
    #[serde(default)]
    args: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// What tells it from every other.
    id: String,
    /// Its name.
    name: String,
    /// What stands for its folder in the text.
    base: String,
    /// Its other files below the base, a hundred at most; `read_skill_file` reads them.
    files: Vec<String>,
    /// What it is allowed until the end of the turn: tools, model, effort, hooks.
    scope: Map<String, Value>,
    /// What was decided, and what it asks for that a person has to agree to first.
    permission: Map<String, Value>,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::new("skill", on_disk(own, run))
        .schemas_of::<Input, Output>()
        .title("Use a skill")
        .description(
            "The instructions of one skill, to be followed for the task at hand. Nothing is run by it. Names are those of \
             skills_listing and discover_skills.",
        )
        .annotations(reads())
}

fn run(
    catalog: &SkillCatalog,
    input: Input,
    session: Option<String>,
) -> Result<ToolOutput, ToolError> {
    let mut request = ActivationRequest::new(named(input.skill_name, input.skill)?);
    request.arguments = input.args.unwrap_or_default();
    request.session = session;
    match catalog.activate_skill(&request) {
        Ok(activated) => {
            let waiting = tools_to_load(catalog, &activated.activation.name);
            Ok(output(activated, waiting))
        }
        Err(error) => Err(refusal(&request.skill, &error)),
    }
}

/// The one skill that is meant, under either name of the argument.
fn named(skill_name: Option<String>, skill: Option<String>) -> Result<String, ToolError> {
    match (skill_name, skill) {
        (Some(one), Some(other)) if one != other => {
            let error = "`skill_name` and `skill` are the same argument, and here they differ; pass `skill_name` alone";
            Err(refuse("two_names", &error, Map::new()))
        }
        (one, other) => Ok(one.or(other).unwrap_or_default()),
    }
}

/// A refusal of a skill's instructions, as the answer of a tool.
pub(super) fn refusal(skill: &str, error: &ActivateError) -> ToolError {
    refuse(code(error), error, facts(skill, error))
}

/// How many tools of the skill are not there before it is loaded.
fn tools_to_load(catalog: &SkillCatalog, name: &str) -> usize {
    let snapshot = catalog.snapshot();
    let entry = snapshot.parts.skills.entries.get(name);
    let waits = entry.filter(|_| !snapshot.parts.loaded.contains_key(name));
    waits.map_or(0, |entry| entry.metadata().tools.len())
}

fn output(activated: Activated, waiting: usize) -> ToolOutput {
    let Activated {
        activation,
        permission,
    } = activated;
    let mut text = activation.text;
    // Writing into a string cannot fail.
    let _ = write!(
        text,
        "\n\n(Files of the skill `{}`, at {}: {})",
        activation.name,
        activation.base,
        in_short(&activation.files)
    );
    if waiting > 0 {
        let tools = if waiting == 1 { "tool is" } else { "tools are" };
        let _ = write!(
            text,
            "\n(Its {waiting} {tools} there after load_skill(skill_name=\"{}\"))",
            activation.name
        );
    }
    let output = Output {
        id: activation.id,
        name: activation.name,
        base: activation.base,
        files: activation.files,
        scope: object(&activation.scope),
        permission: object(&permission),
    };
    let mut answer = ToolOutput::content(vec![Content::text(text)]);
    answer.structured = Some(object(&output));
    if !activation.warnings.is_empty() {
        answer = answer.with_meta(WARNINGS, json!(activation.warnings));
    }
    answer
}

fn in_short(files: &[String]) -> String {
    if files.is_empty() {
        return "SKILL.md alone".to_owned();
    }
    let shown: Vec<&str> = files.iter().take(NAMED_FILES).map(String::as_str).collect();
    let more = files.len().saturating_sub(NAMED_FILES);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}; read_skill_file reads them", shown.join(", "))
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn code(error: &ActivateError) -> &'static str {
    match error {
        ActivateError::Refused(refusal) => match refusal {
            ActivationRefusal::Empty => "no_name",
            ActivationRefusal::Unknown { .. } => "unknown_skill",
            ActivationRefusal::Disabled { .. } => "disabled",
            ActivationRefusal::Conditional { .. } => "conditional",
            ActivationRefusal::OnlyForUsers { .. } => "only_for_users",
            ActivationRefusal::Denied { .. } => "denied",
            ActivationRefusal::Blocked { .. } => "blocked",
            ActivationRefusal::NotServed { .. } => "not_served",
            _ => "refused",
        },
        ActivateError::LeftOut { why, .. } => why.code(),
        ActivateError::Rejected { .. } => "rejected",
        ActivateError::NotServed { .. } => "not_served",
    }
}

fn facts(skill: &str, error: &ActivateError) -> Map<String, Value> {
    let shown: String = skill.chars().take(130).collect();
    let mut facts = Map::new();
    facts.insert("skill".to_owned(), shown.into());
    if let ActivateError::Refused(ActivationRefusal::Unknown { nearest, .. }) = error {
        facts.insert("nearest".to_owned(), json!(nearest));
    }
    facts
}
