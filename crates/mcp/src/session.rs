//! Sessions of the 2025 revisions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metier_tool::LogLevel;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::client_requests::ClientRequests;
use crate::era::LegacyVersion;
use crate::in_flight::InFlight;
use crate::notices::SessionNotices;
use crate::session_roots::SessionRoots;
use crate::{Clock, RawId};

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: Arc<str>,
    pub(crate) version: LegacyVersion,
    /// What the client declared in `initialize`.
    pub(crate) capabilities: Map<String, Value>,
    /// Running calls, so that a cancellation finds them.
    pub(crate) calls: InFlight,
    pub(crate) notices: Arc<SessionNotices>,
    /// Requests of ours that wait for the client.
    pub(crate) requests: ClientRequests,
    pub(crate) roots: SessionRoots,
    /// Fires when the session ends; streams and calls watch it.
    pub(crate) ended: CancellationToken,
    /// From which level on log lines are wanted; nothing until the client says so.
    log_level: Mutex<Option<LogLevel>>,
    seen_ms: AtomicU64,
}

impl Session {
    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        *lock(&self.log_level)
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        *lock(&self.log_level) = Some(level);
    }

    /// Stops what the client asked to stop.
    pub(crate) fn cancel(&self, id: &RawId) {
        self.calls.cancel(id);
    }

    fn is_busy(&self) -> bool {
        !self.calls.is_empty() || self.notices.has_stream()
    }

    fn end(&self) {
        self.ended.cancel();
        self.calls.cancel_all();
    }
}

/// Why no session was made.
#[derive(Debug)]
pub(crate) enum NoSession {
    /// Every session is at work and there are as many as allowed.
    Full,
    /// The system has no randomness.
    NoRandomness,
}

/// Every live session.
pub(crate) struct Sessions {
    table: Mutex<BTreeMap<Arc<str>, Arc<Session>>>,
    cap: usize,
    idle: Duration,
    clock: Clock,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions")
            .field("count", &lock(&self.table).len())
            .finish_non_exhaustive()
    }
}

impl Sessions {
    pub(crate) fn new(cap: usize, idle: Duration, clock: Clock) -> Self {
        Self {
            table: Mutex::default(),
            cap: cap.max(1),
            idle,
            clock,
        }
    }

    /// Makes a session; also returns the one that had to go for it.
    pub(crate) fn create(
        &self,
        version: LegacyVersion,
        capabilities: Map<String, Value>,
        generation: u64,
        parent: &CancellationToken,
    ) -> Result<(Arc<Session>, Option<Arc<Session>>), NoSession> {
        let id = fresh_id()?;
        let session = Arc::new(Session {
            id: Arc::clone(&id),
            version,
            roots: SessionRoots::new(capabilities.contains_key("roots")),
            capabilities,
            requests: ClientRequests::default(),
            calls: InFlight::default(),
            notices: Arc::new(SessionNotices::since(generation)),
            ended: parent.child_token(),
            log_level: Mutex::default(),
            seen_ms: AtomicU64::new(self.now_ms()),
        });
        let mut table = lock(&self.table);
        let evicted = if table.len() < self.cap {
            None
        } else {
            let idlest = table
                .values()
                .filter(|session| !session.is_busy())
                .min_by_key(|session| session.seen_ms.load(Ordering::Relaxed))
                .map(|session| Arc::clone(&session.id));
            let idlest = idlest.ok_or(NoSession::Full)?;
            table.remove(&idlest)
        };
        table.insert(id, Arc::clone(&session));
        drop(table);
        if let Some(evicted) = &evicted {
            evicted.end();
        }
        Ok((session, evicted))
    }

