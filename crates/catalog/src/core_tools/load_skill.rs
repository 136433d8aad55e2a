//! `load_skill`: registers the tools of a skill and of what it depends on.

use indexmap::IndexSet;
use metier_tool::{CallContext, Content, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::rows::Finding;
use super::{Own, changes, not_kept, refuse};
use crate::denial::denied_skill;
use crate::load::{LoadError, LoadReport, LoadRequest};

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name as lists show it.
    #[serde(default)]
    skill_name: Option<String>,
    /// Several skills at once, a hundred at most.
    #[serde(default)]
    #[schemars(length(max = 100))]
    skill_names: Option<Vec<String>>,
    /// Activate every tool group (the default), or only those that are active by default.
    #[serde(default)]
    activate_groups: Option<bool>,
    /// Activate this group as well; for a single skill.
    #[serde(default)]
    tool_group: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Skills that are loaded now and were not before, in the order asked for.
    loaded: Vec<String>,
    /// Skills that had been loaded before.
    already_loaded: Vec<String>,
    /// Dependencies that were loaded on the way.
    dependencies: Vec<String>,
    /// How many tools the skills have.
    tool_count: usize,
    /// The tools, as tools/list shows them.
    tools: Vec<Map<String, Value>>,
    /// Names of further tools, where the answer would have become too large; tools/list shows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_tools: Vec<String>,
    /// Groups whose tools are hidden until `activate_tool_group` is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inactive_groups: Vec<String>,
    /// What was found while the tools were registered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Finding>,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("load_skill", move |input: Input, context: CallContext| {
        let own = own.clone();
        async move { run(&own, input, context).await }
    })
    .title("Load a skill")
    .description(
        "Register the tools of a skill, and of the skills it depends on, so that they can be called. The answer \
         holds the tools with their full schemas. Loading a loaded skill changes nothing.",
    )
    .annotations(changes())
}

async fn run(own: &Own, input: Input, context: CallContext) -> Result<Output, ToolError> {
    let catalog = own.catalog()?;
    let names = input.skill_names.unwrap_or_default();
    // A name that is said twice is meant once.
    let names: IndexSet<String> = names.into_iter().chain(input.skill_name).collect();
    if names.is_empty() {
        let error = "pass `skill_name` (one skill) or `skill_names` (several)";
        return Err(refuse("no_skill_named", &error, Map::new()));
    }
    let mut output = Output {
        loaded: Vec::new(),
        already_loaded: Vec::new(),
        dependencies: Vec::new(),
        tool_count: 0,
        tools: Vec::new(),
        more_tools: Vec::new(),
        inactive_groups: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut failures = Vec::new();
    let requests = names
        .into_iter()
        .map(|name| {
            let mut request = LoadRequest::new(name);
            request.activate_groups = input.activate_groups.unwrap_or(true);
            request.tool_group.clone_from(&input.tool_group);
            request.session.clone_from(&context.session);
            request
        })
        .collect();
    let mut room = LARGEST_TOOLS;
    for loaded in catalog.load_all(requests).await {
        match loaded {
            Ok(report) => add(&mut output, report, &mut room),
            Err(error) => failures.push(error),
        }
    }
    output.tool_count = output.tools.len() + output.more_tools.len();
    output.diagnostics.extend(not_kept(&catalog).await);
    match failures.as_slice() {
        [] => Ok(output),
        [
            LoadError::Denied {
                skill,
                needed_by,
                deny,
            },
        ] => {
            let mut denied = denied_skill(skill, needed_by.as_deref(), deny);
            if !output.loaded.is_empty() {
                let facts = denied.structured.get_or_insert_default();
                facts.insert("loaded".to_owned(), json!(output.loaded));
                denied.content.push(all_the_same(&output.loaded));
            }
            Err(ToolError::Refused(Box::new(denied)))
        }
        failures => Err(failed(&output, failures)),
    }
}

/// So many bytes of tools an answer holds.
const LARGEST_TOOLS: usize = 1 << 20;

/// How many skills that failed are told; the rest is counted.
const MOST_FAILURES: usize = 20;

/// Adds what became of one skill; of the bytes that tools may take, `room` are left.
fn add(output: &mut Output, report: LoadReport, room: &mut usize) {
    output.loaded.extend(report.loaded);
    output.already_loaded.extend(report.already_loaded);
    output.dependencies.extend(report.dependencies);
    for tool in &report.tools {
        let Ok(text) = serde_json::to_string(&**tool) else {
            continue;
        };
        match (room.checked_sub(text.len()), serde_json::from_str(&text)) {
            (Some(left), Ok(shown)) => {
                *room = left;
                output.tools.push(shown);
            }
            _ => output.more_tools.push(tool.name.clone()),
        }
    }
    output.inactive_groups.extend(report.inactive_groups);
    output
        .diagnostics
        .extend(report.diagnostics.iter().map(Finding::from));
}

/// What failed, and what was loaded all the same.
fn failed(output: &Output, failures: &[LoadError]) -> ToolError {
    let told = failures.iter().take(MOST_FAILURES);
    let mut texts: Vec<String> = told.map(ToString::to_string).collect();
    if failures.len() > MOST_FAILURES {
        texts.push(format!(
            "and {} more that failed",
            failures.len() - MOST_FAILURES
        ));
    }
    let mut facts = Map::new();
    let code = match failures {
        [LoadError::Unknown { nearest, .. }] => {
            facts.insert("nearest".to_owned(), json!(nearest));
            "unknown_skill"
        }
        [LoadError::Rejected { diagnostics, .. }] => {
            let reasons: Vec<_> = diagnostics.iter().map(Finding::from).collect();
            facts.insert("reasons".to_owned(), json!(reasons));
            "skill_rejected"
        }
        [LoadError::LeftOut { why, .. }] => why.code(),
        [LoadError::Dependencies { .. }] => "dependencies",
        [LoadError::UnknownGroup { .. }] => "unknown_group",
        [LoadError::Denied { deny, .. }, rest @ ..]
            if rest
                .iter()
                .all(|error| matches!(error, LoadError::Denied { .. })) =>
        {
            facts.insert("reason".to_owned(), json!(deny.reason));
            facts.extend(
                deny.hint
                    .iter()
                    .map(|hint| ("hint".to_owned(), json!(hint))),
            );
            "denied"
        }
        _ => "not_loaded",
    };
    facts.insert("loaded".to_owned(), json!(output.loaded));
    facts.insert("code".to_owned(), Value::from(code));
    facts.insert("errors".to_owned(), json!(texts));
    let text = texts.join("\n");
    facts.insert("error".to_owned(), Value::from(text.as_str()));
    let mut answer = ToolOutput::error_with(text, facts);
    if !output.loaded.is_empty() {
        answer.content.push(all_the_same(&output.loaded));
    }
    ToolError::Refused(Box::new(answer))
}

/// What failed is not all that happened, and not every client shows more than the text.
fn all_the_same(loaded: &[String]) -> Content {
    let told = loaded.iter().take(MOST_FAILURES);
    let mut names: Vec<String> = told.map(|name| format!("`{name}`")).collect();
    let more = loaded.len() - names.len();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    Content::text(format!("loaded all the same: {}", names.join(", ")))
}
