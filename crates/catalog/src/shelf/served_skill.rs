//! One served skill: its manifest, and its files as they are read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_diagnostics::Severity;
use metier_loader::{
    FileManifest, LoadedSkill, MANIFEST_BYTES, ManifestCache, ManifestFile, ParseMode,
    ReadFileError, SkillPrompt, digest, parse_skill_dir,
};
use metier_safety::Verdict;

use super::known_prompts::KnownPrompts;
use super::{SKILL_FILE, encode_skill_path};

/// How often a reading is repeated while somebody writes.
const TRIES: usize = 4;

/// Why a skill is not served until the catalog has read it again.
const BEHIND: &str = "its SKILL.md says something else than the catalog has taken over so far";

/// A skill whose files are served.
#[derive(Debug)]
pub struct ServedSkill {
    key: String,
    skill: Arc<LoadedSkill>,
    state: Mutex<State>,
}

/// Every file of a skill, or why they are not served.
pub type Manifest = Result<FileManifest, String>;

#[derive(Debug, Default)]
struct State {
    cache: ManifestCache,
    /// The files as they lay there at the last look.
    found: Option<Arc<Manifest>>,
    /// The same as it is served: not at all while `SKILL.md` says something else than the catalog.
    served: Option<Arc<Manifest>>,
    /// The digest of the `SKILL.md` whose front matter is the catalog's.
    agreed: Option<String>,
    /// The prompts it brings along, since somebody asked for them.
    prompts: Option<KnownPrompts>,
    /// What its files are blocked for.
    blocked: Option<Arc<Verdict>>,
    /// What was found and has not been told yet.
    untold: FileChange,
}

/// Why a file is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFault {
    /// There is no such file, or none that is served.
    NotFound,
    /// The whole skill is not served.
    LeftOut(String),
    /// It is there and cannot be read now.
    Failed(String),
}

/// What a look at the files found against the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileChange {
    /// Nothing new.
    #[default]
    None,
    /// Other files, or other bytes in them.
    Files,
    /// The same, and other prompts with them.
    Prompts,
    /// The skill is served now and was not, or the other way round.
    Served,
    /// `SKILL.md` says something else than the catalog has read.
    SkillFile,
    /// The files are hostile.
    Blocked,
}

/// A file as it was read, which is also what the manifest says of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServedFile {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Its entry in the manifest.
    pub file: ManifestFile,
}

impl ServedSkill {
    pub(crate) fn new(key: String, skill: Arc<LoadedSkill>) -> Self {
        Self {
            key,
            skill,
            state: Mutex::default(),
        }
    }

    /// What stands between `skill://` and its files: its name, or a label and its name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The skill as the catalog knows it.
    pub fn skill(&self) -> &Arc<LoadedSkill> {
        &self.skill
    }

    /// Whether lists show it: its author may want it to be found by its name alone.
    pub fn is_listed(&self) -> bool {
        self.skill.metadata.allow_implicit_invocation
    }

    /// The URI of the folder.
    pub fn uri(&self) -> String {
        format!("skill://{}", self.key)
    }

    /// The URI of a file.
    pub fn uri_of(&self, path: &str) -> String {
        format!("skill://{}/{}", self.key, encode_skill_path(path))
    }

    /// The URI by which the skill is known.
    pub fn entry_uri(&self) -> String {
        self.uri_of(SKILL_FILE)
    }

    /// The prompts that it brings along beside its instructions, as its files are now; none while
    /// they are not served. Blocks.
    pub fn prompts(&self, change: &mut FileChange) -> Arc<[SkillPrompt]> {
        let mut state = self.lock();
        let prompts = self.prompts_now(&mut state);
        *change = std::mem::take(&mut state.untold).max(*change);
        prompts
    }

    /// Whether somebody was shown other prompts of the version before. What is found by that is told
    /// by the next look. Blocks.
    pub fn has_other_prompts_than(&self, before: &Self) -> bool {
        let shown = before
            .lock()
            .prompts
            .as_ref()
            .map(|it| Arc::clone(&it.prompts));
        shown.is_some_and(|shown| self.prompts_now(&mut self.lock()) != shown)
    }

