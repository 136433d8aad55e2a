//! `skills_listing`: names and descriptions of skills within a budget, and what is new.

use metier_skill_protocol::{Listing, ListingKind};
use metier_tool::{Content, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::on_disk::on_disk;
use super::{Own, reads};
use crate::catalog::SkillCatalog;
use crate::protocol::ListingRequest;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Who asks, under a name of your own: without a token the answer is what is new since this name asked last.
    #[serde(default)]
    agent: Option<String>,
    /// The token of the last listing: the answer is what is new since. Without it, and without agent, everything.
    #[serde(default)]
    token: Option<String>,
    /// The most characters.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    budget: Option<u64>,
    /// Files of the project that were touched: skills for such files are listed from then on.
    #[serde(default)]
    #[schemars(length(max = 4096))]
    touched: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// first, addition, replacement, `token_unreadable` (a replacement as well) or unchanged.
    kind: String,
    /// A line for each skill.
    text: String,
    /// The names of the skills in the text.
    shown: Vec<String>,
    /// How many skills it leaves out; `discover_skills` finds them.
    omitted: usize,
    /// How many skills there are.
    visible: usize,
    /// For the next call.
    token: String,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::new("skills_listing", on_disk(own, run))
        .schemas_of::<Input, Output>()
        .title("List skills within a budget")
        .description(
            "A line for each skill (name and what it is for) within a budget of characters; with the token of the last \
             answer only what is new. Call skill to use one, discover_skills for those that are left out.",
        )
        .annotations(reads())
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a tool's function")]
fn run(
    catalog: &SkillCatalog,
    input: Input,
    session: Option<String>,
) -> Result<ToolOutput, ToolError> {
    let budget = input.budget;
    let request = ListingRequest {
        session,
        agent: input.agent.unwrap_or_default(),
        token: input.token,
        budget: budget.map(|budget| usize::try_from(budget).unwrap_or(usize::MAX)),
        touched: input.touched.unwrap_or_default(),
    };
    Ok(output(catalog.skill_listing(&request)))
}

fn output(listing: Listing) -> ToolOutput {
    let kind = match serde_json::to_value(listing.kind) {
        Ok(Value::String(kind)) => kind,
        _ => String::new(),
    };
    let shown = match listing.kind {
        ListingKind::Unchanged => "Nothing is new.".to_owned(),
        _ if listing.text.is_empty() => "There are no skills.".to_owned(),
        _ => listing.text.clone(),
    };
    let mut answer = ToolOutput::content(vec![Content::text(shown)]);
    let output = Output {
        kind,
        text: listing.text,
        shown: listing.shown,
        omitted: listing.omitted,
        visible: listing.visible,
        token: listing.token,
    };
    answer.structured = match serde_json::to_value(output) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    };
    answer
}
