//! `resources/list`, `resources/templates/list` and `resources/read`, over the skills' files.
//!
//! Only each skill's `SKILL.md` is listed, because some clients read whatever is listed. Every other
//! file is read by its URI.

use std::sync::Arc;

use bytes::Bytes;
use metier_catalog::{
    FileBody, FileChange, FileContents, FileFault, SKILL_FILE, ServedSkill, SkillPlace, SkillShelf,
    SkillText, parse_skill_uri,
};
use metier_loader::{FileDigest, FileManifest, ManifestFile, utc};
use metier_skill_model::SkillMetadata;
use metier_skill_protocol::visible;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::skills;
use super::{blocking, listing, read};
use crate::call::Call;
use crate::cursor;
use crate::error::McpError;
use crate::notices::ListKind;
use crate::result::CacheHints;
use crate::shared::Shared;
use crate::table::{Eras, Feature};

/// How many resources a page holds. Scanners look at the first page alone.
const PAGE: usize = 1_000;
const LIST: &str = "resources";
/// Every skill in one file, for hosts of the drafts.
const INDEX: &str = "index.json";
/// Every file of one skill in one file, for clients that know that form.
const MANIFEST: &str = "_manifest";
/// Where a resource carries its digest; the extension wants its own prefix for what belongs to skills.
const DIGEST: &str = "io.modelcontextprotocol.skills/digest";
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// A `Resource` as lists show it.
#[derive(Serialize)]
pub(super) struct Entry<'a> {
    pub(super) uri: String,
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub(super) mime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<u64>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) annotations: Map<String, Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub(super) meta: Map<String, Value>,
}

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.works(Eras::Both, "resources/list", |shared, call, params| {
        blocking(shared, call, params, list)
    });
    feature.answers(Eras::Both, "resources/templates/list", templates);
    feature.works(Eras::Both, "resources/read", |shared, call, params| {
        blocking(shared, call, params, read_resource)
    });
    feature
}

#[derive(Deserialize)]
struct ListParams {
    #[serde(default)]
    cursor: Option<String>,
}

/// `params.uri`.
pub(super) fn uri_of(params: &str) -> Result<String, McpError> {
    #[derive(Deserialize)]
    struct Named {
        uri: String,
    }
    read::<Named>(params).map(|named| named.uri)
}

/// The segments of the URI of a file. A `/` at the end is a folder's.
pub(super) fn file_segments(uri: &str) -> Result<Vec<String>, McpError> {
    let segments = parse_skill_uri(uri).map_err(|why| no_such(uri, &why))?;
    if uri.ends_with('/') && segments.len() > 1 {
        return Err(no_such(uri, "the URI of a file has no `/` at its end"));
    }
    Ok(segments)
}

/// No such resource, or none that is served.
pub(super) fn no_such(uri: &str, why: &str) -> McpError {
    let shown: String = uri.chars().take(200).collect();
    McpError::invalid_params(format!("no resource {shown:?}: {why}"))
        .with_data(json!({ "uri": shown }))
}

fn list(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let asked: ListParams = read(params)?;
    let last = cursor::last_seen(LIST, asked.cursor.as_deref())?;
    let own = shared
        .catalog
        .look(|shelf, change| Ok::<_, McpError>(page(shelf, &last, change)))?;
    if let Some(session) = &call.session {
        session.notices.listed(ListKind::Resources);
    }
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), Map::new())
}

fn page(shelf: &SkillShelf, last: &str, change: &mut FileChange) -> Map<String, Value> {
    let page = shelf.page(last, PAGE, SkillPlace::is_listed, ServedSkill::text, change);
    let resources: Vec<_> = page.skills.iter().filter_map(listed).collect();
    let mut own = Map::new();
    own.insert("resources".into(), resources.into());
    if let Some(last) = page.next() {
        own.insert("nextCursor".into(), cursor::after(LIST, last).into());
    }
    own
}

/// What `resources/list` shows of a skill.
pub(crate) fn listed(text: &SkillText) -> Option<Value> {
    let file = text.manifest.as_ref().as_ref().ok()?.get(SKILL_FILE)?;
    let metadata = &text.place.skill().metadata;
    let description = visible(&metadata.description);
    let entry = Entry {
        uri: text.place.entry_uri(),
        name: &metadata.name,
        title: None,
        description: Some(&description),
        mime: Some(MARKDOWN),
        size: Some(file.size),
        annotations: annotations(metadata, file),
        meta: digest_meta(file.digest),
    };
    serde_json::to_value(entry).ok()
}

/// For whom a file is, how much it matters among the files of its skill, and how old it is.
pub(super) fn annotations(metadata: &SkillMetadata, file: &ManifestFile) -> Map<String, Value> {
    let client = &metadata.client;
    let mut audience = Vec::new();
    if client.user_invocable != Some(false) {
        audience.push("user");
    }
    if !client.disable_model_invocation {
        audience.push("assistant");
    }
    let mut found = Map::new();
    if !audience.is_empty() {
        found.insert("audience".into(), audience.into());
    }
    if *file.path == *SKILL_FILE {
        // Without the instructions nothing else of the skill makes sense.
        found.insert("priority".into(), 1.0.into());
    }
    if let Some(time) = file.modified.and_then(utc) {
        found.insert("lastModified".into(), time.into());
    }
    found
}

