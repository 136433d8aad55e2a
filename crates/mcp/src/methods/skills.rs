//! `skills/list`, `skills/get` and `resources/directory/read`: skills over MCP (SEP-2640).

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use metier_catalog::{
    FileChange, SKILL_FILE, ServedSkill, SkillPlace, SkillShelf, SkillText, mime_of,
    parse_skill_uri,
};
use metier_loader::{FileDigest, FileManifest, ManifestFile};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::resources::{Entry, annotations, file_segments, no_such, uri_of};
use super::{blocking, read};
use crate::call::Call;
use crate::cursor;
use crate::error::McpError;
use crate::notices::ListKind;
use crate::result::CacheHints;
use crate::shared::Shared;
use crate::table::{Eras, Feature};

/// How many skills a page holds.
const PAGE: usize = 50;
const LIST: &str = "skills";
/// How many rejected skills a list names: a folder full of other things may hold any number.
const MOST_REJECTED: usize = 100;
/// The type of a folder.
const FOLDER: &str = "inode/directory";

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(Eras::Both, "skills/list", |shared, call, params| {
        blocking(shared, call, params, list)
    });
    feature.works(Eras::Both, "skills/get", |shared, call, params| {
        blocking(shared, call, params, get)
    });
    feature.works(
        Eras::Both,
        "resources/directory/read",
        |shared, call, params| blocking(shared, call, params, directory),
    );
    feature
}

#[derive(Deserialize)]
struct ListParams {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize)]
struct Skill<'a> {
    uri: String,
    frontmatter: &'a Map<String, Value>,
    resources: Vec<File>,
}

#[derive(Serialize)]
struct File {
    uri: String,
    digest: FileDigest,
    size: u64,
}

fn list(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let asked: ListParams = read(params)?;
    let last = cursor::last_seen(LIST, asked.cursor.as_deref())?;
    let (own, left_out, more_rejected) = shared
        .catalog
        .look(|shelf, change| Ok::<_, McpError>(page(shelf, &last, change)))?;
    if let Some(session) = &call.session {
        session.notices.listed(ListKind::Resources);
    }
    let mut meta = Map::new();
    if !left_out.is_empty() {
        let mut dcc = json!({ "left_out": left_out });
        if let (more @ 1.., Some(dcc)) = (more_rejected, dcc.as_object_mut()) {
            dcc.insert("more_rejected".into(), more.into());
        }
        meta.insert("dcc".into(), dcc);
    }
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), meta)
}

/// One page, why skills are not on it, and how many more are rejected.
fn page(
    shelf: &SkillShelf,
    last: &str,
    change: &mut FileChange,
) -> (Map<String, Value>, LeftOut, usize) {
    let mut left_out = LeftOut::new();
    let mut more_rejected = 0;
    if last.is_empty() {
        let rejected = shelf.why_rejected();
        let named = rejected.iter().take(MOST_REJECTED);
        left_out.extend(named.map(|(key, reason)| (key.clone(), reason.clone())));
        more_rejected = rejected.len().saturating_sub(MOST_REJECTED);
        let reasons = shelf.left_out();
        left_out.extend(reasons.map(|(key, reason)| (key.to_owned(), reason.to_owned())));
        left_out.extend(shelf.why_shadowed(change));
    }
    let page = shelf.page(last, PAGE, SkillPlace::is_listed, ServedSkill::text, change);
    let mut skills = Vec::with_capacity(page.skills.len());
    for text in &page.skills {
        match listed(text) {
            Ok(skill) => skills.push(skill),
            Err(reason) => {
                left_out.insert(text.place.key().to_owned(), reason.to_owned());
            }
        }
    }
    let mut own = Map::new();
    own.insert("skills".into(), skills.into());
    if let Some(last) = page.next() {
        own.insert("nextCursor".into(), cursor::after(LIST, last).into());
    }
    (own, left_out, more_rejected)
}

type LeftOut = BTreeMap<String, String>;

/// What `skills/list` shows of a skill, or why it leaves it out.
pub(crate) fn listed(text: &SkillText) -> Result<Value, &str> {
    let manifest = text.manifest.as_ref().as_ref();
    manifest
        .map(|manifest| json!(entry(&text.place, manifest)))
        .map_err(String::as_str)
}

