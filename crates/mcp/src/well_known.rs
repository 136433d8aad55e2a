//! The skills as plain files for installers: `/.well-known/agent-skills/`, version 0.2.0 of that
//! convention.

use bytes::Bytes;
use serde_json::json;

use crate::McpServer;
use crate::shared::Shared;
use crate::shelf::{Body, Contents, SKILL_FILE, encoded, parse};

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
            bytes: index(shared).into(),
        });
    }
    let segments = parse(&format!("skill://{path}")).ok()?;
    let shelf = shared.shelf();
    let (skill, path) = shelf.locate(&segments)?;
    let read = skill.read(&path).ok()?;
    shared.heed(read.change);
    let bytes = Bytes::from(read.bytes);
    let contents = Contents::of(&path, bytes.to_vec());
    let mime = match (contents.body, contents.mime) {
        // What a browser would run is shown as text instead.
        (Body::Text(_), "text/markdown") => "text/markdown; charset=utf-8",
        (Body::Text(_), "application/json") => "application/json",
        (Body::Text(_), _) => "text/plain; charset=utf-8",
        (Body::Blob(_), mime) => mime,
    };
    Some(SkillFile { mime, bytes })
}

fn index(shared: &Shared) -> String {
    let shelf = shared.shelf();
    let skills: Vec<_> = shelf
        .listed_after("")
        .filter(|skill| !skill.key.contains('/'))
        .filter_map(|skill| {
            let (checked, _) = skill.check();
            let file = checked.manifest.as_ref().ok()?.get(SKILL_FILE)?;
            Some(json!({
                "name": skill.key,
                "type": "skill-md",
                "description": skill.skill.metadata.description,
                "url": format!("{AGENT_SKILLS_PATH}{}/{SKILL_FILE}", encoded(&skill.key)),
                "digest": file.digest,
            }))
        })
        .collect();
    json!({ "$schema": SCHEMA, "skills": skills }).to_string()
}