fn digest_meta(digest: FileDigest) -> Map<String, Value> {
    let mut meta = Map::new();
    meta.insert(DIGEST.to_owned(), digest.to_string().into());
    meta
}

fn templates(shared: &Shared, call: &Arc<Call>, params: &str) -> Result<Bytes, McpError> {
    let asked: ListParams = read(params)?;
    cursor::last_seen("templates", asked.cursor.as_deref())?;
    let own = json!({ "resourceTemplates": [{
        "uriTemplate": TEMPLATE,
        "name": "skill-file",
        "title": "A file of a skill",
        "description": "Any file of a skill: NAME/SKILL.md has the instructions, NAME/_manifest lists the files.",
    }]});
    shared
        .results
        .build(call.era, &own, Some(CacheHints::SERVER), Map::new())
}

/// The template of every file.
pub(super) const TEMPLATE: &str = "skill://{+path}";

fn read_resource(shared: &Shared, call: &Call, params: &str) -> Result<Bytes, McpError> {
    let uri = uri_of(params)?;
    if uri == listing::URI {
        let own = json!({ "contents": [listing::contents(shared)] });
        let hints = Some(CacheHints::LIST);
        return shared.results.build(call.era, &own, hints, Map::new());
    }
    let segments = file_segments(&uri)?;
    let content = shared
        .catalog
        .look(|shelf, change| read_from(shelf, &uri, &segments, change))?;
    let own = json!({ "contents": [content] });
    shared
        .results
        .build(call.era, &own, Some(CacheHints::LIST), Map::new())
}

fn read_from(
    shelf: &SkillShelf,
    uri: &str,
    segments: &[String],
    change: &mut FileChange,
) -> Result<Value, McpError> {
    let Some((skill, path)) = shelf.locate(segments) else {
        if segments == [INDEX] && !uri.ends_with('/') {
            return Ok(generated(uri, &index(shelf, change)));
        }
        return Err(skills::unknown(shelf, uri, segments));
    };
    match skill.read(&path, change) {
        Ok(read) => {
            let digest = digest_meta(read.file.digest);
            Ok(content(uri, FileContents::of(&path, read.bytes), digest))
        }
        Err(FileFault::NotFound) if path == MANIFEST => {
            let manifest = skill.manifest(change);
            let manifest = manifest.as_ref().as_ref();
            let manifest = manifest.map_err(|reason| no_such(uri, reason))?;
            Ok(generated(uri, &manifest_of(skill, manifest)))
        }
        Err(FileFault::NotFound) => {
            let manifest = skill.manifest(change);
            let files = manifest.as_ref().as_ref().map(|known| &known.files[..]);
            let below = format!("{path}/");
            let mut files = files.unwrap_or_default().iter();
            let is_folder = path.is_empty() || files.any(|file| file.path.starts_with(&below));
            Err(no_such(
                uri,
                if is_folder {
                    "it is a folder; resources/directory/read lists it"
                } else {
                    "the skill has no such file"
                },
            ))
        }
        Err(FileFault::LeftOut(reason)) => {
            let why = format!("the skill is known and not served: {reason}");
            Err(no_such(uri, &why))
        }
        Err(FileFault::Failed(reason)) => Err(no_such(uri, &reason)),
        Err(_) => Err(no_such(uri, "it cannot be read")),
    }
}

fn content(uri: &str, contents: FileContents, meta: Map<String, Value>) -> Value {
    let mut content = Map::new();
    content.insert("uri".into(), uri.into());
    content.insert("mimeType".into(), contents.mime.into());
    match contents.body {
        FileBody::Text(text) => content.insert("text".into(), text.into()),
        FileBody::Blob(blob) => content.insert("blob".into(), blob.into()),
    };
    if !meta.is_empty() {
        content.insert("_meta".into(), meta.into());
    }
    content.into()
}

fn generated(uri: &str, text: &Value) -> Value {
    json!({ "uri": uri, "mimeType": JSON, "text": text.to_string() })
}

fn manifest_of(skill: &ServedSkill, manifest: &FileManifest) -> Value {
    let files: Vec<_> = manifest
        .files
        .iter()
        .map(|file| json!({ "path": file.path, "size": file.size, "hash": file.digest }))
        .collect();
    json!({ "skill": skill.skill().metadata.name.as_str(), "files": files })
}

fn index(shelf: &SkillShelf, change: &mut FileChange) -> Value {
    let skills: Vec<_> = shelf
        .page(
            "",
            usize::MAX,
            SkillPlace::is_listed,
            ServedSkill::text,
            change,
        )
        .skills
        .into_iter()
        .filter(|text| text.manifest.is_ok())
        .map(|text| {
            let metadata = &text.place.skill().metadata;
            json!({
                "name": metadata.name.as_str(),
                "type": "skill-md",
                "description": visible(&metadata.description),
                "url": text.place.entry_uri(),
            })
        })
        .collect();
    json!({ "skills": skills })
}
