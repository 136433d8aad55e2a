//! `search_skills`: the skill for a task.

use metier_skill_model::SkillStatus;
use metier_tool::{CallContext, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rows::{LoadCall, RejectedRow, SkillRow};
use super::{Own, reads, refuse};
use crate::denial::denied;
use crate::search::{SearchReport, SearchRequest, SearchSkillsError, SkillHit};

const DEFAULT_LIMIT: usize = 10;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// What you want to do, in your own words and language, or a skill's or tool's name. Empty lists everything.
    #[serde(default)]
    query: Option<String>,
    /// Only skills for this application.
    #[serde(default)]
    dcc: Option<String>,
    /// Only skills with all of these tags.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// Only skills that stand here.
    #[serde(default)]
    status: Option<Status>,
    /// Only skills from this source, as `get_skill_info` names it: where their root comes from, such as `user`.
    #[serde(default)]
    source: Option<String>,
    /// `true`: only skills whose tools need nothing that the host lacks.
    #[serde(default)]
    usable: Option<bool>,
    /// At most so many hits, 1 to 100; 10 when not given. More than 100 counts as 100.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(with = "Option<u64>", range(min = 1))]
    limit: Option<u64>,
}

/// Where a skill that can be found stands.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Loaded,
    Unloaded,
    PendingDeps,
    Error,
}

impl From<Status> for SkillStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Loaded => Self::Loaded,
            Status::Unloaded => Self::Unloaded,
            Status::PendingDeps => Self::PendingDeps,
            Status::Error => Self::Error,
        }
    }
}

/// A whole number of any size; beyond 64 bits it is read as the largest of them, because more than
/// 100 counts as 100 anyway.
fn whole<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    Ok(
        number.map(|number| match (number.as_u64(), number.as_i64()) {
            (Some(small), _) => small,
            (None, Some(_)) => 0,
            (None, None) => u64::MAX,
        }),
    )
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The skills that fit, best first.
    hits: Vec<HitRow>,
    /// How many fit, those beyond the limit included.
    total: usize,
    /// What should be known of the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Skills of this name that were found and rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rejected: Vec<RejectedRow>,
    #[serde(flatten)]
    memory: Memory,
}

/// What is remembered of tools; nothing where no memory is kept.
#[derive(Serialize, JsonSchema)]
struct Memory {
    /// How single tools did, by name.
    #[serde(rename = "memory_summary", skip_serializing_if = "Option::is_none")]
    summary: Option<Map<String, Value>>,
    /// Tools that went well more often than not, the best first.
    #[serde(
        rename = "memory_prefer_tools",
        skip_serializing_if = "Option::is_none"
    )]
    prefer_tools: Option<Vec<String>>,
    /// Tools that failed more often than not, the worst first.
    #[serde(rename = "memory_avoid_tools", skip_serializing_if = "Option::is_none")]
    avoid_tools: Option<Vec<String>>,
}

impl Memory {
    /// What a handler left, as far as it has the right shape.
    fn of(mut left: Map<String, Value>) -> Self {
        let mut tools = |name| {
            left.remove(name)
                .and_then(|value| serde_json::from_value(value).ok())
        };
        Self {
            prefer_tools: tools("memory_prefer_tools"),
            avoid_tools: tools("memory_avoid_tools"),
            summary: match left.remove("memory_summary") {
                Some(Value::Object(summary)) => Some(summary),
                _ => None,
            },
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct HitRow {
    #[serde(flatten)]
    skill: SkillRow,
    /// Comparable within this answer only.
    score: f64,
    /// 0 to 1: how much of the query the skill speaks of.
    confidence: f64,
    /// Where which word was found.
    matched: Vec<Match>,
    /// The call that loads it; absent when it is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<LoadCall>,
}

#[derive(Serialize, JsonSchema)]
struct Match {
    /// name, description, hints, tools or body.
    field: String,
    /// The word.
    term: String,
}

impl HitRow {
    fn of(hit: SkillHit) -> Self {
        Self {
            load: (!hit.skill.loaded).then(|| LoadCall::of(&hit.skill.name)),
            skill: SkillRow::of(hit.skill, None, hit.missing_capabilities),
            score: (hit.score * 1000.0).round() / 1000.0,
            confidence: (hit.confidence * 1000.0).round() / 1000.0,
            matched: hit
                .matched
                .into_iter()
                .map(|matched| Match {
                    field: matched.field.to_string(),
                    term: matched.term,
                })
                .collect(),
        }
    }
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::from_fn("search_skills", move |input: Input, context: CallContext| {
        let own = own.clone();
        async move { run(&own, input, context).await }
    })
    .title("Search skills")
    .description(
        "Find the skill for a task. Searches names, descriptions, tags, hints, aliases, tools and instructions of \
         all skills, loaded or not, in any language. Each hit says how to load it; call load_skill next.",
    )
    .annotations(reads())
}

async fn run(own: &Own, input: Input, context: CallContext) -> Result<Output, ToolError> {
    let mut request = SearchRequest::new(input.query.unwrap_or_default());
    request.dcc = input.dcc.filter(|dcc| !dcc.trim().is_empty());
    request.status = input.status.map(SkillStatus::from);
    request.source = input.source.filter(|source| !source.trim().is_empty());
    request.usable = input.usable == Some(true);
    request.tags = input.tags.unwrap_or_default();
    request.limit = input.limit.map_or(DEFAULT_LIMIT, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    request.session = context.session;
    let catalog = own.catalog()?;
    match catalog.search_skills(request).await {
        Ok(report) => Ok(output(report)),
        Err(SearchSkillsError::Denied(deny)) => Err(ToolError::Refused(Box::new(denied(&deny)))),
        Err(SearchSkillsError::Search(error)) => Err(refuse("bad_search", &error, Map::new())),
    }
}

fn output(report: SearchReport) -> Output {
    Output {
        hits: report.hits.into_iter().map(HitRow::of).collect(),
        total: report.total,
        notes: report.notes.iter().map(ToString::to_string).collect(),
        rejected: report.rejected.into_iter().map(RejectedRow::from).collect(),
        memory: Memory::of(report.memory),
    }
}