fn entry<'a>(skill: &'a SkillPlace, manifest: &'a FileManifest) -> Skill<'a> {
    Skill {
        uri: skill.entry_uri(),
        frontmatter: &skill.skill().metadata.front_matter,
        resources: manifest
            .files
            .iter()
            .map(|file| File {
                uri: skill.uri_of(&file.path),
                digest: file.digest,
                size: file.size,
            })
            .collect(),
    }
}

fn get(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let uri = uri_of(params)?;
    let segments = file_segments(&uri)?;
    let own = shared.catalog.look(|shelf, change| {
        let (skill, path) = find(shelf, &uri, &segments)?;
        let manifest = skill.manifest(change);
        let manifest = manifest.as_ref().as_ref();
        if path != SKILL_FILE {
            let known = manifest.is_ok_and(|manifest| manifest.get(&path).is_some());
            let name = path.rsplit_once('/').map(|(_, name)| name);
            if known && name.is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE)) {
                let key = skill.key();
                let why = format!("a SKILL.md inside `{key}` is a file of it, no skill of its own");
                return Err(no_such(&uri, &why));
            }
            return Err(no_such(&uri, "expected the URI of a skill's SKILL.md"));
        }
        let manifest = manifest.map_err(|reason| no_such(&uri, reason))?;
        Ok(json!({ "skill": entry(skill, manifest) }))
    })?;
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), Map::new())
}

/// The skill that a URI leads into, and the path below it.
fn find<'s>(
    shelf: &'s SkillShelf,
    uri: &str,
    segments: &[String],
) -> Result<(&'s Arc<ServedSkill>, String), McpError> {
    shelf
        .locate(segments)
        .ok_or_else(|| unknown(shelf, uri, segments))
}

/// A skill that is known says why it is not there.
pub(super) fn unknown(shelf: &SkillShelf, uri: &str, segments: &[String]) -> McpError {
    match shelf.why_not(segments) {
        Some(why) => no_such(uri, &why),
        None => no_such(uri, "there is no such skill"),
    }
}

#[derive(Deserialize)]
struct DirectoryParams {
    #[serde(default)]
    cursor: Option<String>,
}

fn directory(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let uri = uri_of(params)?;
    let asked: DirectoryParams = read(params)?;
    let last = cursor::last_seen(&uri, asked.cursor.as_deref())?;
    let segments = parse_skill_uri(&uri).map_err(|why| no_such(&uri, &why))?;
    let resources = shared.catalog.look(|shelf, change| {
        let (skill, folder) = find(shelf, &uri, &segments)?;
        let manifest = skill.manifest(change);
        let manifest = manifest.as_ref().as_ref();
        let manifest = manifest.map_err(|reason| no_such(&uri, reason))?;
        let children = children(skill, manifest, &folder, &last);
        if children.is_empty() {
            return Err(no_such(&uri, "it is no folder of a skill"));
        }
        Ok(children)
    })?;
    let own = json!({ "resources": resources });
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), Map::new())
}

/// What lies directly in a folder, after the entry of that name.
fn children(skill: &ServedSkill, manifest: &FileManifest, folder: &str, last: &str) -> Vec<Value> {
    let prefix = if folder.is_empty() {
        String::new()
    } else {
        format!("{folder}/")
    };
    let mut children: BTreeMap<&str, Option<&ManifestFile>> = BTreeMap::new();
    for file in &manifest.files {
        if let Some(below) = file.path.strip_prefix(&prefix) {
            match below.split_once('/') {
                Some((name, _)) => children.insert(name, None),
                None => children.insert(below, Some(file)),
            };
        }
    }
    children
        .into_iter()
        .filter(|(name, _)| *name > last)
        .map(|(name, file)| {
            json!(Entry {
                uri: skill.uri_of(&format!("{prefix}{name}")),
                name,
                title: None,
                description: None,
                mime: match file {
                    Some(file) => Some(mime_of(&file.path, &file.start)),
                    None => Some(FOLDER),
                },
                size: file.map(|file| file.size),
                annotations: file
                    .map(|file| annotations(&skill.skill().metadata, file))
                    .unwrap_or_default(),
                meta: Map::new(),
            })
        })
        .collect()
}
