//! The calls that run in one session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::RawId;
use crate::id::IdKey;

/// Running calls by their ids. Two calls may carry the same id: each keeps its own entry, and a
/// cancellation of that id means both.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    calls: Vec<(u64, IdKey, CancellationToken)>,
}

impl InFlight {
    /// Enters a call; it leaves when the guard is dropped.
    pub(crate) fn enter(&self, id: &RawId, cancel: CancellationToken) -> InFlightGuard {
        let mut entries = self.lock();
        let serial = entries.next;
        entries.next = entries.next.wrapping_add(1);
        entries.calls.push((serial, id.key(), cancel));
        InFlightGuard {
            owner: self.clone(),
            serial,
        }
    }

    /// Stops the calls of that id; an unknown or finished id changes nothing.
    pub(crate) fn cancel(&self, id: &RawId) {
        let key = id.key();
        for (_, _, cancel) in self
            .lock()
            .calls
            .iter()
            .filter(|(_, known, _)| *known == key)
        {
            cancel.cancel();
        }
    }

    /// Stops every call.
    pub(crate) fn cancel_all(&self) {
        for (_, _, cancel) in &self.lock().calls {
            cancel.cancel();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().calls.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a call in the table.
#[derive(Debug)]
pub(crate) struct InFlightGuard {
    owner: InFlight,
    serial: u64,
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.owner
            .lock()
            .calls
            .retain(|(serial, _, _)| *serial != self.serial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_finds_its_call_and_no_other() {
        let calls = InFlight::default();
        let id = |json: &str| RawId::new(json).unwrap();
        let (text, number) = (CancellationToken::new(), CancellationToken::new());
        let guards = (
            calls.enter(&id("\"1\""), text.clone()),
            calls.enter(&id("1"), number.clone()),
        );
        calls.cancel(&id("1"));
        assert!(number.is_cancelled() && !text.is_cancelled());
        calls.cancel(&id("\"\\u0031\""));
        assert!(text.is_cancelled());
        drop(guards);
        assert!(calls.is_empty());
        calls.cancel(&id("1"));
    }

    #[test]
    fn equal_ids_leave_one_by_one() {
        let calls = InFlight::default();
        let id = RawId::new("7").unwrap();
        let (first, second) = (CancellationToken::new(), CancellationToken::new());
        let guard = calls.enter(&id, first.clone());
        let other = calls.enter(&id, second.clone());
        drop(guard);
        calls.cancel(&id);
        assert!(!first.is_cancelled() && second.is_cancelled());
        drop(other);
    }
}
