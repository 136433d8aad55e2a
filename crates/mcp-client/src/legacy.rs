//! Servers without the extension: skills among their resources.
//!
//! Three shapes are known. Most list `skill://NAME/SKILL.md`, some of them beside every other file of the skill; such
//! other files are no skills. Some list `skill://NAME`, whose text is the skill. And some list nothing, but have
//! `skill://index.json`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::bounds::Bounds;
use crate::entry::{
    EntryFault, FileSet, FoundBy, RemoteFile, RemoteSkill, checked_files, checked_name,
};
use crate::offer::Finding;
use crate::uri::{SKILL_FILE, path_below, root_and_name, uri_below};

/// Where drafts of the extension kept a list.
pub(crate) const INDEX: &str = "skill://index.json";
/// The file beside SKILL.md in which `FastMCP` lists the files.
pub(crate) const MANIFEST: &str = "_manifest";
const SCHEME: &str = "skill://";

/// What a scan came to.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    pub(crate) skills: Vec<RemoteSkill>,
    pub(crate) findings: Vec<Finding>,
    /// Any URI began with `skill://`.
    pub(crate) any: bool,
}

/// Finds the skills among listed resources. Nothing is read for it.
pub(crate) fn scan(resources: &[Value]) -> Scanned {
    let mut scanned = Scanned::default();
    let mut seen = BTreeSet::new();
    for resource in resources {
        let text = |key: &str| {
            resource
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let uri = text("uri");
        let Some(path) = uri.strip_prefix(SCHEME) else {
            continue;
        };
        scanned.any = true;
        let Some(name) = name_of(uri, path) else {
            continue;
        };
        if !seen.insert(uri.to_owned()) {
            continue;
        }
        match unpromised(uri, name, text("description")) {
            Ok(skill) => scanned.skills.push(skill),
            Err(fault) => scanned.findings.push(Finding::new(uri, &fault)),
        }
    }
    scanned
}

/// Finds the skills of an index: entries with `name`, `description` and the place of SKILL.md.
pub(crate) fn of_index(index: &[u8]) -> Scanned {
    let mut scanned = Scanned::default();
    let read: Value = match serde_json::from_slice(index) {
        Ok(read) => read,
        Err(error) => {
            scanned.findings.push(Finding::new(INDEX, &error));
            return scanned;
        }
    };
    for entry in read
        .get("skills")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let place = [text("uri"), text("url")].concat();
        let uri = if place.contains("://") {
            place
        } else {
            format!(
                "{SCHEME}{}",
                place.trim_start_matches("./").trim_start_matches('/')
            )
        };
        let path = uri.strip_prefix(SCHEME).unwrap_or_default();
        let skill = name_of(&uri, path)
            .ok_or(EntryFault::Uri)
            .and_then(|name| unpromised(&uri, name, text("description")));
        match skill {
            Ok(skill) => scanned.skills.push(skill),
            Err(fault) => scanned
                .findings
                .push(Finding::new(INDEX, &format_args!("{uri}: {fault}"))),
        }
    }
    scanned
}

/// The name of the skill that a listed URI is the entry of.
fn name_of(uri: &str, path: &str) -> Option<String> {
    if let Some((_, name)) = root_and_name(uri) {
        return Some(name);
    }
    let bare = !path.contains('/') && !path.is_empty() && uri != INDEX && path != SKILL_FILE;
    bare.then(|| path.to_owned())
}

fn unpromised(uri: &str, name: String, description: &str) -> Result<RemoteSkill, EntryFault> {
    checked_name(&name)?;
    let mut front_matter = Map::new();
    front_matter.insert("name".to_owned(), name.clone().into());
    front_matter.insert("description".to_owned(), description.into());
    Ok(RemoteSkill {
        uri: uri.to_owned(),
        name,
        front_matter,
        files: FileSet::Unpromised,
        found: FoundBy::LegacyScan,
    })
}

/// The files of a manifest in `FastMCP`'s shape: `{"files": [{"path", "size", "hash"}]}`.
pub(crate) fn of_manifest(
    root: &str,
    manifest: &[u8],
    bounds: &Bounds,
) -> Result<Vec<RemoteFile>, EntryFault> {
    let field = |field, expected| EntryFault::Field { field, expected };
    let read: Value =
        serde_json::from_slice(manifest).map_err(|_| field("_manifest", "a JSON object"))?;
    let listed = read
        .get("files")
        .and_then(Value::as_array)
        .ok_or(field("_manifest.files", "a list"))?;
    if listed.len() > bounds.files {
        return Err(EntryFault::TooManyFiles(bounds.files));
    }
    let mut files = Vec::with_capacity(listed.len());
    for entry in listed {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let path = text("path").ok_or(field("_manifest.files[].path", "a text"))?;
        let uri = uri_below(root, path);
        if path_below(root, &uri).as_deref() != Some(path) {
            return Err(EntryFault::Outside(crate::entry::shown(path)));
        }
        files.push(RemoteFile {
            uri,
            path: path.to_owned(),
            digest: text("hash")
                .ok_or(field("_manifest.files[].hash", "a text"))?
                .to_owned(),
            size: entry
                .get("size")
                .and_then(Value::as_u64)
                .ok_or(field("_manifest.files[].size", "a number of bytes"))?,
        });
    }
    checked_files(root, files, bounds)
}
