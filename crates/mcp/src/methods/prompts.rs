//! `prompts/list` and `prompts/get`: one prompt for each skill that a person may invoke.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use metier_catalog::{
    FileChange, FileFault, SKILL_FILE, ServedSkill, SkillPlace, SkillShelf, SkillText,
};
use metier_loader::{SkillPrompt, body_of};
use metier_skill_model::SkillMetadata;
use metier_skill_protocol::{Arguments, argument_names, fill, visible};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{blocking, read};
use crate::call::Call;
use crate::cursor;
use crate::error::McpError;
use crate::notices::ListKind;
use crate::result::CacheHints;
use crate::shared::Shared;
use crate::table::{Eras, Feature};

/// How many prompts a page holds.
const PAGE: usize = 1_000;
const LIST: &str = "prompts";
/// The argument of a skill that names none.
const WHOLE: &str = "arguments";
/// Stands between a skill's name and that of a prompt it brings along. No skill's name has it.
const BETWEEN: &str = "__";

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(Eras::Both, "prompts/list", |shared, call, params| {
        blocking(shared, call, params, list)
    });
    feature.works(Eras::Both, "prompts/get", |shared, call, params| {
        blocking(shared, call, params, get)
    });
    feature
}

#[derive(Deserialize)]
struct ListParams {
    #[serde(default)]
    cursor: Option<String>,
}

fn list(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let asked: ListParams = read(params)?;
    let last = cursor::last_seen(LIST, asked.cursor.as_deref())?;
    let own = shared
        .catalog
        .look(|shelf, change| Ok::<_, McpError>(page(shelf, &last, change)))?;
    if let Some(session) = &call.session {
        session.notices.listed(ListKind::Prompts);
    }
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), Map::new())
}

fn page(shelf: &SkillShelf, last: &str, change: &mut FileChange) -> Map<String, Value> {
    let look = ServedSkill::text_with_prompts;
    let page = shelf.page(last, PAGE, is_prompt, look, change);
    let prompts: Vec<_> = page.skills.iter().flat_map(listed).collect();
    let mut own = Map::new();
    own.insert("prompts".into(), prompts.into());
    if let Some(last) = page.next() {
        own.insert("nextCursor".into(), cursor::after(LIST, last).into());
    }
    own
}

/// A skill whose name an earlier one has is out of reach by its name, so it is no prompt.
pub(crate) fn is_prompt(skill: &SkillPlace) -> bool {
    !skill.is_shadowed() && skill.skill().metadata.client.user_invocable != Some(false)
}

/// What a prompt's name leads to: a skill, or a prompt that a skill brings along.
pub(super) fn find<'s>(
    shelf: &'s SkillShelf,
    name: &str,
    change: &mut FileChange,
) -> Result<(&'s Arc<ServedSkill>, Option<SkillPrompt>), McpError> {
    let itself = shelf.get(name).map(|skill| (skill, None));
    let further = || {
        let (skill, prompt) = name.split_once(BETWEEN)?;
        let skill = shelf.get(skill)?;
        let prompts = skill.prompts(change);
        let found = prompts.iter().find(|known| known.name == prompt)?;
        Some((skill, Some(found.clone())))
    };
    itself
        .or_else(further)
        .filter(|(skill, _)| is_prompt(skill))
        .ok_or_else(|| {
            let shown: String = name.chars().take(100).collect();
            let skill = name.split_once(BETWEEN).map_or(name, |(skill, _)| skill);
            // A skill that is known says why it is not there.
            let why = shelf.why_not(&[skill.to_owned()]);
            let said = match why.filter(|_| shelf.get(skill).is_none()) {
                Some(why) => format!("no prompt {shown:?}: {why}"),
                None => format!("no prompt {shown:?}; prompts/list has them all"),
            };
            McpError::invalid_params(said).with_data(json!({ "name": shown }))
        })
}

/// What `prompts/list` shows of a skill that is a prompt: itself, and the prompts that it brings along.
pub(crate) fn listed(text: &SkillText) -> Vec<Value> {
    if text.manifest.is_err() {
        return Vec::new();
    }
    let metadata = &text.place.skill().metadata;
    let itself = json!({
        "name": metadata.name.as_str(),
        "description": visible(&metadata.description),
        "arguments": arguments(metadata),
    });
    let prompts = text.prompts.as_deref().unwrap_or_default();
    let further = prompts.iter().map(|prompt| {
        let arguments: Vec<_> = prompt
            .arguments
            .iter()
            .map(|argument| {
                json!({
                    "name": argument.name,
                    "description": visible(&argument.description),
                    "required": argument.required,
                })
            })
            .collect();
        json!({
            "name": format!("{}{BETWEEN}{}", text.place.key(), prompt.name),
            "description": visible(&prompt.description),
            "arguments": arguments,
        })
    });
    std::iter::once(itself).chain(further).collect()
}

