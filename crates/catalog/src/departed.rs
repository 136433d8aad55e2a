//! Skills that went because they were not there at the moment when somebody asked: editors, `git` and installers replace a
//! folder by renaming it away, or write it anew. Where nobody follows the folders, the next question that finds one brings
//! it back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use metier_loader::LoadedSkill;

use crate::catalog::SkillCatalog;
use crate::shelf::{SKILL_FILE, SkillShelf};

/// So many are looked for; of more that go at once, any one that comes back brings the others.
const MOST: usize = 256;

/// Where they lay, below their roots, each with the SKILL.md with which it was looked for last.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    /// Whether there is one, so that a question usually takes no lock.
    any: AtomicBool,
    folders: Mutex<BTreeMap<PathBuf, Option<SkillFileStamp>>>,
}

/// Tells one state of a SKILL.md from the next: one that is just being written is found when it is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SkillFileStamp {
    size: u64,
    modified: Option<SystemTime>,
}

impl Departed {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Option<SkillFileStamp>>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one of them has a SKILL.md again with which it was not looked for yet.
    fn is_worth_a_look(&self) -> bool {
        let mut is_new = false;
        for (folder, tried) in &mut *self.lock() {
            let now = skill_file(folder);
            is_new |= now.is_some() && now != *tried;
            *tried = now;
        }
        is_new
    }

    /// Those need not be looked for any more. One that went again meanwhile is still missed.
    fn forget(&self, found: &BTreeSet<PathBuf>) {
        let mut folders = self.lock();
        folders.retain(|folder, _| !found.contains(folder));
        self.any.store(!folders.is_empty(), Ordering::Release);
    }

    fn is_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    fn note(&self, gone: impl Iterator<Item = PathBuf>) {
        let mut folders = self.lock();
        for folder in gone {
            if folders.len() >= MOST {
                break;
            }
            folders.insert(folder, None);
        }
        self.any.store(!folders.is_empty(), Ordering::Release);
    }
}

/// In whatever letters the scan takes it.
fn skill_file(folder: &Path) -> Option<SkillFileStamp> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files = entries.filter(|entry| entry.file_name().eq_ignore_ascii_case(SKILL_FILE));
    let found = std::fs::metadata(files.next()?.path()).ok()?;
    Some(SkillFileStamp {
        size: found.len(),
        modified: found.modified().ok(),
    })
}

fn place(skill: &LoadedSkill) -> PathBuf {
    skill.root.path.join(&skill.display_path)
}

impl SkillCatalog {
    /// Discovers anew if a way to the skills leads elsewhere by now, or if a skill that a question took out is there again.
    /// Blocks.
    pub(crate) fn bring_back(&self) {
        let (departed, ways) = (&self.shared.departed, &self.shared.ways);
        if !departed.is_any() && ways.turned().is_empty() {
            return;
        }
        // Whoever asks meanwhile waits until it is there.
        let _taking_over = self.take_over();
        let turned = ways.turned();
        if !turned.is_empty() {
            let before = self.snapshot();
            self.rediscover();
            ways.forget(&turned);
            self.remember_departed(before.shelf(), self.snapshot().shelf());
        }
        if departed.is_worth_a_look() {
            self.rediscover();
            let snapshot = self.snapshot();
            let skills = &snapshot.parts.skills;
            let used = skills.entries.values().map(|entry| &*entry.skill);
            let shadowed = skills.shadowed.iter().map(|shadowed| &*shadowed.skill);
            departed.forget(&used.chain(shadowed).map(place).collect());
        }
    }

    /// The right to read the folders because of what a question found.
    pub(crate) fn take_over(&self) -> MutexGuard<'_, ()> {
        let right = self.shared.taking_over.lock();
        right.unwrap_or_else(PoisonError::into_inner)
    }

    /// What went with a discovery that a question made.
    pub(crate) fn remember_departed(&self, before: &SkillShelf, after: &SkillShelf) {
        let places = |shelf: &SkillShelf| -> BTreeSet<PathBuf> {
            let skills = shelf.all_after("");
            skills.map(|skill| place(skill.skill())).collect()
        };
        let there = places(after);
        let gone = places(before);
        let gone = gone.into_iter().filter(|place| !there.contains(place));
        self.shared.departed.note(gone);
    }
}
