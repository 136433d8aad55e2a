//! The prompts that a skill brings along, read from the files that its manifest names.

use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location};
use metier_loader::codes::LAST_GOOD_KEPT;
use metier_loader::{
    FileDigest, FileManifest, LoadedSkill, MANIFEST_BYTES, SkillPrompt, digest, prompt_files,
    read_prompts,
};

use super::SKILL_FILE;
use crate::skill_set::file_of;

/// What was read, and from what.
#[derive(Clone, Debug)]
pub(super) struct KnownPrompts {
    /// Each file with its digest; without one where the skill has no such file.
    sources: Vec<(String, Option<FileDigest>)>,
    pub(super) prompts: Arc<[SkillPrompt]>,
    /// Why others cannot be used.
    pub(super) faults: Vec<String>,
    /// A file could not be used as a whole.
    is_torn: bool,
    /// These are prompts from before a save that broke a file.
    is_kept: bool,
}

impl KnownPrompts {
    /// Whether this was read from the files as the manifest has them.
    pub(super) fn is_of(&self, skill: &LoadedSkill, manifest: &FileManifest) -> bool {
        self.sources == sources(skill, manifest)
    }

    /// The same after an earlier reading: where a save broke a file, the prompts from before it stay.
    pub(super) fn after(mut self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        let is_same = before.prompts == self.prompts;
        let same_files = || {
            let paths = |known: &Self| -> Vec<String> {
                known.sources.iter().map(|(path, _)| path.clone()).collect()
            };
            paths(before) == paths(&self)
        };
        self.is_kept = !is_same && self.is_torn && same_files();
        if is_same || self.is_kept {
            self.prompts = Arc::clone(&before.prompts);
        }
        self
    }

    /// That prompts from before are in use, where they are.
    pub(super) fn kept(&self, skill: &LoadedSkill) -> Option<Diagnostic> {
        // What is wrong with the file is among the findings of the skill; this one stands where that is.
        let file = match self.sources.as_slice() {
            [(file, _)] => file,
            _ => SKILL_FILE,
        };
        self.is_kept.then(|| {
            Diagnostic::warning(
                LAST_GOOD_KEPT,
                "a prompts file is broken; the prompts from before stay in use",
            )
            .at(Location::file(file_of(skill, file)), "")
            .help("mend the prompts file, and save")
        })
    }

    /// Reads them; `None` when a file has other bytes than the manifest says.
    pub(super) fn read(skill: &LoadedSkill, manifest: &FileManifest) -> Option<Self> {
        let sources = sources(skill, manifest);
        let files: Vec<String> = sources.iter().map(|(path, _)| path.clone()).collect();
        let mut is_torn = false;
        let read = read_prompts(&files, |path| {
            let Some(file) = manifest.get(path) else {
                return Err(format!("{path}: the skill has no such file"));
            };
            let bytes = skill.files.read(path, MANIFEST_BYTES);
            let bytes = bytes.map_err(|error| error.to_string());
            is_torn |= bytes
                .as_ref()
                .is_ok_and(|bytes| digest(bytes) != file.digest)
                || bytes.is_err();
            bytes
        });
        (!is_torn).then(|| Self {
            sources,
            prompts: read.prompts.into(),
            faults: read.faults,
            is_torn: read.is_torn,
            is_kept: false,
        })
    }
}

fn sources(skill: &LoadedSkill, manifest: &FileManifest) -> Vec<(String, Option<FileDigest>)> {
    let paths = manifest.files.iter().map(|file| &*file.path);
    let files = prompt_files(&skill.metadata, paths).into_iter();
    files
        .map(|path| {
            let digest = manifest.get(&path).map(|file| file.digest);
            (path, digest)
        })
        .collect()
}
