//! Where the ways to the skills lead: a release is often swapped in by turning a link, which changes nothing in the
//! folders that were read. Where nobody follows the folders, the next question sees it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_loader::{LoadedSkill, Root, ScanReport};

/// The ways that the last scan went, as far as a turned link may lead them elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<Arc<[Way]>>);

/// One way, and the folder that it led to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    path: PathBuf,
    leads_to: PathBuf,
    is_root: bool,
}

impl Way {
    fn leads_elsewhere(&self) -> bool {
        match self.path.canonicalize() {
            Ok(now) => now != self.leads_to,
            Err(error) => error.kind() == io::ErrorKind::NotFound && self.is_taken_away(),
        }
    }

    /// A link that leads nowhere may lead to a drive that is away for a moment, and so may a root: neither takes a skill
    /// from the catalog. One that was removed does.
    fn is_taken_away(&self) -> bool {
        let is_away = self.path.symlink_metadata().is_err();
        !self.is_root && is_away && self.path.parent().is_some_and(Path::is_dir)
    }
}

impl Ways {
    fn lock(&self) -> MutexGuard<'_, Arc<[Way]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where roots lead. To be asked before they are scanned: what is turned meanwhile is then seen by the next question.
    pub(crate) fn of_roots(roots: &[Root]) -> Vec<Way> {
        let ways = roots.iter().filter_map(|root| {
            Some(Way {
                leads_to: root.path.canonicalize().ok()?,
                path: root.path.clone(),
                is_root: true,
            })
        });
        ways.collect()
    }

    /// Those of a scan: its roots, and the links below them that led to a skill.
    pub(crate) fn set(&self, roots: Vec<Way>, report: &ScanReport) {
        let shadowed = report.shadowed.iter().map(|shadowed| &shadowed.skill);
        let skills = report.skills.iter().chain(shadowed);
        let links: BTreeSet<Way> = skills.filter_map(|skill| link_to(skill, &roots)).collect();
        *self.lock() = roots.into_iter().chain(links).collect();
    }

    /// Those that lead elsewhere by now. This asks the disk.
    pub(crate) fn turned(&self) -> Vec<Way> {
        let ways = Arc::clone(&*self.lock());
        let turned = ways.iter().filter(|way| way.leads_elsewhere());
        turned.cloned().collect()
    }

    /// What a scan saw no otherwise than before is nothing to scan for again.
    pub(crate) fn forget(&self, tried: &[Way]) {
        let mut ways = self.lock();
        if ways.iter().any(|way| !way.is_root && tried.contains(way)) {
            let kept = ways
                .iter()
                .filter(|way| way.is_root || !tried.contains(way));
            *ways = kept.cloned().collect();
        }
    }
}

/// The shortest way below the root behind which no link stands any more, where a link leads to the skill.
fn link_to(skill: &LoadedSkill, roots: &[Way]) -> Option<Way> {
    let root = roots.iter().find(|root| root.path == skill.root.path);
    let below = Path::new(&skill.display_path);
    if root.is_some_and(|root| joined(&root.leads_to, below) == skill.path) {
        return None;
    }
    let mut path = skill.root.path.clone();
    let mut parts = below.components();
    while let Some(part) = parts.next() {
        path.push(part);
        let leads_to = path.canonicalize().ok();
        if let Some(leads_to) = leads_to
            && joined(&leads_to, parts.as_path()) == skill.path
        {
            return Some(Way {
                path,
                leads_to,
                is_root: false,
            });
        }
    }
    Some(Way {
        path,
        leads_to: skill.path.clone(),
        is_root: false,
    })
}

/// Of nothing below, the folder itself.
fn joined(folder: &Path, below: &Path) -> PathBuf {
    folder.components().chain(below.components()).collect()
}
