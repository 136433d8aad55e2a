//! Skills that went because they were not there at the moment when somebody asked: editors, `git` and installers replace a
//! folder by renaming it away, or write it anew. Where nobody follows the folders, the next question that finds one brings
//! it back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
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
pub(crate) struct SkillFileStamp {
    name: OsString,
    size: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds of the last change of any kind; zero where the platform has none.
    changed: (i64, i64),
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
pub(crate) fn skill_file(folder: &Path) -> Option<SkillFileStamp> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let names = names.filter(|name| name.eq_ignore_ascii_case(SKILL_FILE));
    // Of several the scan takes the one that is spelled right.
    let name = names.min_by_key(|name| (name != SKILL_FILE, name.clone()))?;
    let found = std::fs::metadata(folder.join(&name)).ok()?;
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt as _;
        (found.ctime(), found.ctime_nsec())
    };
    #[cfg(not(unix))]
    let changed = (0, 0);
    Some(SkillFileStamp {
        name,
        size: found.len(),
        modified: found.modified().ok(),
        changed,
    })
}

/// Where a skill lies, links not followed.
pub(crate) fn place(skill: &LoadedSkill) -> PathBuf {
    skill.root.path.join(&skill.display_path)
}

impl SkillCatalog {
    /// Discovers anew if a way to the skills leads elsewhere by now, if a skill that a question took out is there again, or
    /// if one that its SKILL.md kept back has another one. Blocks.
    pub(crate) fn bring_back(&self) {
        let (departed, ways) = (&self.shared.departed, &self.shared.ways);
        let kept_back = &self.shared.kept_back;
        if !departed.is_any() && ways.turned().is_empty() && kept_back.are_as_they_were() {
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
        let (is_back, is_mended) = (departed.is_worth_a_look(), kept_back.is_worth_a_look());
        if is_back || is_mended {
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
