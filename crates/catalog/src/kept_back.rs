//! Skills that their own `SKILL.md` keeps from being served, or from being skills: nobody looks at their files, so nobody would
//! see that they were mended. Where nobody follows the folders, the next question does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use metier_loader::ScanReport;

use crate::departed::{SkillFileStamp, place, skill_file};

/// So many are looked at; with one that is mended all others are read again.
const MOST: usize = 256;

/// The folders of those of the catalog's own last scan.
#[derive(Debug, Default)]
pub(crate) struct KeptBack(Mutex<BTreeMap<PathBuf, Seen>>);

/// The SKILL.md that was there when somebody looked last, if one was; nothing where nobody has looked.
type Seen = Option<Option<SkillFileStamp>>;

impl KeptBack {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is one.
    pub(crate) fn is_any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Those of a scan. What is known of one stays known.
    pub(crate) fn set(&self, report: &ScanReport) {
        let shadowed = report.shadowed.iter().map(|shadowed| &shadowed.skill);
        let skills = report.skills.iter().chain(shadowed);
        let kept = skills.filter(|skill| skill.not_served.is_some());
        let kept = kept.map(|skill| place(skill));
        let rejected = report.rejected.iter();
        let rejected = rejected.map(|skill| skill.root.path.join(&skill.display_path));
        let mut known = self.lock();
        let before = std::mem::take(&mut *known);
        let places = kept.chain(rejected).take(MOST);
        known.extend(places.map(|place| {
            let seen = before.get(&place).cloned().flatten();
            (place, seen)
        }));
    }

    /// Whether each has the SKILL.md of the last look. This asks the disk.
    pub(crate) fn are_as_they_were(&self) -> bool {
        let known = self.lock().clone();
        known
            .iter()
            .all(|(folder, seen)| seen.as_ref() == Some(&skill_file(folder)))
    }

    /// Whether one has another, which is known from now on.
    pub(crate) fn is_worth_a_look(&self) -> bool {
        let mut is_new = false;
        for (folder, seen) in &mut *self.lock() {
            let now = Some(skill_file(folder));
            is_new |= now != *seen;
            *seen = now;
        }
        is_new
    }
}
