//! One skill as its server lists it, checked before any file of it is read.

use std::collections::BTreeSet;

use metier_skill_model::SkillName;
use metier_skill_protocol::{Effect, effects};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::bounds::Bounds;
use crate::uri::{SKILL_FILE, path_below, root_and_name};

/// A skill of another server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RemoteSkill {
    /// The URI of its SKILL.md.
    pub uri: String,
    /// Its name: the last segment of the path before SKILL.md, and the name in the front matter.
    pub name: String,
    /// The front matter that its server promises.
    pub front_matter: Map<String, Value>,
    /// The files that its server promises.
    pub files: FileSet,
    /// How it was found.
    pub found: FoundBy,
}

/// How a skill was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FoundBy {
    /// By the extension: the server lists it as a skill.
    #[default]
    Extension,
    /// By the scan of resources for servers without the extension.
    LegacyScan,
}

/// What is known of a skill's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileSet {
    /// Every file, with the promise about its bytes.
    Listed(Vec<RemoteFile>),
    /// The server says that they change all the time. Nothing can be verified, so nothing is read.
    Dynamic,
    /// The server makes no promise; what is found at the first look is held against every later one.
    Unpromised,
}

/// One file and the promise about its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteFile {
    /// Its URI.
    pub uri: String,
    /// Below the skill, with `/` between the parts.
    pub path: String,
    /// `sha256:` and 64 hex digits.
    pub digest: String,
    /// In bytes.
    pub size: u64,
}

/// Why an entry of a list is no skill that could be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EntryFault {
    /// A field is not there or not what it should be.
    #[error("`{field}` is not {expected}")]
    Field {
        /// Where in the entry.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// The URI is no URI of a SKILL.md.
    #[error(
        "its URI does not end with NAME/SKILL.md, or holds a query, a fragment or a step upwards"
    )]
    Uri,
    /// The name is none that agents accept.
    #[error(
        "its name does not follow the pattern a-z, 0-9 and single hyphens, 64 characters at most"
    )]
    Name,
    /// Folder and front matter disagree.
    #[error("its folder is `{folder}`, its front matter says `{name}`")]
    OtherName {
        /// The folder in the URI.
        folder: String,
        /// The name in the front matter.
        name: String,
    },
    /// The list of files has no SKILL.md.
    #[error("its list of files has no SKILL.md")]
    NoSkillFile,
    /// A file lies elsewhere.
    #[error("`{0}` does not lie below the skill")]
    Outside(String),
    /// A file stands there twice.
    #[error("`{0}` stands in its list of files twice")]
    Twice(String),
    /// A digest is none.
    #[error("the digest of `{0}` is not `sha256:` and 64 lowercase hex digits")]
    Digest(String),
    /// More files than are taken.
    #[error("it has more than {0} files")]
    TooManyFiles(usize),
    /// More bytes than are taken.
    #[error("its files are larger than {0} bytes together")]
    TooLarge(u64),
}

impl RemoteSkill {
    /// Reads an entry of `skills/list` or the answer of `skills/get`. No file is looked at.
    pub fn read(entry: &Value, bounds: &Bounds) -> Result<Self, EntryFault> {
        let field = |field, expected| EntryFault::Field { field, expected };
        let uri = entry
            .get("uri")
            .and_then(Value::as_str)
            .ok_or(field("uri", "a text"))?;
        let (root, folder) = root_and_name(uri).ok_or(EntryFault::Uri)?;
        let front_matter = entry
            .get("frontmatter")
            .and_then(Value::as_object)
            .ok_or(field("frontmatter", "an object"))?;
        let name = front_matter
            .get("name")
            .and_then(Value::as_str)
            .ok_or(field("frontmatter.name", "a text"))?;
        if !front_matter
            .get("description")
            .is_some_and(Value::is_string)
        {
            return Err(field("frontmatter.description", "a text"));
        }
        checked_name(name)?;
        if folder != name {
            return Err(EntryFault::OtherName {
                folder,
                name: name.to_owned(),
            });
        }
        let files = match entry.get("resources") {
            Some(Value::Array(listed)) => FileSet::Listed(read_files(root, listed, bounds)?),
            Some(Value::String(word)) if word == "dynamic" => FileSet::Dynamic,
            _ => return Err(field("resources", "a list of files or \"dynamic\"")),
        };
        Ok(Self {
            uri: uri.to_owned(),
            name: name.to_owned(),
            front_matter: front_matter.clone(),
            files,
            found: FoundBy::Extension,
        })
    }

    /// The URI of the folder, with the `/` at its end.
    pub fn root(&self) -> &str {
        self.uri.strip_suffix(SKILL_FILE).unwrap_or(&self.uri)
    }

    /// The file of a URI or a path below the skill.
    pub fn file(&self, asked: &str) -> Option<&RemoteFile> {
        let FileSet::Listed(files) = &self.files else {
            return None;
        };
        files
            .iter()
            .find(|file| file.uri == asked || file.path == asked)
    }

    /// What the front matter asks of the host beside being read.
    pub fn asks(&self) -> Vec<Effect> {
        effects(&self.front_matter)
    }

    /// A text of the front matter; empty when it is not there or no text.
    pub fn text_of(&self, key: &str) -> &str {
        self.front_matter
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// Refuses names that could hide from the eye or mean something else.
pub(crate) fn checked_name(name: &str) -> Result<(), EntryFault> {
    if SkillName::new(name).is_ok_and(|name| name.is_standard()) {
        Ok(())
    } else {
        Err(EntryFault::Name)
    }
}

/// Puts files in order after checking each; the sum is looked at before anything is fetched.
pub(crate) fn checked_files(
    root: &str,
    files: Vec<RemoteFile>,
    bounds: &Bounds,
) -> Result<Vec<RemoteFile>, EntryFault> {
    let (mut seen, mut total) = (BTreeSet::new(), 0_u64);
    for file in &files {
        if !seen.insert(file.path.as_str()) {
            return Err(EntryFault::Twice(file.path.clone()));
        }
        if !is_digest(&file.digest) {
            return Err(EntryFault::Digest(file.path.clone()));
        }
        total = total.saturating_add(file.size);
    }
    if total > bounds.skill_bytes {
        return Err(EntryFault::TooLarge(bounds.skill_bytes));
    }
    let entry = format!("{root}{SKILL_FILE}");
    if !files.iter().any(|file| file.uri == entry) {
        return Err(EntryFault::NoSkillFile);
    }
    let mut files = files;
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn read_files(
    root: &str,
    listed: &[Value],
    bounds: &Bounds,
) -> Result<Vec<RemoteFile>, EntryFault> {
    if listed.len() > bounds.files {
        return Err(EntryFault::TooManyFiles(bounds.files));
    }
    let mut files = Vec::with_capacity(listed.len());
    for entry in listed {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let field = |field, expected| EntryFault::Field { field, expected };
        let uri = text("uri").ok_or(field("resources[].uri", "a text"))?;
        let path = path_below(root, uri).ok_or_else(|| EntryFault::Outside(shown(uri)))?;
        files.push(RemoteFile {
            uri: uri.to_owned(),
            path,
            digest: text("digest")
                .ok_or(field("resources[].digest", "a text"))?
                .to_owned(),
            size: entry
                .get("size")
                .and_then(Value::as_u64)
                .ok_or(field("resources[].size", "a number of bytes"))?,
        });
    }
    checked_files(root, files, bounds)
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| {
        hex.len() == 64
            && hex
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

/// A stranger's text within a message.
pub(crate) fn shown(text: &str) -> String {
    metier_skill_protocol::one_line(text, 120)
}
