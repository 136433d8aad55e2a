//! `read_skill_file`: a file of a skill, for clients that know tools and no resources.

use std::ops::Range;

use metier_loader::ManifestFile;
use metier_tool::{Content, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::on_disk::on_disk;
use super::skill::refusal;
use super::{Own, reads, refuse, refuse_no_skill};
use crate::catalog::SkillCatalog;
use crate::shelf::{
    FileBody, FileChange, FileContents, FileFault, SKILL_FILE, ServedFile, ServedSkill, SkillShelf,
};
use crate::skill_set::rejection;

/// The most bytes of a file that go into an answer; a model's attention ends long before.
const LARGEST: u64 = 1 << 20;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// The skill's name as lists show it, or the id of one that another of its name shadows.
    skill_name: String,
    /// A file of the skill, as the answer for SKILL.md lists them. SKILL.md when it is left out.
    #[serde(default)]
    path: Option<String>,
    /// For a part of the file: the byte that it begins at; the first one is 0, the next is `next_offset` of the answer.
    #[serde(default)]
    offset: Option<u64>,
    /// For a part of the file: how many bytes; 1 MiB when it is left out, and no more. A text ends at a whole character.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_048_576))]
    length: Option<u64>,
    /// The `digest` of an earlier part: where the file is another one by now, that is said instead of a part of it.
    #[serde(default)]
    digest: Option<String>,
}

impl Input {
    /// The bytes that are asked for, where it is a part.
    fn part(&self) -> Option<Range<u64>> {
        if self.offset.is_none() && self.length.is_none() {
            return None;
        }
        let offset = self.offset.unwrap_or_default();
        let length = self.length.unwrap_or(LARGEST).min(LARGEST);
        Some(offset..offset.saturating_add(length))
    }
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The same file as a resource.
    uri: String,
    /// Its type.
    #[serde(rename = "mimeType")]
    mime_type: &'static str,
    /// The length of the whole file in bytes.
    size: u64,
    /// SHA-256 of the whole file.
    digest: String,
    /// Of a part: the byte that it begins at.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// Of a part: how many bytes it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    /// Where the next part begins, as long as there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// With SKILL.md: the skill's other files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<OtherFile>,
}

#[derive(Serialize, JsonSchema)]
struct OtherFile {
    /// What `path` takes.
    path: String,
    /// Its length in bytes.
    size: u64,
}

pub(super) fn tool(own: Own) -> ToolSpec {
    ToolSpec::new("read_skill_file", on_disk(own, run))
        .schemas_of::<Input, Output>()
        .title("Read a file of a skill")
        .description(
            "The instructions of a skill (its SKILL.md, with a list of its other files), or another one of its files. \
             The skill need not be loaded. A file of more than 1 MiB is read in parts (offset, length).",
        )
        .annotations(reads())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the form of a tool's function"
)]
fn run(
    catalog: &SkillCatalog,
    input: Input,
    session: Option<String>,
) -> Result<ToolOutput, ToolError> {
    // The instructions are what `skill` gives, under the same rules; files beside them may belong to instructions that a
    // person has asked for.
    let is_text = input.path.as_deref().is_none_or(|path| path == SKILL_FILE);
    let refused = || {
        let error = catalog.text_refusal(&input.skill_name, session.clone())?;
        Some(refusal(&input.skill_name, &error))
    };
    catalog.look(|shelf, change| {
        let skill = shelf.by_key_or_id(&input.skill_name);
        if is_text && let Some(error) = refused() {
            // Its SKILL.md may say something else by now.
            skill.map(|skill| skill.manifest(change));
            return Err(error);
        }
        let Some(skill) = skill else {
            return Err(no_skill(catalog, shelf, &input.skill_name));
        };
        shelf.note_asked(skill);
        let path = input.path.as_deref().unwrap_or(SKILL_FILE);
        let file = skill
            .read(path, change)
            .map_err(|fault| no_file(skill, path, &fault, change))?;
        // The same text under another name: a link to it, or a copy.
        if !is_text
            && is_instructions(skill, &file, change)
            && let Some(error) = refused()
        {
            return Err(error);
        }
        if input
            .digest
            .as_ref()
            .is_some_and(|known| *known != file.file.digest.to_string())
        {
            return Err(changed(skill, path, &file));
        }
        match input.part() {
            None => whole(skill, path, file, change),
            Some(asked) => part(skill, path, file, asked, change),
        }
    })
}

fn is_instructions(skill: &ServedSkill, read: &ServedFile, change: &mut FileChange) -> bool {
    let manifest = skill.manifest(change);
    let manifest = manifest.as_ref().as_ref().ok();
    let instructions = manifest.and_then(|manifest| manifest.get(SKILL_FILE));
    instructions.is_some_and(|file| file.digest == read.file.digest)
}

fn whole(
    skill: &ServedSkill,
    path: &str,
    read: ServedFile,
    change: &mut FileChange,
) -> Result<ToolOutput, ToolError> {
    let uri = skill.uri_of(path);
    if read.file.size > LARGEST {
        let error = format!(
            "{path} has {} bytes, more than the {LARGEST} of an answer; read it in parts, the first with offset=0, or as the \
             resource {uri}",
            read.file.size
        );
        return Err(refuse("too_large", &error, facts_of(skill, path, &read)));
    }
    let contents = FileContents::of(path, read.bytes);
    let content = match contents.body {
        FileBody::Text(text) => Content::text(text),
        FileBody::Blob(blob) => item(&uri, contents.mime, &blob)?,
    };
    let output = Output {
        mime_type: contents.mime,
        size: read.file.size,
        digest: read.file.digest.to_string(),
        offset: None,
        length: None,
        next_offset: None,
        files: others(skill, path, change),
        uri,
    };
    Ok(structured(vec![content], output))
}

