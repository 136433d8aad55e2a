//! `get_skill_info`: everything about one skill.

use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::rows::LoadCall;
use super::{Own, reads, refuse};

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name as lists show it.
    skill_name: String,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// Its metadata, tools with their schemas, dependencies and findings.
    skill: Map<String, Value>,
    /// How to load it; absent when it is loaded or cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<LoadCall>,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("get_skill_info", move |input: Input, _: CallContext| {
        let own = own.clone();
        async move { run(&own, &input.skill_name) }
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
    let Some(info) = catalog.get_skill_info(name) else {
        let nearest = catalog.snapshot().nearest_skills(name);
        let error = crate::LoadError::Unknown {
            name: name.to_owned(),
            nearest: nearest.clone(),
        };
        let mut facts = Map::new();
        facts.insert("nearest".to_owned(), json!(nearest));
        return Err(refuse("unknown_skill", &error, facts));
    };
    let loadable = matches!(
        info.summary.status,
        metier_skill_model::SkillStatus::Unloaded | metier_skill_model::SkillStatus::PendingDeps
    );
    let Ok(Value::Object(skill)) = serde_json::to_value(&info) else {
        let text = "the skill's metadata cannot be written as JSON".to_owned();
        return Err(ToolError::Failed(text));
    };
    Ok(Output {
        load: loadable.then(|| LoadCall::of(name)),
        skill,
    })
}
