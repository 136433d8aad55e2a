//! `activate_tool_group` and `deactivate_tool_group`: listed while a loaded skill has groups.

use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rows::Finding;
use super::{Own, changes, not_kept, refuse};

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The loaded skill.
    skill_name: String,
    /// One of its tool groups.
    group: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The skill.
    skill_name: String,
    /// The group.
    group: String,
    /// Whether the group's tools are listed now.
    active: bool,
    /// Whether this call changed that.
    changed: bool,
    /// The tools of the group.
    tools: Vec<String>,
    /// What is odd about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Finding>,
}

pub(super) fn activate(own: Own) -> ToolSpec {
    tool("activate_tool_group", true, own)
        .title("Activate a tool group")
        .description("List the tools of one group of a loaded skill, so that they can be called.")
}

pub(super) fn deactivate(own: Own) -> ToolSpec {
    tool("deactivate_tool_group", false, own)
        .title("Deactivate a tool group")
        .description("Take the tools of one group of a loaded skill out of the list.")
}

fn tool(name: &str, active: bool, own: Own) -> ToolSpec {
    ToolSpec::from_fn(name, move |input: Input, _: CallContext| {
        let own = own.clone();
        async move { run(&own, input, active).await }
    })
    .annotations(changes())
}

async fn run(own: &Own, input: Input, active: bool) -> Result<Output, ToolError> {
    let catalog = own.catalog()?;
    let changed = catalog
        .set_group_active(&input.skill_name, &input.group, active)
        .map_err(|error| {
            let mut facts = Map::new();
            facts.insert(
                "skill_name".to_owned(),
                Value::from(input.skill_name.as_str()),
            );
            refuse("group", &error, facts)
        })?;
    let snapshot = catalog.snapshot();
    let tools = snapshot
        .parts
        .loaded
        .get(&input.skill_name)
        .map_or(&[][..], |loaded| &loaded.tools);
    Ok(Output {
        tools: tools
            .iter()
            .filter(|tool| tool.group == input.group)
            .map(|tool| tool.listed.name.clone())
            .collect(),
        skill_name: input.skill_name,
        group: input.group,
        active,
        changed,
        diagnostics: not_kept(&catalog).await,
    })
}
