//! One served skill: its manifest, and its files as they are read.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;
use metier_diagnostics::Diagnostic;
use metier_loader::codes::LAST_GOOD_KEPT;
use metier_loader::{
    FileManifest, LoadedSkill, MANIFEST_BYTES, ManifestFile, ReadFileError, SkillPrompt, digest,
};
use metier_safety::Verdict;

use super::look::{State, TRIES, is_passing};
use super::skill_text::{Shown, SkillPlace, SkillText};

/// A skill whose files are served.
#[derive(Debug)]
pub struct ServedSkill {
    place: Arc<SkillPlace>,
    state: Mutex<State>,
    /// The files as they are served, by the last look: not at all while `SKILL.md` says something else than the catalog.
    /// Another one is put here by whoever holds the state; whoever asks what is known waits for no look.
    pub(super) served: ArcSwapOption<Manifest>,
    /// The same for all versions of the skill.
    shown: Arc<Shown>,
}

/// Every file of a skill, or why they are not served.
pub type Manifest = Result<FileManifest, String>;

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
        let known = same_folder.map(|before| {
            let before = before.lock();
            (
                before.cache.clone(),
                before.told.clone(),
                before.prompts.clone(),
            )
        });
        let (cache, mut told, prompts) = known.unwrap_or_default();
        if skill.beyond_manifest.is_some() {
            told.whole(&key, skill.beyond_manifest.as_ref());
        }
        // A save that leaves a skill broken brings back nothing, not even until somebody looks.
        let is_broken = |found: &Diagnostic| found.code == LAST_GOOD_KEPT;
        let served = same_folder
            .filter(|_| skill.diagnostics.iter().any(is_broken))
            .and_then(|before| before.served.load_full())
            .filter(|served| served.as_ref().as_ref().is_err_and(|why| !is_passing(why)));
        let state = State {
            cache,
            prompts,
            told,
            ..State::default()
        };
        Self {
            place: Arc::new(SkillPlace::new(key, skill, version)),
            state: Mutex::new(state),
            served: ArcSwapOption::new(served),
            shown: before.map_or_else(Arc::default, |before| Arc::clone(&before.shown)),
        }
    }

    /// Why its files are not served, by the last look at them; where there was none, by what the scan saw. That the
    /// catalog has to look once more is no reason.
    pub(crate) fn why_not(&self) -> Option<String> {
        match &*self.served.load() {
            Some(served) => {
                let reason = served.as_ref().as_ref().err();
                reason.filter(|why| !is_passing(why)).cloned()
            }
            None => self.skill().beyond_manifest.clone(),
        }
    }

    /// Whether it is not served before the catalog has looked once more.
    pub(super) fn is_awaited(&self) -> bool {
        let served = self.served.load();
        let served = served.as_deref();
        served.is_some_and(|served| served.as_ref().is_err_and(|why| is_passing(why)))
    }

    /// The catalog has looked and goes on with this version.
    pub(super) fn settle_awaited(&self) {
        if self.is_awaited() {
            self.settle(&mut self.lock());
        }
    }

    /// Whether nobody has looked, and the files are too many or too large by now, or no longer so. Asks the system alone.
    #[cfg(feature = "watch")]
    pub(super) fn is_other_than_scanned(&self) -> bool {
        let skill = self.skill();
        self.served.load().is_none() && skill.files.beyond_manifest() != skill.beyond_manifest
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

    /// That prompts from before a save that broke their file are in use, where somebody was shown them. Blocks.
    pub(super) fn kept_prompts(&self, change: &mut FileChange) -> Option<Diagnostic> {
        self.looking(change, |state| {
            state.prompts.as_ref()?;
            self.prompts_now(state);
            state.prompts.as_ref()?.kept(self.skill())
        })
    }

    /// The same with the prompts that it brings along. Blocks.
    pub fn text_with_prompts(&self, change: &mut FileChange) -> SkillText {
        self.looking(change, |state| {
            self.prompts_now(state);
            let manifest = self.served.load_full();
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
        let mut untold = std::mem::take(&mut state.untold);
        if self.is_awaited() {
            // Whoever finds this waits for the catalog, also where somebody else has found it before.
            untold = untold.max(FileChange::SkillFile);
        }
        *change = untold.max(*change);
        found
    }

    /// What this look found is what clients are shown from now on.
    fn note(&self, state: &State) {
        let Some(manifest) = self.served.load_full() else {
            return;
        };
        if !manifest.as_ref().as_ref().is_err_and(|why| is_passing(why)) {
            self.shown.note(self.text_of(manifest, state));
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
        let mut manifest = match self.served.load_full() {
            Some(manifest) if manifest.is_ok() => manifest,
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

    /// What its files are blocked for, as far as they were looked at.
    pub(crate) fn blocked(&self) -> Option<Arc<Verdict>> {
        self.lock().blocked.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use crate::catalog::SkillCatalog;
    use crate::registry::ToolRegistry;

    /// A look takes as long as the files are large; nobody who asks for what is known waits for it.
    #[test]
    fn what_is_known_of_a_skill_is_told_while_somebody_looks_at_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["looked-at", "unread"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            let text = format!("---\nname: {name}\ndescription: x\n---\n");
            std::fs::write(folder.path().join(name).join("SKILL.md"), text).unwrap();
        }
        let catalog = SkillCatalog::new(ToolRegistry::new());
        catalog.discover(&[folder.path().to_owned()], None);
        let _ = catalog.text_states(&["looked-at"]);
        let snapshot = catalog.snapshot();
        let skills: Vec<_> = snapshot.shelf().all_after("").collect();
        let looks: Vec<_> = skills.iter().map(|skill| skill.lock()).collect();
        let (told, answers) = mpsc::channel();
        let asking = catalog.clone();
        std::thread::spawn(move || {
            let snapshot = asking.snapshot();
            let listed = snapshot.shelf().listed().count();
            // The next snapshot, with its book.
            asking.declare_capabilities(["usd"]);
            let book = asking.snapshot().book().entries().len();
            let left_out = asking.unlisted().len();
            let _ = told.send((listed, book, left_out));
        });
        let answer = answers.recv_timeout(Duration::from_mins(1));
        drop(looks);
        assert_eq!(answer, Ok((2, 2, 0)));
    }
}
