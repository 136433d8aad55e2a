//! `get_skill_info`: everything about one skill.

use std::sync::Arc;

use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::rows::{self, LoadCall, MOST_TOOLS, is_none};
use super::{Own, reads, refuse_no_skill};
use crate::shown::show_all;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name as lists show it, or the id of one that another of its name shadows.
    skill_name: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Its metadata, tools with their schemas, dependencies and findings.
    skill: Map<String, Value>,
    /// How many tools it declares beyond those that are described here, the first two hundred.
    #[serde(skip_serializing_if = "is_none")]
    more_tools: usize,
    /// How to load it; absent when it is loaded or cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<LoadCall>,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("get_skill_info", move |input: Input, _: CallContext| {
        let own = own.clone();
        async move {
            // The files of the skill are looked at.
            tokio::task::spawn_blocking(move || run(&own, &input.skill_name))
                .await
                .map_err(|error| ToolError::Failed(error.to_string()))?
        }
    })
    .title("Get skill info")
    .description(
        "Everything about one skill: metadata, declared tools with their schemas, groups, dependencies, and what \
         was found wrong with it. Works for skills that are not loaded.",
    )
    .annotations(reads())
}

fn run(own: &Own, name: &str) -> Result<Output, ToolError> {
    let catalog = own.catalog()?;
    // What a look finds may be another skill.
    let text = catalog.text_states(&[name]).pop().flatten();
    let Some(mut info) = catalog.get_skill_info(name) else {
        return Err(refuse_no_skill(
            &catalog.snapshot().no_skill(name),
            Map::new(),
        ));
    };
    let loadable = matches!(
        info.summary.status,
        metier_skill_model::SkillStatus::Unloaded | metier_skill_model::SkillStatus::PendingDeps
    );
    rows::bound(&mut info.summary);
    let declared = info.metadata.as_ref().map_or(0, |found| found.tools.len());
    let more_tools = declared.saturating_sub(MOST_TOOLS);
    if let Some(metadata) = info.metadata.as_mut().filter(|_| more_tools > 0) {
        Arc::make_mut(metadata).tools.truncate(MOST_TOOLS);
    }
    info.registered_tools.truncate(MOST_TOOLS);
    let text = text.unwrap_or_default();
    text.add_findings(&mut info.summary.diagnostics);
    let Ok(Value::Object(mut skill)) = serde_json::to_value(&info) else {
        let text = "the skill's metadata cannot be written as JSON".to_owned();
        return Err(ToolError::Failed(text));
    };
    skill.values_mut().for_each(show_all);
    // The files themselves are told by read_skill_file.
    skill.extend(text.uri.map(|uri| ("uri".to_owned(), uri.into())));
    skill.extend(
        text.not_served
            .map(|why| ("not_served".to_owned(), why.into())),
    );
    if !text.left_out.is_empty() {
        skill.insert("left_out".to_owned(), json!(text.left_out));
    }
    Ok(Output {
        more_tools,
        load: loadable.then(|| LoadCall::of(name)),
        skill,
    })
}
