//! A refusal by policy as an answer.

use metier_hooks::HookDeny;
use metier_tool::ToolOutput;
use serde_json::{Map, Value};

use crate::load::needed;

/// A refusal by policy, the same on every route.
pub(crate) fn denied(deny: &HookDeny) -> ToolOutput {
    told("denied", deny)
}

fn told(what: &str, deny: &HookDeny) -> ToolOutput {
    let mut facts = Map::new();
    facts.insert("code".to_owned(), Value::from("denied"));
    facts.insert("reason".to_owned(), Value::from(deny.reason.as_str()));
    let mut text = format!("{what} by policy: {}", deny.reason);
    if let Some(hint) = &deny.hint {
        facts.insert("hint".to_owned(), Value::from(hint.as_str()));
        text.push('\n');
        text.push_str(hint);
    }
    ToolOutput::error_with(text, facts)
}

/// The same for a skill, which may be one that another needs: whoever asked hears which, in the text too, which is all
/// that many clients show.
pub(crate) fn denied_skill(skill: &str, needed_by: Option<&str>, deny: &HookDeny) -> ToolOutput {
    let what = format!("loading `{skill}`{} was denied", needed(needed_by));
    let mut output = told(&what, deny);
    let facts = output.structured.get_or_insert_default();
    facts.insert("skill_name".to_owned(), skill.into());
    output
}
