//! `completion/complete`: what a client may offer while somebody types.

use std::sync::Arc;

use bytes::Bytes;
use metier_catalog::{
    CatalogSnapshot, FileChange, SKILL_FILE, SkillShelf, encode_skill_path, parse_skill_uri,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::prompts;
use super::resources::{TEMPLATE, no_such};
use super::{blocking, read};
use crate::call::Call;
use crate::error::McpError;
use crate::shared::Shared;
use crate::table::{Eras, Feature};

/// How many values an answer may have.
const MOST: usize = 100;

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(Eras::Both, "completion/complete", |shared, call, params| {
        blocking(shared, call, params, complete)
    });
    feature
}

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "ref")]
    reference: Reference,
    argument: Argument,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

fn complete(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let asked: Params = read(params)?;
    let typed = &asked.argument.value;
    let known = shared
        .catalog
        .look(|shelf, change| match &asked.reference {
            Reference::Prompt { name } => {
                prompts::find(shelf, name, change)?;
                Ok(by_meaning(&shared.catalog.snapshot(), &asked.argument.name))
            }
            Reference::Resource { uri } if uri == TEMPLATE => {
                if asked.argument.name == "path" {
                    Ok(paths(shelf, typed, change))
                } else {
                    Ok(Vec::new())
                }
            }
            Reference::Resource { uri } if parse_skill_uri(uri).is_ok() => Ok(Vec::new()),
            Reference::Resource { uri } => {
                Err(no_such(uri, &format!("the only template is {TEMPLATE}")))
            }
        })?;
    let found = matching(known, typed);
    let own = json!({ "completion": {
        "total": found.len(),
        "hasMore": found.len() > MOST,
        "values": found.iter().take(MOST).collect::<Vec<_>>(),
    }});
    shared.results.build(call.era, &own, None, Map::new())
}

/// What an argument means can be seen by its name alone.
fn by_meaning(snapshot: &CatalogSnapshot, argument: &str) -> Vec<String> {
    match argument.to_ascii_lowercase().replace('-', "_").as_str() {
        "skill" | "skills" | "skill_name" => snapshot
            .shelf()
            .listed()
            .map(|skill| skill.key().to_owned())
            .collect(),
        "tool" | "tools" | "tool_name" => {
            let tools = snapshot.tools().iter();
            tools
                .filter(|tool| tool.annotations.get("deferredHint") != Some(&Value::Bool(true)))
                .map(|tool| tool.name.clone())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The way into a skill, and the files of the one that is typed already.
fn paths(shelf: &SkillShelf, typed: &str, change: &mut FileChange) -> Vec<String> {
    let inside = shelf.all_after("").find(|skill| {
        typed
            .strip_prefix(skill.key())
            .is_some_and(|rest| rest.starts_with('/'))
    });
    match inside {
        Some(skill) => match skill.manifest(change).as_ref() {
            Ok(manifest) => manifest
                .files
                .iter()
                .map(|file| format!("{}/{}", skill.key(), encode_skill_path(&file.path)))
                .collect(),
            Err(_) => Vec::new(),
        },
        None => shelf
            .listed()
            .map(|skill| format!("{}/{SKILL_FILE}", skill.key()))
            .collect(),
    }
}

/// Those that begin with what is typed, then those that hold it.
fn matching(known: Vec<String>, typed: &str) -> Vec<String> {
    let typed = typed.to_lowercase();
    let (mut first, rest): (Vec<_>, Vec<_>) = known
        .into_iter()
        .partition(|value| value.to_lowercase().starts_with(&typed));
    first.extend(
        rest.into_iter()
            .filter(|value| value.to_lowercase().contains(&typed)),
    );
    first
}
