//! Files of other servers, read when they are wanted and verified whenever they are.

use std::sync::Arc;
use std::time::Duration;

use metier_loader::{digest, front_matter_of};
use metier_safety::{Scan, Verdict};
use thiserror::Error;

use crate::connection::{Connection, lock};
use crate::difference::Difference;
use crate::entry::{EntryFault, FileSet, FoundBy, RemoteFile, RemoteSkill};
use crate::legacy::{self, MANIFEST};
use crate::offer::ConnectionState;
use crate::origin::Origin;
use crate::server::{Answer, ServerFault};
use crate::uri::SKILL_FILE;
use crate::verify::{Mismatch, verify_bytes, verify_front_matter};

/// Why a file or a skill of another server is not given out.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// The flag is off.
    #[error("skills of other servers are switched off; METIER_MCP_SKILLS=1 switches them on")]
    Off,
    /// The connection has ended.
    #[error("the connection to the server has ended")]
    Ended,
    /// The server serves no such skill.
    #[error("the server has no skill {0}")]
    NoSuchSkill(String),
    /// The server offers no such prompt.
    #[error("the server has no prompt `{0}`")]
    NoSuchPrompt(String),
    /// The entry of the skill cannot be used.
    #[error("the entry of the skill cannot be used: {0}")]
    Entry(#[from] EntryFault),
    /// Nothing is promised about the files of the skill.
    #[error("the files of the skill change all the time, so that nothing can be verified")]
    Dynamic,
    /// The file is not one of the skill's.
    #[error("`{0}` is not in the skill's list of files")]
    Unlisted(String),
    /// The promise alone is too large.
    #[error("`{path}` has {size} bytes; at most {most} are taken")]
    TooLarge {
        /// Below the skill.
        path: String,
        /// As promised.
        size: u64,
        /// The limit.
        most: u64,
    },
    /// The server gave no answer.
    #[error(transparent)]
    Server(#[from] ServerFault),
    /// The bytes are not what was promised.
    #[error("{0}; nothing of it is used")]
    Mismatch(#[from] Mismatch),
    /// SKILL.md is no text.
    #[error("SKILL.md is not UTF-8")]
    NotText,
    /// The safety rules refuse the text.
    #[error("the skill is blocked: {0}")]
    Blocked(String),
    /// Nobody has approved the skill.
    #[error("nobody has approved this skill yet")]
    NotApproved,
    /// Other files were approved.
    #[error("the skill is not the one that was approved; it has to be approved again\n{0}")]
    Changed(Difference),
}

/// A skill whose SKILL.md was read and verified.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenedSkill {
    /// The entry against which it was verified. Its files are always listed.
    pub skill: Arc<RemoteSkill>,
    /// SKILL.md.
    pub text: String,
    /// Whose text it is.
    pub origin: Origin,
    /// What the safety rules say of it.
    pub verdict: Verdict,
}

impl Connection {
    /// The entry of a skill: from the list, or asked for by its URI, listed or not.
    pub async fn entry(&self, uri: &str) -> Result<Arc<RemoteSkill>, ReadFault> {
        self.allowed()?;
        if let Some(skill) = self.offer().skill(uri) {
            return Ok(Arc::clone(skill));
        }
        let declared = self.declared();
        let unknown = || ReadFault::NoSuchSkill(crate::entry::shown(uri));
        if !(declared.skills && declared.resources) {
            return Err(unknown());
        }
        let entry = match self.ask(self.inner.server.skill(uri.to_owned())).await {
            Err(ServerFault::Refused { code: -32602, .. }) => return Err(unknown()),
            answer => answer?,
        };
        let skill = RemoteSkill::read(&entry, &self.inner.settings.bounds)?;
        if skill.uri == uri {
            Ok(Arc::new(skill))
        } else {
            Err(EntryFault::Uri.into())
        }
    }

    /// Reads a skill's SKILL.md, verified, with the front matter field by field.
    pub async fn open_skill(&self, uri: &str) -> Result<OpenedSkill, ReadFault> {
        let skill = self.entry(uri).await?;
        let skill = match &skill.files {
            FileSet::Listed(_) => skill,
            FileSet::Dynamic => return Err(ReadFault::Dynamic),
            FileSet::Unpromised => self.first_look(&skill).await?,
        };
        let bytes = self.read_file(&skill, &skill.uri).await?;
        let text = String::from_utf8(bytes).map_err(|_| ReadFault::NotText)?;
        let mut scan = Scan::new();
        scan.skill_file(SKILL_FILE, &text);
        let verdict = scan.finish();
        if verdict.is_blocked() {
            let reason = verdict.reason().map(ToString::to_string);
            return Err(ReadFault::Blocked(reason.unwrap_or_default()));
        }
        Ok(OpenedSkill {
            origin: Origin::of(self.label().clone(), &skill.uri, text.as_bytes()),
            skill,
            text,
            verdict,
        })
    }

    /// Reads one file of a skill: only one that is listed, and only the bytes that are promised. SKILL.md has to say
    /// what the entry says as well.
    pub async fn read_file(&self, skill: &RemoteSkill, asked: &str) -> Result<Vec<u8>, ReadFault> {
        self.allowed()?;
        if skill.files == FileSet::Dynamic {
            return Err(ReadFault::Dynamic);
        }
        let file = skill
            .file(asked)
            .ok_or_else(|| ReadFault::Unlisted(crate::entry::shown(asked)))?;
        let most = self.inner.settings.bounds.file_bytes;
        if file.size > most {
            return Err(ReadFault::TooLarge {
                path: file.path.clone(),
                size: file.size,
                most,
            });
        }
        let bytes = match self.cached(file).await {
            Some(bytes) => bytes,
            None => self.fetched(file).await?,
        };
        if file.uri == skill.uri && skill.found == FoundBy::Extension {
            verify_front_matter(&skill.front_matter, &bytes)?;
        }
        Ok(bytes)
    }

    async fn cached(&self, file: &RemoteFile) -> Option<Vec<u8>> {
        let cache = self.inner.settings.cache.clone()?;
        let (label, file) = (self.label().clone(), file.clone());
        let look = move || cache.get(&label, &file);
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    async fn fetched(&self, file: &RemoteFile) -> Result<Vec<u8>, ReadFault> {
        let bytes = self.ask(self.inner.server.read(file.uri.clone())).await?;
        verify_bytes(file, &bytes)?;
        let Some(cache) = self.inner.settings.cache.clone() else {
            return Ok(bytes);
        };
        let label = self.label().clone();
        let keep = move || {
            // A disk that refuses costs a fetch next time.
            let _ = cache.put(&label, &bytes);
            bytes
        };
        let kept = tokio::task::spawn_blocking(keep).await;
        kept.map_err(|_| ReadFault::Ended)
    }

    /// A skill without promises: its manifest makes some, and otherwise SKILL.md is all there is of it. Either holds
    /// for every later look of this connection.
    async fn first_look(&self, listed: &RemoteSkill) -> Result<Arc<RemoteSkill>, ReadFault> {
        if let Some(seen) = lock(&self.inner.seen).get(&listed.uri) {
            return Ok(Arc::clone(seen));
        }
        let bounds = &self.inner.settings.bounds;
        let server = &self.inner.server;
        let mut skill = listed.clone();
        let root = listed.root();
        let manifest = if root.ends_with('/') {
            Some(self.ask(server.read(format!("{root}{MANIFEST}"))).await)
        } else {
            None
        };
        let text = self.ask(server.read(listed.uri.clone())).await?;
        if text.len() as u64 > bounds.file_bytes {
            return Err(ReadFault::TooLarge {
                path: SKILL_FILE.to_owned(),
                size: text.len() as u64,
                most: bounds.file_bytes,
            });
        }
        skill.files = FileSet::Listed(match manifest {
            Some(Ok(manifest)) => legacy::of_manifest(root, &manifest, bounds)?,
            None | Some(Err(ServerFault::Refused { .. })) => vec![RemoteFile {
                uri: listed.uri.clone(),
                path: SKILL_FILE.to_owned(),
                digest: digest(&text).to_string(),
                size: text.len() as u64,
            }],
            Some(Err(fault)) => return Err(fault.into()),
        });
        // What is read again is held against the manifest, and so is what is kept of this reading.
        if let Some(file) = skill.file(&listed.uri) {
            verify_bytes(file, &text)?;
        }
        // Such servers take texts without front matter too; the list's words stay then.
        if let Ok(read) = front_matter_of(&text) {
            skill.front_matter.extend(read);
        }
        let skill = Arc::new(skill);
        if self.is_open() {
            let mut seen = lock(&self.inner.seen);
            let kept = seen.entry(listed.uri.clone()).or_insert(skill);
            return Ok(Arc::clone(kept));
        }
        Err(ReadFault::Ended)
    }

    /// One answer, within its time.
    pub(crate) async fn ask<T>(&self, answer: Answer<'_, T>) -> Result<T, ServerFault> {
        let limit: Duration = self.inner.settings.bounds.request;
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => {
                if let Err(ServerFault::Gone(_)) = &answer {
                    self.end(ConnectionState::Closed);
                }
                answer
            }
            Err(_) => Err(ServerFault::Late {
                seconds: limit.as_secs(),
            }),
        }
    }

    /// Whether requests may leave, and why not.
    pub(crate) fn allowed(&self) -> Result<(), ReadFault> {
        match self.offer().state {
            ConnectionState::Open => Ok(()),
            ConnectionState::Off => Err(ReadFault::Off),
            ConnectionState::Closed | ConnectionState::Disconnected => Err(ReadFault::Ended),
        }
    }
}
