//! The two layers that belong to sessions.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::{MemoryEntry, MemoryFilter, MemoryLayer, MemoryLimits};

/// What the sessions hold. Time is the caller's uptime; it does not run backwards here.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    by_id: BTreeMap<String, Session>,
    /// The number of the next entry; entries are ordered by it, never by time.
    next: u64,
    latest: Duration,
    /// Before this, nothing can have expired.
    due: Duration,
}

#[derive(Debug, Default)]
struct Session {
    ephemeral: VecDeque<Held>,
    working: VecDeque<Held>,
    /// The number of its latest entry.
    last: u64,
}

#[derive(Debug)]
struct Held {
    number: u64,
    since: Duration,
    entry: MemoryEntry,
}

impl Session {
    fn is_empty(&self) -> bool {
        self.ephemeral.is_empty() && self.working.is_empty()
    }

    fn layers(&mut self) -> [&mut VecDeque<Held>; 2] {
        [&mut self.ephemeral, &mut self.working]
    }
}

impl Sessions {
    /// Keeps an entry of one of the two layers. The working entries of a session that had to make
    /// room come back, as if it had ended.
    pub(crate) fn put(
        &mut self,
        entry: MemoryEntry,
        limits: &MemoryLimits,
        uptime: Duration,
    ) -> Vec<MemoryEntry> {
        let most = match entry.layer {
            MemoryLayer::Ephemeral => limits.ephemeral,
            MemoryLayer::Working => limits.working,
            MemoryLayer::LongTerm => 0,
        };
        if most == 0 || limits.sessions == 0 {
            return Vec::new();
        }
        self.purge(limits, uptime);
        let mut displaced = Vec::new();
        while !self.by_id.contains_key(&entry.session_id) && self.by_id.len() >= limits.sessions {
            let silent = self.by_id.iter().min_by_key(|(_, session)| session.last);
            let Some(silent) = silent.map(|(id, _)| id.clone()) else {
                break;
            };
            displaced.extend(self.end(&silent, limits, uptime));
        }
        let number = self.next;
        self.next += 1;
        let since = self.latest;
        self.due = self.due.min(since.saturating_add(limits.working_ttl));
        let session = self.by_id.entry(entry.session_id.clone()).or_default();
        session.last = number;
        let layer = match entry.layer {
            MemoryLayer::Ephemeral => &mut session.ephemeral,
            _ => &mut session.working,
        };
        layer.push_back(Held {
            number,
            since,
            entry,
        });
        while layer.len() > most {
            layer.pop_front();
        }
        displaced
    }

    /// The entries that match, newest first.
    pub(crate) fn query(
        &mut self,
        filter: &MemoryFilter,
        most: usize,
        limits: &MemoryLimits,
        uptime: Duration,
    ) -> Vec<MemoryEntry> {
        self.purge(limits, uptime);
        let mut found: Vec<&Held> = self
            .by_id
            .values()
            .flat_map(|session| session.ephemeral.iter().chain(&session.working))
            .filter(|held| filter.matches(&held.entry))
            .collect();
        found.sort_unstable_by_key(|held| std::cmp::Reverse(held.number));
        found
            .into_iter()
            .take(most)
            .map(|held| held.entry.clone())
            .collect()
    }

    /// Takes the session out. What its working layer held comes back, oldest first; a session that
    /// is not there has nothing.
    pub(crate) fn end(
        &mut self,
        session_id: &str,
        limits: &MemoryLimits,
        uptime: Duration,
    ) -> Vec<MemoryEntry> {
        self.purge(limits, uptime);
        self.by_id
            .remove(session_id)
            .map_or_else(Vec::new, |session| {
                session.working.into_iter().map(|held| held.entry).collect()
            })
    }

    /// Removes what matches, and says how many that were.
    pub(crate) fn forget(
        &mut self,
        filter: &MemoryFilter,
        limits: &MemoryLimits,
        uptime: Duration,
    ) -> usize {
        self.purge(limits, uptime);
        let mut gone = 0;
        self.by_id.retain(|_, session| {
            for layer in session.layers() {
                let before = layer.len();
                layer.retain(|held| !filter.matches(&held.entry));
                gone += before - layer.len();
            }
            !session.is_empty()
        });
        gone
    }

    /// How many entries are held.
    pub(crate) fn len(&mut self, limits: &MemoryLimits, uptime: Duration) -> usize {
        self.purge(limits, uptime);
        self.by_id
            .values()
            .map(|session| session.ephemeral.len() + session.working.len())
            .sum()
    }

    /// Frees what has expired. The working entries of a session stand in the order of their age.
    fn purge(&mut self, limits: &MemoryLimits, uptime: Duration) {
        self.latest = self.latest.max(uptime);
        let now = self.latest;
        if now < self.due {
            return;
        }
        let mut due = now.saturating_add(limits.working_ttl);
        self.by_id.retain(|_, session| {
            let until = |held: &Held| held.since.saturating_add(limits.working_ttl);
            while session
                .working
                .front()
                .is_some_and(|held| until(held) <= now)
            {
                session.working.pop_front();
            }
            due = session
                .working
                .front()
                .map_or(due, |held| due.min(until(held)));
            !session.is_empty()
        });
        self.due = due;
    }
}
