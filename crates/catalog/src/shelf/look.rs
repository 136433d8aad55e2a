//! What a look at the files of a skill finds.

use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Severity};
use metier_loader::{
    FileDigest, FileManifest, MANIFEST_BYTES, ManifestCache, ManifestError, ParseMode,
    ReadFileError, SkillPrompt, digest, parse_skill_dir,
};
use metier_safety::Verdict;

use super::SKILL_FILE;
use super::known_prompts::KnownPrompts;
use super::served_skill::{FileChange, Manifest, ServedSkill};
use super::skill_text::SkillText;
use super::told::Told;
use crate::nested_skill::{nested_in_folder, nested_skill_files};

/// How often a reading is repeated while somebody writes.
pub(super) const TRIES: usize = 4;

/// Why a skill is not served until the catalog has read it again.
const BEHIND: &str = "its SKILL.md says something else than the catalog has taken over so far";

/// The same of one whose folder is not there: it may lie elsewhere, or be put there in a moment.
const GONE: &str = "its folder is not there, and the catalog has not looked for it yet";

/// What becomes of either where the catalog has looked and goes on as it was.
const KEPT_BEHIND: &str = "its SKILL.md says something else than the catalog takes over";
const KEPT_GONE: &str = "its folder is not there";

/// Whether a skill is not served for no longer than until the catalog has looked. Nobody is shown this: whoever finds it
/// looks once more, after the catalog.
pub(super) fn is_passing(why: &str) -> bool {
    why == BEHIND || why == GONE
}

/// What is known of the files.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) cache: ManifestCache,
    /// The files as they lay there at the last look.
    pub(super) found: Option<Arc<Manifest>>,
    /// The digest of the `SKILL.md` whose front matter is the catalog's.
    pub(super) agreed: Option<FileDigest>,
    /// The prompts it brings along, since somebody asked for them.
    pub(super) prompts: Option<KnownPrompts>,
    /// What its files are blocked for.
    pub(super) blocked: Option<Arc<Verdict>>,
    /// What was found and has not been told yet.
    pub(super) untold: FileChange,
    /// What the log says already.
    pub(super) told: Told,
}

impl ServedSkill {
    /// Whether what its folder stood in is there. A drive that is away for a moment takes no skill from the catalog.
    fn is_gone_alone(&self) -> bool {
        let around = self.skill().files.folder().parent();
        around.is_some_and(std::path::Path::is_dir)
    }

    /// The manifest as it is now, and whether it is another one than at the last look.
    pub(super) fn renew(&self, state: &mut State) -> (Arc<Manifest>, bool) {
        let found = state.cache.manifest(&self.skill().files);
        let is_gone = matches!(&found, Err(ManifestError::Read(ReadFileError::FolderGone)))
            && self.is_gone_alone();
        let found = found.map_err(|error| error.to_string());
        let served_before = self.served.load_full();
        if let (Some(before), Some(served)) = (&state.found, &served_before)
            && serves_the_same(before, &found)
            // A drive that was away may be back without it.
            && (!is_gone || served.as_ref().as_ref().is_err_and(|why| is_passing(why) || why == KEPT_GONE))
        {
            let mut served = Arc::clone(served);
            if **before != found {
                self.tell_files(&found, &mut state.told);
                // What is passed over is nothing that a client sees.
                let found = Arc::new(found);
                if served.is_ok() {
                    served = Arc::clone(&found);
                }
                state.found = Some(found);
                self.served.store(Some(Arc::clone(&served)));
            }
            return (served, false);
        }
        self.tell_files(&found, &mut state.told);
        let found = Arc::new(found);
        let (mut reason, mut change) = self.disagreement(&found, &mut state.agreed);
        if is_gone {
            // It is no skill any more, as one is not whose SKILL.md is gone.
            change = FileChange::SkillFile;
            reason = Some(GONE.to_owned());
        }
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
        match &served_before {
            // Other files of a skill that is not served, for the reason that is known.
            Some(before) if served.is_err() && *before == served => change = FileChange::None,
            Some(_) => {}
            None if change >= FileChange::SkillFile => {}
            // What the scan saw is all that anybody was told before the first look.
            None if served.as_ref().as_ref().err() == self.skill().beyond_manifest.as_ref() => {
                change = FileChange::None;
            }
            None => {
                if self.shown().is_nothing() {
                    let place = Arc::clone(self.place());
                    self.shown().note(SkillText::unread(place));
                }
            }
        }
        // The catalog takes over in a moment what it is behind of.
        let reason = served.as_ref().as_ref().err();
        match reason {
            Some(reason) if is_passing(reason) => {}
            // The catalog takes it out in a moment as well, and says why.
            Some(reason) if state.blocked.is_some() && !self.is_shadowed() => {
                state.told.whole_elsewhere(reason);
            }
            reason => state.told.whole(self.key(), reason),
        }
        state.untold = state.untold.max(change);
        state.found = Some(found);
        self.served.store(Some(Arc::clone(&served)));
        if let Ok(manifest) = served.as_ref()
            && state.prompts.is_some()
        {
            // While somebody writes to them the next look tells.
            self.renew_prompts(manifest, state);
        }
        (served, true)
    }

    /// The catalog has looked: what it did not take over stays as it is until the files are others.
    pub(super) fn settle(&self, state: &mut State) {
        let served = self.served.load_full();
        let reason = match served.as_deref() {
            Some(Err(why)) if why == BEHIND => KEPT_BEHIND,
            Some(Err(why)) if why == GONE => KEPT_GONE,
            _ => return,
        };
        let reason = reason.to_owned();
        state.told.whole(self.key(), Some(&reason));
        self.served.store(Some(Arc::new(Err(reason))));
    }

    fn tell_files(&self, found: &Manifest, told: &mut Told) {
        if let Ok(manifest) = found {
            told.files(self.key(), manifest);
        }
        let nested = self.nested_in(found);
        if found.is_ok() || nested.is_some() {
            told.nested(self.key(), nested);
        }
    }

    /// What is said of the SKILL.md files inside the skill. Where no file is served, the folder is looked at.
    pub(super) fn nested_in(&self, manifest: &Manifest) -> Option<Diagnostic> {
        let skill = self.skill();
        let Ok(manifest) = manifest else {
            return nested_in_folder(skill);
        };
        let paths = manifest.files.iter().map(|file| &*file.path);
        nested_skill_files(&skill.metadata.name, &skill.display_path, paths)
    }

    pub(super) fn prompts_now(&self, state: &mut State) -> Arc<[SkillPrompt]> {
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
        let Some(now) = KnownPrompts::read(self.skill(), manifest) else {
            return false;
        };
        let now = now.after(before);
        for fault in &now.faults {
            state.told.prompt(self.key(), fault);
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
                if unmoved
                    && now.not_served == self.skill().not_served
                    && now.metadata.front_matter == self.skill().metadata.front_matter =>
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
