//! One served skill: its manifest, and its files as they are read.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use metier_loader::{
    FileManifest, LoadedSkill, MANIFEST_BYTES, ManifestCache, ManifestFile, ParseMode,
    ReadFileError, SkillPrompt, digest, parse_skill_dir, read_prompts,
};

use super::{SKILL_FILE, encoded};

/// How often a reading is repeated while somebody writes.
const TRIES: usize = 4;

/// A skill whose files are served.
#[derive(Debug)]
pub(crate) struct ServedSkill {
    /// What stands between `skill://` and its files: its name, or a label and its name.
    pub(crate) key: String,
    pub(crate) skill: Arc<LoadedSkill>,
    state: Mutex<State>,
    prompts: OnceLock<Vec<SkillPrompt>>,
}

#[derive(Debug, Default)]
struct State {
    cache: ManifestCache,
    checked: Option<Arc<Checked>>,
    /// What was found and has not been told yet.
    untold: Change,
}

/// Every file of a skill, or why it is not served after all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) manifest: Result<FileManifest, String>,
}

/// Why a file is not answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadFault {
    /// There is no such file, or none that is served.
    NotFound,
    /// The whole skill is not served.
    LeftOut(String),
    /// It is there and cannot be read now.
    Failed(String),
}

/// What a look at the files found against the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    #[default]
    None,
    /// Other files, or other bytes in them.
    Files,
    /// `SKILL.md` says something else than the catalog has read.
    SkillFile,
}

/// A file as it was read, which is also what the manifest says of it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Vec<u8>,
    pub(crate) file: ManifestFile,
    /// What the reading found against the last manifest.
    pub(crate) change: Change,
}

impl Default for Checked {
    fn default() -> Self {
        Self {
            manifest: Ok(FileManifest::default()),
        }
    }
}

impl Checked {
    fn skill_file(&self) -> Option<&str> {
        let file = self.manifest.as_ref().ok()?.get(SKILL_FILE)?;
        Some(&file.digest)
    }
}

impl ServedSkill {
    pub(crate) fn new(key: String, skill: Arc<LoadedSkill>) -> Self {
        Self {
            key,
            skill,
            state: Mutex::default(),
            prompts: OnceLock::new(),
        }
    }

    /// The URI of the folder.
    pub(crate) fn uri(&self) -> String {
        format!("skill://{}", self.key)
    }

    /// The URI of a file.
    pub(crate) fn uri_of(&self, path: &str) -> String {
        format!("skill://{}/{}", self.key, encoded(path))
    }

    /// The URI by which the skill is known.
    pub(crate) fn entry_uri(&self) -> String {
        self.uri_of(SKILL_FILE)
    }

    /// The prompts that it brings along beside its instructions. Blocks.
    pub(crate) fn prompts(&self) -> &[SkillPrompt] {
        self.prompts.get_or_init(|| {
            let (prompts, faults) = read_prompts(&self.skill);
            for fault in faults {
                tracing::warn!(
                    skill = self.key,
                    fault,
                    "a prompt of a skill cannot be used"
                );
            }
            prompts
        })
    }

    /// Looks at every file; only what changed is read. Blocks.
    pub(crate) fn check(&self) -> (Arc<Checked>, Change) {
        let mut state = self.lock();
        let checked = self.renew(&mut state).0;
        (checked, std::mem::take(&mut state.untold))
    }

    /// What the last look said; looks when there was none. Blocks.
    pub(crate) fn known(&self) -> Arc<Checked> {
        let mut state = self.lock();
        match &state.checked {
            Some(checked) => Arc::clone(checked),
            None => self.renew(&mut state).0,
        }
    }

    /// Reads a file once; its bytes and its manifest entry agree. Blocks.
    pub(crate) fn read(&self, path: &str) -> Result<Read, ReadFault> {
        let mut state = self.lock();
        let mut checked = match &state.checked {
            Some(checked) => Arc::clone(checked),
            None => self.renew(&mut state).0,
        };
        for _ in 0..TRIES {
            let manifest = checked
                .manifest
                .as_ref()
                .map_err(|reason| ReadFault::LeftOut(reason.clone()))?;
            let found = match manifest.get(path) {
                None => Err(ReadFault::NotFound),
                Some(file) => match self.skill.files.read(path, MANIFEST_BYTES) {
                    Ok(bytes)
                        if file.size == bytes.len() as u64 && file.digest == digest(&bytes) =>
                    {
                        let file = file.clone();
                        return Ok(Read {
                            bytes,
                            file,
                            change: std::mem::take(&mut state.untold),
                        });
                    }
                    Ok(_) => Err(ReadFault::Failed("it is being written to".to_owned())),
                    Err(
                        ReadFileError::NotFound { .. }
                        | ReadFileError::Outside { .. }
                        | ReadFileError::NotAFile { .. },
                    ) => Err(ReadFault::NotFound),
                    Err(error) => Err(ReadFault::Failed(error.to_string())),
                },
            };
            // The manifest may be old: a second look decides.
            let (next, differs) = self.renew(&mut state);
            if differs == Change::None {
                found?;
            }
            checked = next;
        }
        Err(ReadFault::Failed("it is being written to".to_owned()))
    }

    fn renew(&self, state: &mut State) -> (Arc<Checked>, Change) {
        let manifest = state
            .cache
            .manifest(&self.skill.files)
            .map_err(|error| error.to_string());
        let next = Checked { manifest };
        if let Some(known) = state.checked.as_ref().filter(|known| ***known == next) {
            return (Arc::clone(known), Change::None);
        }
        let before = state.checked.replace(Arc::new(next));
        let next = state.checked.clone().unwrap_or_default();
        let same_text = before
            .as_ref()
            .is_some_and(|before| before.skill_file() == next.skill_file());
        let change = if same_text {
            Change::Files
        } else if self.says_something_else() {
            Change::SkillFile
        } else if before.is_some() {
            Change::Files
        } else {
            Change::None
        };
        state.untold = state.untold.max(change);
        (next, change)
    }

    /// Whether the front matter is another one than the catalog has read.
    fn says_something_else(&self) -> bool {
        let read = parse_skill_dir(&self.skill.path, ParseMode::Lenient);
        read.is_ok_and(|now| now.metadata.front_matter != self.skill.metadata.front_matter)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
