//! `unload_skill`: takes a skill's tools back.

use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::rows::Finding;
use super::{Own, changes, not_kept, refuse};
use crate::unload::UnloadError;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name as lists show it.
    skill_name: String,
    /// Unload the loaded skills that need it as well.
    #[serde(default)]
    force: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Skills that are no longer loaded.
    unloaded: Vec<String>,
    /// How many tools are gone; 0 when the skill was not loaded.
    tools_removed: usize,
    /// Their names.
    tools: Vec<String>,
    /// What is odd about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Finding>,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("unload_skill", move |input: Input, _: CallContext| {
        let own = own.clone();
        async move { run(&own, &input).await }
    })
    .title("Unload a skill")
    .description(
        "Take the tools of a skill out of the list again. A skill that loaded skills need is kept unless force \
         is true, which unloads them too. Unloading a skill that is not loaded changes nothing.",
    )
    .annotations(changes())
}

async fn run(own: &Own, input: &Input) -> Result<Output, ToolError> {
    let catalog = own.catalog()?;
    let report = catalog
        .unload(&input.skill_name, input.force.unwrap_or(false))
        .map_err(|error| {
            let mut facts = Map::new();
            let code = match &error {
                UnloadError::Unknown { nearest, .. } => {
                    facts.insert("nearest".to_owned(), json!(nearest));
                    "unknown_skill"
                }
                UnloadError::Needed { dependents, .. } => {
                    facts.insert("dependents".to_owned(), json!(dependents));
                    "needed"
                }
            };
            refuse(code, &error, facts)
        })?;
    Ok(Output {
        unloaded: report.unloaded,
        tools_removed: report.tools.len(),
        tools: report.tools,
        diagnostics: not_kept(&catalog).await,
    })
}
