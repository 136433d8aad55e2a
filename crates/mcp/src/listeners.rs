//! Open `subscriptions/listen` requests and what each of them hears.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};

use crate::notices::{ListKind, lock};
use crate::slot::{Piece, Slot};

/// Every open `subscriptions/listen` (2026-07-28).
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    open: Mutex<Vec<Arc<Listener>>>,
}

#[derive(Debug)]
struct Listener {
    wants: BTreeSet<ListKind>,
    since: u64,
    slot: Slot,
}

impl Listeners {
    /// The list changed with this generation.
    pub(crate) fn changed(&self, kind: ListKind, generation: u64) {
        for listener in lock(&self.open).iter() {
            if listener.wants.contains(&kind) && generation > listener.since {
                listener.slot.add([kind]);
            }
        }
    }

    /// The list changed, whatever generation the subscription began with.
    pub(crate) fn stirred(&self, kind: ListKind) {
        for listener in lock(&self.open).iter() {
            if listener.wants.contains(&kind) {
                listener.slot.add([kind]);
            }
        }
    }

    /// Opens a subscription for what changes after this generation.
    pub(crate) fn open(self: &Arc<Self>, wants: BTreeSet<ListKind>, since: u64) -> Subscription {
        let listener = Arc::new(Listener {
            wants,
            since,
            slot: Slot::default(),
        });
        lock(&self.open).push(Arc::clone(&listener));
        Subscription {
            listener,
            owner: Arc::downgrade(self),
        }
    }
}

/// One open subscription; ends when dropped.
#[derive(Debug)]
pub(crate) struct Subscription {
    listener: Arc<Listener>,
    owner: Weak<Listeners>,
}

impl Subscription {
    pub(crate) async fn next(&self) -> ListKind {
        loop {
            // Nothing else is put on a subscription.
            if let Piece::List(kind) = self.listener.slot.next().await {
                return kind;
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            lock(&owner.open).retain(|listener| !Arc::ptr_eq(listener, &self.listener));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[test]
    fn a_subscription_gets_what_it_asked_for() {
        let listeners = Arc::new(Listeners::default());
        let tools = listeners.open(BTreeSet::from([ListKind::Tools]), 5);
        let nothing = listeners.open(BTreeSet::new(), 5);
        listeners.changed(ListKind::Tools, 5);
        assert!(tools.next().now_or_never().is_none());
        listeners.changed(ListKind::Tools, 6);
        assert!(tools.next().now_or_never().is_some());
        assert!(nothing.next().now_or_never().is_none());
    }
}