    /// Every file with its digest, or why the skill is not served after all. Looks at every file;
    /// only what changed is read. Blocks.
    pub fn manifest(&self, change: &mut FileChange) -> Arc<Manifest> {
        let mut state = self.lock();
        let manifest = self.renew(&mut state).0;
        *change = std::mem::take(&mut state.untold).max(*change);
        manifest
    }

    /// Reads a file once; its bytes and its manifest entry agree. Blocks.
    ///
    /// # Errors
    /// [`FileFault`] when there is nothing to answer.
    pub fn read(&self, path: &str, change: &mut FileChange) -> Result<ServedFile, FileFault> {
        let mut state = self.lock();
        let read = self.read_steadily(path, &mut state);
        *change = std::mem::take(&mut state.untold).max(*change);
        read
    }

    fn read_steadily(&self, path: &str, state: &mut State) -> Result<ServedFile, FileFault> {
        let mut manifest = match &state.served {
            Some(manifest) if manifest.is_ok() => Arc::clone(manifest),
            _ => self.renew(state).0,
        };
        for _ in 0..TRIES {
            let known = manifest.as_ref().as_ref();
            let known = known.map_err(|reason| FileFault::LeftOut(reason.clone()))?;
            let found = match known.get(path) {
                None => Err(FileFault::NotFound),
                Some(file) => match self.skill.files.read(path, MANIFEST_BYTES) {
                    Ok(bytes)
                        if file.size == bytes.len() as u64 && file.digest == digest(&bytes) =>
                    {
                        let file = file.clone();
                        return Ok(ServedFile { bytes, file });
                    }
                    Ok(_) => Err(FileFault::Failed("it is being written to".to_owned())),
                    Err(
                        ReadFileError::NotFound { .. }
                        | ReadFileError::Outside { .. }
                        | ReadFileError::NotAFile { .. },
                    ) => Err(FileFault::NotFound),
                    Err(error) => Err(FileFault::Failed(error.to_string())),
                },
            };
            // The manifest may be old: a second look decides.
            let (next, is_new) = self.renew(state);
            if !is_new {
                found?;
            }
            manifest = next;
        }
        Err(FileFault::Failed("it is being written to".to_owned()))
    }

    /// The manifest as it is now, and whether it is another one than at the last look.
    fn renew(&self, state: &mut State) -> (Arc<Manifest>, bool) {
        let found = state
            .cache
            .manifest(&self.skill.files)
            .map_err(|error| error.to_string());
        if let (Some(before), Some(served)) = (&state.found, &state.served)
            && serves_the_same(before, &found)
        {
            let mut served = Arc::clone(served);
            if **before != found {
                // What is passed over is nothing that a client sees.
                let found = Arc::new(found);
                if served.is_ok() {
                    served = Arc::clone(&found);
                }
                state.found = Some(found);
                state.served = Some(Arc::clone(&served));
            }
            return (served, false);
        }
        let found = Arc::new(found);
        let (mut reason, mut change) = self.disagreement(&found, &mut state.agreed);
        state.blocked = None;
        if let (None, Ok(manifest)) = (&reason, found.as_ref()) {
            let verdict = self.skill.verdict(Some(manifest));
            if verdict.is_blocked() {
                reason = Some(blocked_for(&verdict));
                change = FileChange::Blocked;
                state.blocked = Some(verdict);
            }
        }
        let served = match reason {
            Some(reason) => Arc::new(Err(reason)),
            None => Arc::clone(&found),
        };
        match &state.served {
            Some(before) if before.is_ok() != served.is_ok() => {
                change = change.max(FileChange::Served);
            }
            // Other files of a skill that is not served, for the reason that is known.
            Some(before) if served.is_err() && *before == served => change = FileChange::None,
            Some(_) => {}
            // Nobody was told anything before the first look.
            None if change >= FileChange::SkillFile => {}
            None => change = FileChange::None,
        }
        match served.as_ref() {
            // The catalog takes it over in a moment.
            Err(reason) if reason == BEHIND => {}
            Err(reason) => tracing::warn!(
                skill = self.key,
                reason,
                "the files of a skill are not served"
            ),
            Ok(_) => {}
        }
        state.untold = state.untold.max(change);
        state.found = Some(found);
        state.served = Some(Arc::clone(&served));
        if let Ok(manifest) = served.as_ref()
            && state.prompts.is_some()
        {
            // While somebody writes to them the next look tells.
            self.renew_prompts(manifest, state);
        }
        (served, true)
    }