/// A part of a file. What there is to say of it stands beside it as text as well, for a model that is shown nothing else.
fn part(
    skill: &ServedSkill,
    path: &str,
    read: ServedFile,
    asked: Range<u64>,
    change: &mut FileChange,
) -> Result<ToolOutput, ToolError> {
    let ManifestFile { size, digest, .. } = &read.file;
    if asked.start > *size {
        let error = format!(
            "offset {} is beyond the end of {path}, which has {size} bytes",
            asked.start
        );
        return Err(refuse(
            "beyond_the_end",
            &error,
            facts_of(skill, path, &read),
        ));
    }
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (contents, part) =
        FileContents::part(path, read.bytes, bytes(asked.start)..bytes(asked.end));
    let (start, end) = (part.start as u64, part.end as u64);
    let uri = skill.uri_of(path);
    let content = match contents.body {
        FileBody::Text(text) => Content::text(text),
        // A part of a picture is none.
        FileBody::Blob(blob) => resource(&uri, contents.mime, &blob)?,
    };
    let next_offset = (end < *size).then_some(end);
    let goes_on = match next_offset {
        Some(next) => format!("; the next part: offset={next}, digest={digest}"),
        None => "; the file ends here".to_owned(),
    };
    let said = format!("(From byte {start} to byte {end} of {size}{goes_on})");
    let output = Output {
        mime_type: contents.mime,
        size: *size,
        digest: digest.to_string(),
        offset: Some(start),
        length: Some(end - start),
        next_offset,
        files: if start == 0 {
            others(skill, path, change)
        } else {
            Vec::new()
        },
        uri,
    };
    Ok(structured(vec![content, Content::text(said)], output))
}

fn structured(content: Vec<Content>, output: Output) -> ToolOutput {
    let mut answer = ToolOutput::content(content);
    answer.structured = match serde_json::to_value(output) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    };
    answer
}

/// What is not text goes in the form that clients show.
fn item(uri: &str, mime: &str, blob: &str) -> Result<Content, ToolError> {
    let kind = mime.split('/').next().unwrap_or_default();
    match kind {
        "image" | "audio" => content(json!({ "type": kind, "data": blob, "mimeType": mime })),
        _ => resource(uri, mime, blob),
    }
}

fn resource(uri: &str, mime: &str, blob: &str) -> Result<Content, ToolError> {
    content(json!({
        "type": "resource",
        "resource": { "uri": uri, "mimeType": mime, "blob": blob },
    }))
}

fn content(item: Value) -> Result<Content, ToolError> {
    Content::from_json(item).map_err(|error| ToolError::Failed(error.to_string()))
}

fn others(skill: &ServedSkill, path: &str, change: &mut FileChange) -> Vec<OtherFile> {
    if path != SKILL_FILE {
        return Vec::new();
    }
    let manifest = skill.manifest(change);
    let files = manifest
        .as_ref()
        .as_ref()
        .map_or(&[][..], |known| &known.files);
    files
        .iter()
        .filter(|file| *file.path != *SKILL_FILE)
        .map(|file| OtherFile {
            path: file.path.to_string(),
            size: file.size,
        })
        .collect()
}

fn no_skill(catalog: &SkillCatalog, shelf: &SkillShelf, name: &str) -> ToolError {
    let mut facts = Map::new();
    facts.insert("skill_name".to_owned(), Value::from(name));
    if let Some(reason) = shelf.why_left_out_by_name_or_id(name) {
        let error = format!("the files of `{name}` are not served: {reason}");
        return refuse("not_served", &error, facts);
    }
    let snapshot = catalog.snapshot();
    if let Some(reason) = rejection(&snapshot.parts.skills.rejected, name) {
        let error = format!("the skill `{name}` was found and rejected: {reason}");
        return refuse("rejected", &error, facts);
    }
    refuse_no_skill(&snapshot.no_skill(name), facts)
}

fn no_file(
    skill: &ServedSkill,
    path: &str,
    fault: &FileFault,
    change: &mut FileChange,
) -> ToolError {
    let mut facts = facts(skill, path);
    match fault {
        FileFault::NotFound => {
            let known: Vec<_> = others(skill, SKILL_FILE, change)
                .into_iter()
                .map(|file| file.path)
                .collect();
            let error = format!(
                "`{}` has no file {path:?}; without `path` the answer lists all of its files",
                skill.key()
            );
            facts.insert("files".to_owned(), json!(known));
            refuse("unknown_file", &error, facts)
        }
        FileFault::LeftOut(reason) => {
            let error = format!("the files of `{}` are not served: {reason}", skill.key());
            refuse("not_served", &error, facts)
        }
        FileFault::Failed(reason) => refuse("unreadable", &format!("{path:?}: {reason}"), facts),
    }
}

/// Parts of two files make none.
fn changed(skill: &ServedSkill, path: &str, read: &ServedFile) -> ToolError {
    let error = format!(
        "{path} is another file than the one with the digest that was given: it has {} bytes and the digest {} now; read it \
         again from the beginning",
        read.file.size, read.file.digest
    );
    refuse("changed", &error, facts_of(skill, path, read))
}

fn facts_of(skill: &ServedSkill, path: &str, read: &ServedFile) -> Map<String, Value> {
    let mut facts = facts(skill, path);
    facts.insert("size".to_owned(), Value::from(read.file.size));
    facts.insert(
        "digest".to_owned(),
        Value::from(read.file.digest.to_string()),
    );
    facts
}

fn facts(skill: &ServedSkill, path: &str) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("skill_name".to_owned(), Value::from(skill.key()));
    facts.insert("path".to_owned(), Value::from(path));
    facts
}
