//! The three layers together.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::compaction::patterns;
use crate::redaction::redact_text;
use crate::sessions::Sessions;
use crate::summary::ToolRecords;
use crate::{
    Clock, Existing, InMemoryLongTerm, LongTermStore, MemoryEntry, MemoryError, MemoryFilter,
    MemoryLayer, MemoryLimits, MemoryQuery, StoreError, SystemClock, redact,
};

/// The three layers. No lock is held while the long-term store is at work, but that of the sessions that end then.
#[derive(Debug)]
pub struct AgentMemory {
    limits: MemoryLimits,
    clock: Arc<dyn Clock>,
    sessions: Mutex<Sessions>,
    pub(crate) long_term: Arc<dyn LongTermStore>,
    /// Patterns that the store did not take. They are part of the memory, and tried again.
    pub(crate) waiting: InMemoryLongTerm,
    /// How often the store was to take what waits, and up to which of them it was asked.
    asked: AtomicU64,
    tried: Mutex<u64>,
    /// What the store says of all tools of an application, as long as its revision is this.
    pub(crate) learned: Mutex<BTreeMap<String, (u64, Arc<ToolRecords>)>>,
}

impl AgentMemory {
    /// A memory that ends with the process.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(InMemoryLongTerm::new()))
    }

    /// A memory whose long-term layer is this store.
    pub fn new(long_term: Arc<dyn LongTermStore>) -> Self {
        Self {
            limits: MemoryLimits::default(),
            clock: Arc::new(SystemClock::default()),
            sessions: Mutex::default(),
            long_term,
            waiting: InMemoryLongTerm::new(),
            asked: AtomicU64::new(0),
            tried: Mutex::default(),
            learned: Mutex::default(),
        }
    }

    /// Holds as much as this instead.
    #[must_use]
    pub fn with_limits(mut self, limits: MemoryLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Reads this clock instead of the machine's.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How much it holds.
    pub fn limits(&self) -> &MemoryLimits {
        &self.limits
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an entry, redacted and cut to size. A long-term entry takes the place of the one with
    /// the same key, session and application.
    ///
    /// # Errors
    /// [`MemoryError::TooLong`] for a name of more than 256 characters, [`MemoryError::Store`] when
    /// the long-term layer cannot be written.
    pub fn put(&self, mut entry: MemoryEntry) -> Result<(), MemoryError> {
        for (what, name) in [
            ("key", &entry.key),
            ("session", &entry.session_id),
            ("application", &entry.dcc_name),
        ] {
            let found = name.chars().count();
            if found > MemoryEntry::LONGEST_NAME {
                return Err(MemoryError::TooLong { what, found });
            }
        }
        // Applications have one name, in whichever case it is given.
        entry.dcc_name.make_ascii_lowercase();
        entry.key = redact_text(&entry.key);
        entry.facts = redact(&entry.facts);
        entry.created_ms = self.clock.unix_ms();
        if entry.layer == MemoryLayer::LongTerm {
            let most = self.limits.long_term;
            self.long_term.put(vec![entry], Existing::Replace, most)?;
            return Ok(());
        }
        let uptime = self.clock.uptime();
        let displaced = self.sessions().put(entry, &self.limits, uptime);
        // Calls do not wait for a store that took nothing last time: the next end of a session asks it again.
        if displaced.is_empty() {
            return Ok(());
        }
        Ok(self.promote(&displaced)?)
    }

    /// The entries that match: those of sessions first, then the long-term ones, each newest first.
    /// Entries of the same moment come in the order in which they were put in, the later one first.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn query(&self, query: &MemoryQuery) -> Result<Vec<MemoryEntry>, MemoryError> {
        let uptime = self.clock.uptime();
        let (filter, most) = (&query.filter, query.limit);
        let mut found = self.sessions().query(filter, most, &self.limits, uptime);
        if filter.wants(MemoryLayer::LongTerm) {
            for store in [&self.waiting as &dyn LongTermStore, &*self.long_term] {
                let rest = most - found.len();
                if rest > 0 {
                    found.extend(store.query(&query.clone().limit(rest))?);
                }
            }
        }
        Ok(found)
    }

    /// Removes the entries that match everything the filter says, and says how many those were.
    ///
    /// # Errors
    /// [`MemoryError::NoFilter`] when the filter says nothing, [`MemoryError::Store`] when the
    /// long-term layer cannot be written.
    pub fn forget(&self, filter: &MemoryFilter) -> Result<usize, MemoryError> {
        if filter.is_everything() {
            return Err(MemoryError::NoFilter);
        }
        self.remove(filter)
    }

    /// Empties all layers, and says how many entries were there.
    ///
    /// # Errors
    /// The long-term layer cannot be written.
    pub fn clear(&self) -> Result<usize, MemoryError> {
        self.remove(&MemoryFilter::new())
    }

    fn remove(&self, filter: &MemoryFilter) -> Result<usize, MemoryError> {
        let uptime = self.clock.uptime();
        let mut gone = self.sessions().forget(filter, &self.limits, uptime);
        if filter.wants(MemoryLayer::LongTerm) {
            gone += self.waiting.forget(filter)?;
            gone += self.long_term.forget(filter)?;
        }
        Ok(gone)
    }

    /// Ends a session: its working entries become long-term patterns, and everything else of it in
    /// the two layers of sessions is forgotten. A session that is unknown, or has ended already, has
    /// nothing to give.
    ///
    /// # Errors
    /// The long-term layer cannot be written. The patterns are kept in memory and tried again when
    /// the next session ends.
    pub fn end_session(&self, session_id: &str) -> Result<(), MemoryError> {
        let uptime = self.clock.uptime();
        let working = self.sessions().end(session_id, &self.limits, uptime);
        Ok(self.promote(&working)?)
    }

    /// Ends a session of which nothing shall stay.
    pub fn drop_session(&self, session_id: &str) {
        let uptime = self.clock.uptime();
        self.sessions().end(session_id, &self.limits, uptime);
    }

    /// How many entries are held, in all layers.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn len(&self) -> Result<usize, MemoryError> {
        let uptime = self.clock.uptime();
        let in_sessions = self.sessions().len(&self.limits, uptime);
        Ok(in_sessions + self.waiting.len()? + self.long_term.len()?)
    }

    /// Whether nothing is held.
    ///
    /// # Errors
    /// The long-term layer cannot be read.
    pub fn is_empty(&self) -> Result<bool, MemoryError> {
        Ok(self.len()? == 0)
    }

    /// Has the store take the patterns that it did not take when their sessions ended. For whoever ends: no session
    /// follows that would try it again.
    ///
    /// # Errors
    /// The long-term layer still cannot be written; [`waiting`](Self::waiting) says how much of it is lost then.
    pub fn write_waiting(&self) -> Result<(), MemoryError> {
        if self.waiting() == 0 {
            return Ok(());
        }
        Ok(self.promote(&[])?)
    }

    /// How many patterns wait for a store that did not take them.
    pub fn waiting(&self) -> usize {
        self.waiting.len().unwrap_or(0)
    }

    /// Many sessions may end together while somebody holds the store. What all of them learned is tried once for those
    /// that waited for the try before, and told once where it was refused.
    fn promote(&self, working: &[MemoryEntry]) -> Result<(), StoreError> {
        let most = self.limits.long_term;
        self.waiting.put(patterns(working), Existing::AddUp, most)?;
        // After it is among those that wait, so that a try with this number has it.
        let number = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if *tried >= number {
            return Ok(());
        }
        let up_to = self.asked.load(Ordering::Acquire);
        let all = self.waiting.take();
        let mut put = Ok(());
        if !all.is_empty() {
            put = self.long_term.put(all.clone(), Existing::AddUp, most);
            if put.is_err() {
                self.waiting.put(all, Existing::AddUp, most)?;
            }
        }
        *tried = up_to;
        put
    }
}
