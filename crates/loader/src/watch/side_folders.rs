//! The folders inside skills that hold files for readers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::MANIFEST_FILES;
use crate::parallel::in_parallel;
use crate::report::ScanReport;

/// Which folders each skill's served files lie in. A skill is walked again when something in it may
/// have changed; the others cost nothing.
#[derive(Debug, Default)]
pub(super) struct SideFolders {
    /// By the folder of the skill, below it.
    known: BTreeMap<PathBuf, Vec<String>>,
    /// Those that were walked since [`SideFolders::begin`]: what was made in a folder before it was
    /// watched is only found by another walk.
    walked: BTreeSet<PathBuf>,
}

impl SideFolders {
    /// A new round begins.
    pub(super) fn begin(&mut self) {
        self.walked.clear();
    }

    /// Adds the folders of every served skill of a report.
    pub(super) fn add_to(
        &mut self,
        folders: &mut BTreeSet<PathBuf>,
        report: &ScanReport,
        touched: impl Fn(&Path) -> bool + Sync,
    ) {
        let shadowed = report.shadowed.iter().map(|shadowed| &shadowed.skill);
        let served: Vec<_> = report
            .skills
            .iter()
            .chain(shadowed)
            .filter(|skill| skill.not_served.is_none())
            .collect();
        let mut before = std::mem::take(&mut self.known);
        let mut anew = Vec::new();
        for skill in served {
            match before.remove(&skill.path) {
                Some(known) if !touched(&skill.path) && !self.walked.contains(&skill.path) => {
                    self.known.insert(skill.path.clone(), known);
                }
                _ => anew.push(skill),
            }
        }
        let walks = in_parallel(&anew, |skill| {
            let handle = skill.files.handle();
            handle.map_or_else(|_| Vec::new(), |it| it.served_folders(MANIFEST_FILES))
        });
        for (skill, found) in anew.into_iter().zip(walks) {
            self.walked.insert(skill.path.clone());
            self.known.insert(skill.path.clone(), found);
        }
        for (skill, below) in &self.known {
            folders.insert(skill.clone());
            folders.extend(below.iter().map(|folder| skill.join(folder)));
        }
    }
}
