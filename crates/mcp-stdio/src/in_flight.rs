//! The requests under way on one connection.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_mcp::{IdKey, RawId};
use tokio_util::sync::CancellationToken;

/// Requests by their ids, so that a cancellation finds them and no id is used twice at once.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    table: Arc<Mutex<BTreeMap<IdKey, CancellationToken>>>,
    /// Stops every request.
    closing: CancellationToken,
}

impl InFlight {
    pub(crate) fn new(closing: CancellationToken) -> Self {
        Self {
            table: Arc::default(),
            closing,
        }
    }

    /// Enters a request; `None` when one with the same id is under way.
    pub(crate) fn enter(&self, id: &RawId) -> Option<Entered> {
        let key = id.key();
        let mut table = self.lock();
        let Entry::Vacant(place) = table.entry(key.clone()) else {
            return None;
        };
        let cancel = self.closing.child_token();
        place.insert(cancel.clone());
        drop(table);
        Some(Entered {
            owner: self.clone(),
            key,
            cancel,
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Stops the request of that id; an unknown or finished id changes nothing.
    pub(crate) fn cancel(&self, id: &RawId) {
        if let Some(cancel) = self.lock().get(&id.key()) {
            cancel.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<IdKey, CancellationToken>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request under way; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Entered {
    owner: InFlight,
    key: IdKey,
    /// Fires when the request is to stop.
    pub(crate) cancel: CancellationToken,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.owner.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_when_its_request_has_left() {
        let closing = CancellationToken::new();
        let table = InFlight::new(closing.clone());
        let id = |json: &str| RawId::new(json).unwrap();
        let first = table.enter(&id("\"a\"")).unwrap();
        assert!(table.enter(&id("\"\\u0061\"")).is_none());
        let other = table.enter(&id("1")).unwrap();
        table.cancel(&id("\"a\""));
        table.cancel(&id("2"));
        assert!(first.cancel.is_cancelled() && !other.cancel.is_cancelled());
        drop(first);
        assert_eq!(table.count(), 1);
        let again = table.enter(&id("\"a\"")).unwrap();
        closing.cancel();
        assert!(again.cancel.is_cancelled() && other.cancel.is_cancelled());
    }
}