/// The arguments that a skill names, or the one for all of them.
fn arguments(metadata: &SkillMetadata) -> Vec<Value> {
    let named = argument_names(&metadata.front_matter);
    if named.is_empty() {
        let hint = metadata.client.argument_hint.as_str();
        let description = if hint.is_empty() {
            "What the skill is to be applied to.".into()
        } else {
            visible(hint)
        };
        return vec![json!({ "name": WHOLE, "description": description, "required": false })];
    }
    named
        .into_iter()
        .map(|name| json!({ "name": name, "required": false }))
        .collect()
}

#[derive(Deserialize)]
struct GetParams {
    name: String,
    #[serde(default)]
    arguments: Option<BTreeMap<String, String>>,
}

fn get(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let asked: GetParams = read(params)?;
    let arguments = asked.arguments.unwrap_or_default();
    let own = shared.catalog.look(|shelf, change| {
        let (skill, further) = find(shelf, &asked.name, change)?;
        let read = skill
            .read(SKILL_FILE, change)
            .map_err(|fault| match fault {
                FileFault::NotFound => unreadable(&asked.name, "its SKILL.md is gone"),
                FileFault::LeftOut(reason) | FileFault::Failed(reason) => {
                    unreadable(&asked.name, &reason)
                }
                _ => unreadable(&asked.name, "its SKILL.md cannot be read"),
            })?;
        if let Some(prompt) = further {
            let known = prompt.arguments.iter().map(|it| it.name.as_str());
            only_known(&arguments, known)?;
            return filled(&prompt, &arguments);
        }
        let names = argument_names(&skill.skill().metadata.front_matter);
        let arguments = given(&names, &arguments)?;
        Ok(message(skill, &read.bytes, &arguments))
    })?;
    shared.results.build(call.era, &own, None, Map::new())
}

/// A text that goes nowhere is not lost in silence.
fn only_known<'n>(
    given: &BTreeMap<String, String>,
    known: impl Iterator<Item = &'n str>,
) -> Result<(), McpError> {
    let known: Vec<&str> = known.collect();
    let unknown = given.keys().find(|name| !known.contains(&name.as_str()));
    let Some(unknown) = unknown else {
        return Ok(());
    };
    let shown: String = unknown.chars().take(100).collect();
    let expected = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    Err(McpError::invalid_params(format!(
        "invalid params: this prompt has no argument {shown:?}; expected {expected}"
    )))
}

/// A prompt of a skill with its arguments put in, each once.
fn filled(prompt: &SkillPrompt, given: &BTreeMap<String, String>) -> Result<Value, McpError> {
    let missing = prompt
        .arguments
        .iter()
        .find(|argument| argument.required && !given.contains_key(&argument.name));
    if let Some(argument) = missing {
        return Err(McpError::invalid_params(format!(
            "invalid params: arguments.{} is missing; this prompt needs it",
            argument.name
        )));
    }
    let mut text = String::new();
    let mut rest = prompt.template.as_str();
    while let Some((before, from)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((name, after)) = from.split_once("}}") else {
            rest = from;
            text.push_str("{{");
            continue;
        };
        let known = prompt.arguments.iter().any(|it| it.name == name.trim());
        if known {
            text.push_str(given.get(name.trim()).map_or("", String::as_str));
            rest = after;
        } else {
            text.push_str("{{");
            rest = from;
        }
    }
    text.push_str(rest);
    Ok(json!({
        "description": visible(&prompt.description),
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}

fn message(skill: &ServedSkill, file: &[u8], arguments: &Arguments) -> Value {
    let body = String::from_utf8_lossy(body_of(file).unwrap_or(file));
    let metadata = &skill.skill().metadata;
    let base = skill.uri();
    let text = format!(
        "Skill `{name}`. Its files are resources below {base}/ ({base}/_manifest lists them).\n\n{body}",
        name = metadata.name,
        body = fill(&body, &base, arguments)
    );
    json!({
        "description": visible(&metadata.description),
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    })
}

/// The arguments of a skill, each by its name or all of them as the line that the tool `skill` takes.
fn given(names: &[String], given: &BTreeMap<String, String>) -> Result<Arguments, McpError> {
    let known = names.iter().map(String::as_str);
    only_known(given, known.chain([WHOLE]))?;
    let is_name = names.iter().any(|name| name == WHOLE);
    match given.get(WHOLE).filter(|_| !is_name) {
        None => Ok(Arguments::by_name(given, names)),
        Some(line) if given.len() == 1 => Ok(Arguments::new(line.as_str(), names)),
        Some(_) => Err(McpError::invalid_params(format!(
            "invalid params: `{WHOLE}` is the line of all arguments; pass it alone, or {} without it",
            names.join(", ")
        ))),
    }
}

fn unreadable(name: &str, reason: &str) -> McpError {
    McpError::invalid_params(format!("the prompt {name:?} cannot be had: {reason}"))
}
