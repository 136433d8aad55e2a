//! Skills that went because they were not there at the moment when somebody asked: editors, `git` and installers replace a
//! folder by renaming it away. Where nobody follows the folders, the next question that finds one brings it back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::catalog::SkillCatalog;
use crate::shelf::{SKILL_FILE, SkillShelf};

/// So many are looked for; of more that go at once, any one that comes back brings the others.
const MOST: usize = 256;

/// Where they lay, below their roots.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    /// Whether there is one, so that a question usually takes no lock.
    any: AtomicBool,
    folders: Mutex<BTreeSet<PathBuf>>,
}

impl Departed {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one of them is there again; those that are need not be looked for any more.
    fn take_returned(&self) -> bool {
        let mut folders = self.lock();
        let before = folders.len();
        folders.retain(|folder| !has_skill_file(folder));
        folders.len() < before
    }

    fn is_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// What was taken is found by now.
    fn settle(&self) {
        let folders = self.lock();
        self.any.store(!folders.is_empty(), Ordering::Release);
    }

    fn note(&self, gone: impl Iterator<Item = PathBuf>) {
        let mut folders = self.lock();
        for folder in gone {
            if folders.len() >= MOST {
                break;
            }
            folders.insert(folder);
        }
        self.any.store(!folders.is_empty(), Ordering::Release);
    }
}

/// In whatever letters the scan takes it.
fn has_skill_file(folder: &Path) -> bool {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| name.eq_ignore_ascii_case(SKILL_FILE))
}

impl SkillCatalog {
    /// Discovers anew if a skill that a question took out is there again. Blocks.
    pub(crate) fn bring_back(&self) {
        let departed = &self.shared.departed;
        if !departed.is_any() {
            return;
        }
        // Whoever asks meanwhile waits until it is there.
        let _taking_over = self.take_over();
        if departed.take_returned() {
            self.rediscover();
        }
        departed.settle();
    }

    /// The right to read the folders because of what a question found.
    pub(crate) fn take_over(&self) -> MutexGuard<'_, ()> {
        let right = self.shared.taking_over.lock();
        right.unwrap_or_else(PoisonError::into_inner)
    }

    /// What went with a discovery that a question made.
    pub(crate) fn remember_departed(&self, before: &SkillShelf, after: &SkillShelf) {
        let there: BTreeSet<&Path> = after
            .all_after("")
            .map(|skill| skill.skill().path.as_path())
            .collect();
        let gone = before.all_after("").map(|skill| skill.skill());
        let gone = gone.filter(|skill| !there.contains(skill.path.as_path()));
        let places = gone.map(|skill| skill.root.path.join(&skill.display_path));
        self.shared.departed.note(places);
    }
}