    fn prompts_now(&self, state: &mut State) -> Arc<[SkillPrompt]> {
        for _ in 0..TRIES {
            let manifest = self.renew(state).0;
            let Ok(manifest) = manifest.as_ref() else {
                return Arc::default();
            };
            if self.renew_prompts(manifest, state) {
                break;
            }
        }
        let known = state.prompts.as_ref();
        known.map_or_else(Arc::default, |known| Arc::clone(&known.prompts))
    }

    /// Reads the prompts again where their files are others; `false` while somebody writes to them.
    fn renew_prompts(&self, manifest: &FileManifest, state: &mut State) -> bool {
        let before = state.prompts.as_ref();
        if before.is_some_and(|known| known.is_of(&self.skill, manifest)) {
            return true;
        }
        let Some(now) = KnownPrompts::read(&self.skill, manifest) else {
            return false;
        };
        let is_news = before.is_some_and(|known| known.prompts != now.prompts);
        if is_news {
            state.untold = state.untold.max(FileChange::Prompts);
        }
        for fault in &now.faults {
            tracing::warn!(
                skill = self.key,
                fault,
                "a prompt of a skill cannot be used"
            );
        }
        state.prompts = Some(now);
        true
    }

    /// Why the files that were found are not served, and what is to be told of them.
    fn disagreement(
        &self,
        found: &Manifest,
        agreed: &mut Option<String>,
    ) -> (Option<String>, FileChange) {
        let manifest = match found {
            Ok(manifest) => manifest,
            Err(reason) => return (Some(reason.clone()), FileChange::Files),
        };
        let file = manifest.get(SKILL_FILE).map(|file| &file.digest);
        if agreed.is_some() && agreed.as_ref() == file {
            return (None, FileChange::Files);
        }
        if file.is_some_and(|file| self.skill.was_read_from(file)) {
            *agreed = file.cloned();
            return (None, FileChange::Files);
        }
        let parsed = parse_skill_dir(&self.skill.path, ParseMode::Lenient);
        // What was parsed is what was hashed, unless somebody wrote in between.
        let bytes = self.skill.files.read(SKILL_FILE, MANIFEST_BYTES);
        let unmoved = bytes.is_ok_and(|bytes| Some(&digest(&bytes)) == file);
        let reason = match parsed {
            Ok(now) if unmoved && now.metadata.front_matter == self.skill.metadata.front_matter => {
                *agreed = file.cloned();
                return (None, FileChange::Files);
            }
            Ok(_) => BEHIND.to_owned(),
            Err(rejected) => {
                let errors = rejected.diagnostics.iter();
                let error = errors.clone().find(|it| it.severity == Severity::Error);
                let why = error.map_or("", |error| error.message.as_str());
                format!("its SKILL.md is broken at present: {why}")
            }
        };
        (Some(reason), FileChange::SkillFile)
    }

    /// What its files are blocked for, as far as they were looked at.
    pub(crate) fn blocked(&self) -> Option<Arc<Verdict>> {
        self.lock().blocked.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn blocked_for(verdict: &Verdict) -> String {
    let reason = verdict.reason();
    let reason = reason.map_or_else(String::new, ToString::to_string);
    format!("it is blocked: {reason}")
}

/// Whether both are the same to a client.
fn serves_the_same(one: &Manifest, two: &Manifest) -> bool {
    match (one, two) {
        (Ok(one), Ok(two)) => one.files == two.files,
        (Err(one), Err(two)) => one == two,
        _ => false,
    }
}
