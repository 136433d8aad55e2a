//! The skills as plain files for installers: `/.well-known/agent-skills/`, version 0.2.0 of that
//! convention.

use std::convert::Infallible;

use bytes::Bytes;
use metier_catalog::{
    FileBody, FileChange, FileContents, FileFault, SKILL_FILE, ServedSkill, SkillPlace, SkillShelf,
    encode_skill_path, parse_skill_uri,
};
use metier_skill_protocol::visible;
use serde_json::json;

use crate::McpServer;
use crate::shared::Shared;

/// Where the files lie on a server.
pub const AGENT_SKILLS_PATH: &str = "/.well-known/agent-skills/";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX: &str = "index.json";

/// One file for an installer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFile {
    /// Its type, for `Content-Type`.
    pub mime: &'static str,
    /// The file as it lies in the skill.
    pub bytes: Bytes,
}

impl McpServer {
    /// A file below [`AGENT_SKILLS_PATH`]: `index.json`, or `NAME/PATH` with escapes as in a URI.
    /// `None` when no such file is served.
    pub async fn agent_skills(&self, path: &str) -> Option<SkillFile> {
        let server = self.clone();
        let path = path.to_owned();
        let work = move || file(&server.inner.shared, &path);
        tokio::task::spawn_blocking(work).await.ok().flatten()
    }
}

fn file(shared: &Shared, path: &str) -> Option<SkillFile> {
    if path == INDEX {
        return Some(SkillFile {
            mime: "application/json",
            bytes: shared
                .catalog
                .look(|shelf, change| Ok::<_, Infallible>(index(shelf, change)))
                .ok()?
                .into(),
        });
    }
    // A `/` at the end is a folder's.
    if path.ends_with('/') {
        return None;
    }
    let segments = parse_skill_uri(&format!("skill://{path}")).ok()?;
    let (path, read) = shared
        .catalog
        .look(|shelf, change| {
            let (skill, path) = shelf.locate(&segments).ok_or(FileFault::NotFound)?;
            let read = skill.read(&path, change)?;
            Ok::<_, FileFault>((path, read))
        })
        .ok()?;
    let bytes = Bytes::from(read.bytes);
    let contents = FileContents::of(&path, bytes.to_vec());
    let mime = match (contents.body, contents.mime) {
        // What a browser would run is shown as text instead.
        (FileBody::Text(_), "text/markdown") => "text/markdown; charset=utf-8",
        (FileBody::Text(_), "application/json") => "application/json",
        (FileBody::Text(_), _) => "text/plain; charset=utf-8",
        (FileBody::Blob(_), mime) => mime,
    };
    Some(SkillFile { mime, bytes })
}

fn index(shelf: &SkillShelf, change: &mut FileChange) -> String {
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
        .filter_map(|text| {
            let file = text.manifest.as_ref().as_ref().ok()?.get(SKILL_FILE)?;
            let key = text.place.key();
            Some(json!({
                "name": key,
                "type": "skill-md",
                "description": visible(&text.place.skill().metadata.description),
                "url": format!("{AGENT_SKILLS_PATH}{}/{SKILL_FILE}", encode_skill_path(key)),
                "digest": file.digest,
            }))
        })
        .collect();
    json!({ "$schema": SCHEMA, "skills": skills }).to_string()
}