    /// The live session of that id, which is thereby seen.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Session>> {
        let session = lock(&self.table).get(id).cloned()?;
        session.seen_ms.store(self.now_ms(), Ordering::Relaxed);
        Some(session)
    }

    /// Ends a session. Only one caller gets it, so its end is told once.
    pub(crate) fn end(&self, id: &str) -> Option<Arc<Session>> {
        let session = lock(&self.table).remove(id)?;
        session.end();
        Some(session)
    }

    /// Ends every session that has been idle for too long and returns them.
    pub(crate) fn expire(&self) -> Vec<Arc<Session>> {
        let now = self.now_ms();
        let idle = millis(self.idle);
        let mut table = lock(&self.table);
        let mut expired = Vec::new();
        table.retain(|_, session| {
            if session.is_busy() {
                session.seen_ms.store(now, Ordering::Relaxed);
            }
            let keep = now.saturating_sub(session.seen_ms.load(Ordering::Relaxed)) < idle;
            if !keep {
                expired.push(Arc::clone(session));
            }
            keep
        });
        drop(table);
        for session in &expired {
            session.end();
        }
        expired
    }

    /// Ends all.
    pub(crate) fn end_all(&self) -> Vec<Arc<Session>> {
        let all = std::mem::take(&mut *lock(&self.table));
        let all: Vec<_> = all.into_values().collect();
        for session in &all {
            session.end();
        }
        all
    }

    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        lock(&self.table).values().cloned().collect()
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.table).len()
    }

    fn now_ms(&self) -> u64 {
        millis((self.clock)())
    }
}

fn fresh_id() -> Result<Arc<str>, NoSession> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no randomness for a session id");
        NoSession::NoRandomness
    })?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)).into())
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cap: usize) -> (Sessions, Arc<AtomicU64>) {
        let time = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&time);
        let clock: Clock = Arc::new(move || Duration::from_secs(read.load(Ordering::SeqCst)));
        (Sessions::new(cap, Duration::from_mins(1), clock), time)
    }

    fn create(sessions: &Sessions) -> Arc<Session> {
        let root = CancellationToken::new();
        sessions
            .create(LegacyVersion::NEWEST, Map::new(), 0, &root)
            .unwrap()
            .0
    }

    #[test]
    fn an_idle_session_expires_once_and_a_busy_one_stays() {
        let (sessions, time) = table(10);
        let (idle, busy, streaming) = (create(&sessions), create(&sessions), create(&sessions));
        let call = busy
            .calls
            .enter(&RawId::new("1").unwrap(), CancellationToken::new());
        let stream = streaming.notices.open(None);
        time.store(61, Ordering::SeqCst);
        let gone = sessions.expire();
        assert_eq!(
            gone.iter().map(|session| &session.id).collect::<Vec<_>>(),
            [&idle.id]
        );
        assert!(idle.ended.is_cancelled());
        assert!(sessions.expire().is_empty());
        drop((call, stream));
        time.store(110, Ordering::SeqCst);
        assert!(
            sessions.expire().is_empty(),
            "the idle time starts when the work ends"
        );
        time.store(180, Ordering::SeqCst);
        assert_eq!(sessions.expire().len(), 2);
    }

    #[test]
    fn one_too_many_ends_the_idlest_or_is_refused() {
        let (sessions, time) = table(2);
        let first = create(&sessions);
        time.store(1, Ordering::SeqCst);
        let second = create(&sessions);
        time.store(2, Ordering::SeqCst);
        sessions.find(&first.id).unwrap();
        let third = create(&sessions);
        assert!(second.ended.is_cancelled() && !first.ended.is_cancelled());
        let _open = (first.notices.open(None), third.notices.open(None));
        let root = CancellationToken::new();
        let refused = sessions.create(LegacyVersion::NEWEST, Map::new(), 0, &root);
        assert!(matches!(refused, Err(NoSession::Full)));
        assert_eq!(sessions.count(), 2);
    }

    #[test]
    fn ids_differ_and_an_ended_one_is_unknown() {
        let (sessions, _) = table(10);
        let (one, two) = (create(&sessions), create(&sessions));
        assert_ne!(one.id, two.id);
        assert!(one.id.len() == 32 && one.id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(sessions.end(&one.id).is_some() && sessions.end(&one.id).is_none());
        assert!(sessions.find(&one.id).is_none());
    }
}
