//! `discover_skills`: the skills for a task, by the cascade of discovery.

use metier_skill_protocol::{DiscoveredSkill, SelectorError};
use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::LoadCall;
use super::{Own, reads};
use crate::denial::denied;
use crate::protocol::{Discover, Discovered};
use crate::snapshot::CatalogSnapshot;

/// The key of what a client's model said, among the answers that come with a call: `{"text": …}`, or `{"error": …}`.
pub const SELECTION: &str = "selection";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// What you need, in your own words and language; or select:NAME.
    query: String,
    /// At most so many skills, 1 to 20; 5 when not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u64>,
    /// Leave out what this conversation has found or used already.
    #[serde(default)]
    exclude_seen: Option<bool>,
}

impl Input {
    pub(crate) fn discover(self) -> Discover {
        let mut discover = Discover::new(self.query);
        let request = &mut discover.request;
        request.exclude_seen = self.exclude_seen == Some(true);
        if let Some(limit) = self.limit {
            request.limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        discover
    }
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The skills that fit, best first.
    hits: Vec<Row>,
    /// Which way found them: direct, lexical, hybrid or select.
    stage: String,
    /// What should be known of the answer: what was left out, what is missing or failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// What the model that chose planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    /// What tells it from every other.
    id: String,
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// Which way found it: direct, lexical, hybrid or select.
    stage: &'static str,
    /// Comparable within this answer only.
    score: f64,
    /// 0 to 1: how likely it is what is looked for; absent where a model chose it without a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// Where which word was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matched: Vec<Match>,
    /// What its tools need of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    required_capabilities: Vec<String>,
    /// What of that the host lacks: tools that need it refuse calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_capabilities: Vec<String>,
    /// The call that gives its instructions.
    #[serde(rename = "use")]
    call: LoadCall,
}

#[derive(Serialize, JsonSchema)]
struct Match {
    /// name, description, hints, tools or body.
    field: String,
    /// The word.
    term: String,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn(
        "discover_skills",
        move |input: Input, context: CallContext| {
            let own = own.clone();
            async move { run(&own, input, context).await }
        },
    )
    .title("Discover skills")
    .description(
        "Find the skills for a task among all there are, in your own words and language; select:NAME asks for one by name. \
         Each comes with the call of skill that gives its instructions.",
    )
    .annotations(reads())
}

async fn run(own: &Own, input: Input, context: CallContext) -> Result<Output, ToolError> {
    let mut discover = input.discover();
    discover.session = context.session;
    discover.said = context.answers.get(SELECTION).map(said);
    // Who gives such an answer has asked for it, and the policy before.
    discover.is_admitted = discover.said.is_some();
    let catalog = own.catalog()?;
    match catalog.discover_skills(discover).await {
        Ok(found) => Ok(output(found)),
        Err(deny) => Err(ToolError::Refused(Box::new(denied(&deny)))),
    }
}

/// The words of a client's model, or why there are none.
fn said(answer: &Value) -> Result<String, SelectorError> {
    if let Some(text) = answer.get("text").and_then(Value::as_str) {
        return Ok(text.to_owned());
    }
    let error = answer.get("error").cloned().unwrap_or_default();
    Err(
        serde_json::from_value(error).unwrap_or_else(|_| SelectorError::Failed {
            reason: "its answer is no text".to_owned(),
        }),
    )
}

/// The answer as JSON, in the shape that the tool gives it.
pub(crate) fn as_json(found: Discovered) -> Value {
    serde_json::to_value(output(found)).unwrap_or_default()
}

fn output(found: Discovered) -> Output {
    let (answer, snapshot) = found.into_parts();
    let hits = answer.hits.into_iter();
    Output {
        hits: hits.map(|hit| row(&snapshot, hit)).collect(),
        stage: answer.stage.as_str().to_owned(),
        notes: answer.notes.iter().map(ToString::to_string).collect(),
        plan: answer.plan,
    }
}

fn row(snapshot: &CatalogSnapshot, hit: DiscoveredSkill) -> Row {
    let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
    let entry = snapshot.parts.skills.entries.get(&hit.id);
    let required = entry.map(|entry| entry.metadata().required_capabilities());
    Row {
        call: LoadCall::to("skill", &hit.name),
        missing_capabilities: snapshot.missing_capabilities(&hit.id),
        required_capabilities: required.unwrap_or_default(),
        stage: hit.stage.as_str(),
        score: rounded(hit.score),
        confidence: hit.confidence.map(rounded),
        matched: hit
            .matched
            .into_iter()
            .map(|matched| Match {
                field: matched.field,
                term: matched.term,
            })
            .collect(),
        id: hit.id,
        name: hit.name,
        description: hit.description,
    }
}
