//! The layer that outlives sessions.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{MemoryEntry, MemoryFilter, MemoryQuery};

/// What happens to an entry about the same key, session and application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The new one takes its place.
    Replace,
    /// Score, `count`, `ok_count` and `fail_count` are added up; the rest is the new one's.
    AddUp,
}

/// Why the long-term layer could not be reached.
#[derive(Debug, thiserror::Error)]
#[error("the long-term memory {place}: {reason}; {cure}")]
#[non_exhaustive]
pub struct StoreError {
    /// Which one.
    pub place: String,
    /// What went wrong.
    pub reason: String,
    /// What helps.
    pub cure: String,
}

impl StoreError {
    /// An error with its cure.
    pub fn new(
        place: impl Into<String>,
        reason: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            reason: reason.into(),
            cure: cure.into(),
        }
    }
}

/// Keeps long-term entries. The order of a store is the order in which entries were put in; no time
/// of day counts. Methods may block.
pub trait LongTermStore: fmt::Debug + Send + Sync {
    /// Keeps these entries, all or none, and drops the oldest beyond `most`.
    ///
    /// # Errors
    /// The store cannot be written.
    fn put(
        &self,
        entries: Vec<MemoryEntry>,
        existing: Existing,
        most: usize,
    ) -> Result<(), StoreError>;

    /// The entries that match, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn query(&self, query: &MemoryQuery) -> Result<Vec<MemoryEntry>, StoreError>;

    /// Removes what matches, and says how many that were. A filter without anything in it removes
    /// everything: the refusal of that is [`AgentMemory::forget`](crate::AgentMemory::forget)'s.
    ///
    /// # Errors
    /// The store cannot be written.
    fn forget(&self, filter: &MemoryFilter) -> Result<usize, StoreError>;

    /// How many entries there are.
    ///
    /// # Errors
    /// The store cannot be read.
    fn len(&self) -> Result<usize, StoreError>;

    /// A number that is another one after every change, whoever made it, so that what was read need not be read again;
    /// `None` where that is not known. It costs far less than reading.
    fn revision(&self) -> Option<u64> {
        None
    }

    /// Whether there is none.
    ///
    /// # Errors
    /// The store cannot be read.
    fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }
}

/// The new entry over the one that is there.
pub(crate) fn combined(old: &MemoryEntry, mut new: MemoryEntry, existing: Existing) -> MemoryEntry {
    if existing == Existing::AddUp {
        new.score = new.score.saturating_add(old.score);
        for name in ["count", "ok_count", "fail_count"] {
            if old.facts.contains_key(name) || new.facts.contains_key(name) {
                let sum = new.number(name).saturating_add(old.number(name));
                new.facts.insert(name.to_owned(), sum.into());
            }
        }
    }
    new
}

/// A long-term layer that ends with the process.
#[derive(Debug, Default)]
pub struct InMemoryLongTerm {
    /// Oldest first.
    entries: Mutex<VecDeque<MemoryEntry>>,
    revision: AtomicU64,
}

impl InMemoryLongTerm {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<MemoryEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entries, of which some will be others.
    fn change(&self) -> MutexGuard<'_, VecDeque<MemoryEntry>> {
        let entries = self.entries();
        self.revision.fetch_add(1, Ordering::AcqRel);
        entries
    }

    /// Everything, oldest first; nothing is left.
    pub(crate) fn take(&self) -> Vec<MemoryEntry> {
        std::mem::take(&mut *self.change()).into()
    }
}

impl LongTermStore for InMemoryLongTerm {
    fn put(
        &self,
        new: Vec<MemoryEntry>,
        existing: Existing,
        most: usize,
    ) -> Result<(), StoreError> {
        let mut entries = self.change();
        for entry in new {
            let there = entries.iter().position(|old| old.same_subject(&entry));
            let entry = match there.and_then(|at| entries.remove(at)) {
                Some(old) => combined(&old, entry, existing),
                None => entry,
            };
            entries.push_back(entry);
        }
        let surplus = entries.len().saturating_sub(most);
        entries.drain(..surplus);
        Ok(())
    }

    fn query(&self, query: &MemoryQuery) -> Result<Vec<MemoryEntry>, StoreError> {
        Ok(self
            .entries()
            .iter()
            .rev()
            .filter(|entry| query.filter.matches(entry))
            .take(query.limit)
            .cloned()
            .collect())
    }

    fn forget(&self, filter: &MemoryFilter) -> Result<usize, StoreError> {
        let mut entries = self.change();
        let before = entries.len();
        entries.retain(|entry| !filter.matches(entry));
        Ok(before - entries.len())
    }

    fn revision(&self) -> Option<u64> {
        Some(self.revision.load(Ordering::Acquire))
    }

    fn len(&self) -> Result<usize, StoreError> {
        Ok(self.entries().len())
    }
}
