//! Who compares what skills are with what was shown of them: each server from where it stands itself.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::catalog::SkillCatalog;

/// One server's place in what clients were shown of each skill ([`SkillShelf::turns_since`](super::SkillShelf::turns_since)).
/// What it has not counted is kept for it until it is dropped.
#[derive(Debug)]
pub struct SkillReader {
    id: u64,
    readers: Arc<Readers>,
}

/// The readers of one catalog.
#[derive(Debug, Default)]
pub(crate) struct Readers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    next: u64,
    live: BTreeSet<u64>,
}

/// The readers that there are at one moment.
#[derive(Debug)]
pub(super) struct LiveReaders {
    newest: u64,
    live: BTreeSet<u64>,
}

impl LiveReaders {
    /// Whether a reader has gone. One that came since is there.
    pub(super) fn is_gone(&self, id: u64) -> bool {
        id <= self.newest && !self.live.contains(&id)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u64> {
        self.live.iter().copied()
    }
}

impl Readers {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SkillReader {
    pub(super) const fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn live(&self) -> LiveReaders {
        let known = self.readers.lock();
        LiveReaders {
            newest: known.next,
            live: known.live.clone(),
        }
    }
}

impl Drop for SkillReader {
    fn drop(&mut self) {
        self.readers.lock().live.remove(&self.id);
    }
}

impl SkillCatalog {
    /// Counts the changes of skills from now on, beside whoever else does.
    pub fn skill_reader(&self) -> SkillReader {
        let readers = Arc::clone(&self.shared.readers);
        let id = {
            let mut known = readers.lock();
            known.next += 1;
            let id = known.next;
            known.live.insert(id);
            id
        };
        let reader = SkillReader { id, readers };
        for skill in self.snapshot().shelf().all_after("") {
            skill.shown().begin(&reader);
        }
        reader
    }
}
