//! One served skill: its manifest, and its files as they are read.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_diagnostics::Severity;
use metier_loader::{
    FileDigest, FileManifest, LoadedSkill, MANIFEST_BYTES, ManifestCache, ManifestFile, ParseMode,
    ReadFileError, SkillPrompt, digest, parse_skill_dir,
};
use metier_safety::Verdict;

use super::SKILL_FILE;
use super::known_prompts::KnownPrompts;
use super::skill_text::{Shown, SkillPlace, SkillText};

/// How often a reading is repeated while somebody writes.
const TRIES: usize = 4;

/// Why a skill is not served until the catalog has read it again.
const BEHIND: &str = "its SKILL.md says something else than the catalog has taken over so far";

/// A skill whose files are served.
#[derive(Debug)]
pub struct ServedSkill {
    place: Arc<SkillPlace>,
    state: Mutex<State>,
    /// The same for all versions of the skill.
    shown: Arc<Shown>,
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
    agreed: Option<FileDigest>,
    /// The prompts it brings along, since somebody asked for them.
    prompts: Option<KnownPrompts>,
    /// What its files are blocked for.
    blocked: Option<Arc<Verdict>>,
    /// What was found and has not been told yet.
    untold: FileChange,
}

impl Deref for ServedSkill {
    type Target = SkillPlace;

    fn deref(&self) -> &SkillPlace {
        &self.place
    }
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
    /// Other files, or other bytes in them; or they are served now and were not, or the other way round.
    Files,
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
    /// What was shown goes on from the version before, and so does what was hashed.
    pub(super) fn new(key: String, skill: Arc<LoadedSkill>, before: Option<&Self>) -> Self {
        let version = before.map_or(0, |before| before.version() + 1);
        let same_folder = before.filter(|before| before.skill().path == skill.path);
        let cache = same_folder.map(|before| before.lock().cache.clone());
        let state = State {
            cache: cache.unwrap_or_default(),
            ..State::default()
        };
        Self {
            place: Arc::new(SkillPlace::new(key, skill, version)),
            state: Mutex::new(state),
            shown: before.map_or_else(Arc::default, |before| Arc::clone(&before.shown)),
        }
    }

    pub(super) const fn place(&self) -> &Arc<SkillPlace> {
        &self.place
    }

    pub(super) fn shown(&self) -> &Arc<Shown> {
        &self.shown
    }

    /// The prompts that it brings along beside its instructions, as its files are now; none while
    /// they are not served. Blocks.
    pub fn prompts(&self, change: &mut FileChange) -> Arc<[SkillPrompt]> {
        self.looking(change, |state| self.prompts_now(state))
    }

    /// Every file with its digest, or why the skill is not served after all. Looks at every file;
    /// only what changed is read. Blocks.
    pub fn manifest(&self, change: &mut FileChange) -> Arc<Manifest> {
        self.looking(change, |state| self.renew(state).0)
    }

    /// The skill as it is served now, for a list. Blocks.
    pub fn text(&self, change: &mut FileChange) -> SkillText {
        self.looking(change, |state| {
            let manifest = self.renew(state).0;
            self.text_of(manifest, state)
        })
    }

    /// The same with the prompts that it brings along. Blocks.
    pub fn text_with_prompts(&self, change: &mut FileChange) -> SkillText {
        self.looking(change, |state| {
            self.prompts_now(state);
            let manifest = state.served.clone();
            let manifest = manifest.unwrap_or_else(|| self.renew(state).0);
            self.text_of(manifest, state)
        })
    }

    /// Looks without taking away what the next look has to tell.
    pub(super) fn note_now(&self, with_prompts: bool) {
        let mut state = self.lock();
        if with_prompts {
            self.prompts_now(&mut state);
        } else {
            self.renew(&mut state);
        }
        self.note(&state);
    }

    fn text_of(&self, manifest: Arc<Manifest>, state: &State) -> SkillText {
        let prompts = state.prompts.as_ref();
        let prompts = prompts.map(|known| Arc::clone(&known.prompts));
        SkillText::new(Arc::clone(&self.place), manifest, prompts)
    }

    fn looking<T>(&self, change: &mut FileChange, work: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let found = work(&mut state);
        self.note(&state);
        *change = std::mem::take(&mut state.untold).max(*change);
        found
    }

    /// What this look found is what clients are shown from now on.
    fn note(&self, state: &State) {
        let Some(manifest) = &state.served else {
            return;
        };
        // Nobody is shown this: whoever finds it looks once more, after the catalog.
        if !manifest.as_ref().as_ref().is_err_and(|why| why == BEHIND) {
            self.shown.note(self.text_of(Arc::clone(manifest), state));
        }
    }

    /// Reads a file once; its bytes and its manifest entry agree. Blocks.
    ///
    /// # Errors
    /// [`FileFault`] when there is nothing to answer.
    pub fn read(&self, path: &str, change: &mut FileChange) -> Result<ServedFile, FileFault> {
        self.looking(change, |state| self.read_steadily(path, state))
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
                Some(file) => match self.skill().files.read(path, MANIFEST_BYTES) {
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
            .manifest(&self.skill().files)
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
            let verdict = self.skill().verdict(Some(manifest));
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
                skill = self.key(),
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
        if before.is_some_and(|known| known.is_of(self.skill(), manifest)) {
            return true;
        }
        let Some(mut now) = KnownPrompts::read(self.skill(), manifest) else {
            return false;
        };
        if let Some(before) = before.filter(|before| before.prompts == now.prompts) {
            now.prompts = Arc::clone(&before.prompts);
        }
        for fault in &now.faults {
            tracing::warn!(
                skill = self.key(),
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
        agreed: &mut Option<FileDigest>,
    ) -> (Option<String>, FileChange) {
        let manifest = match found {
            Ok(manifest) => manifest,
            Err(reason) => return (Some(reason.clone()), FileChange::Files),
        };
        let file = manifest.get(SKILL_FILE).map(|file| file.digest);
        if agreed.is_some() && *agreed == file {
            return (None, FileChange::Files);
        }
        if file.is_some_and(|file| self.skill().was_read_from(file)) {
            *agreed = file;
            return (None, FileChange::Files);
        }
        let parsed = parse_skill_dir(&self.skill().path, ParseMode::Lenient);
        // What was parsed is what was hashed, unless somebody wrote in between.
        let bytes = self.skill().files.read(SKILL_FILE, MANIFEST_BYTES);
        let unmoved = bytes.is_ok_and(|bytes| Some(digest(&bytes)) == file);
        let reason = match parsed {
            Ok(now)
                if unmoved && now.metadata.front_matter == self.skill().metadata.front_matter =>
            {
                *agreed = file;
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
