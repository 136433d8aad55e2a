//! The prompts that a skill brings along, read from the files that its manifest names.

use std::sync::Arc;

use metier_loader::{
    FileDigest, FileManifest, LoadedSkill, MANIFEST_BYTES, SkillPrompt, digest, prompt_files,
    read_prompts,
};

/// What was read, and from what.
#[derive(Debug)]
pub(super) struct KnownPrompts {
    /// Each file with its digest; without one where the skill has no such file.
    sources: Vec<(String, Option<FileDigest>)>,
    pub(super) prompts: Arc<[SkillPrompt]>,
    /// Why others cannot be used.
    pub(super) faults: Vec<String>,
}

impl KnownPrompts {
    /// Whether this was read from the files as the manifest has them.
    pub(super) fn is_of(&self, skill: &LoadedSkill, manifest: &FileManifest) -> bool {
        self.sources == sources(skill, manifest)
    }

    /// Reads them; `None` when a file has other bytes than the manifest says.
    pub(super) fn read(skill: &LoadedSkill, manifest: &FileManifest) -> Option<Self> {
        let sources = sources(skill, manifest);
        let files: Vec<String> = sources.iter().map(|(path, _)| path.clone()).collect();
        let mut is_torn = false;
        let (prompts, faults) = read_prompts(&files, |path| {
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
            prompts: prompts.into(),
            faults,
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
