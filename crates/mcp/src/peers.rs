//! The clients of stateless requests, by the name they give.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::Clock;
use crate::session::{lock, millis};

/// For hooks and memory a client without a session has one that begins with its first request and
/// ends after the idle time. A request under way is no idleness, however long it takes.
#[derive(Clone)]
pub(crate) struct Peers(Arc<Table>);

struct Table {
    peers: Mutex<BTreeMap<Arc<str>, Peer>>,
    /// Clients that had to go for a request that then told nobody.
    untold: Mutex<Vec<Arc<str>>>,
    cap: usize,
    idle: Duration,
    clock: Clock,
}

#[derive(Default)]
struct Peer {
    seen_ms: u64,
    /// Whether the hooks have heard of its beginning, or somebody is about to tell them.
    is_greeted: bool,
    /// Fires when they have heard of it.
    told: CancellationToken,
    under_way: usize,
}

impl Peers {
    pub(crate) fn new(cap: usize, idle: Duration, clock: Clock) -> Self {
        Self(Arc::new(Table {
            peers: Mutex::default(),
            untold: Mutex::default(),
            cap: cap.max(1),
            idle,
            clock,
        }))
    }

    /// A request of a client begins. For a new one somebody may have to go: the idlest of those that
    /// nothing is under way for.
    pub(crate) fn enter(&self, label: &str) -> PeerGuard {
        let now = self.now_ms();
        let mut peers = lock(&self.0.peers);
        let mut gone = None;
        if peers.len() >= self.0.cap && !peers.contains_key(label) {
            let idle = peers.iter().filter(|(_, peer)| peer.under_way == 0);
            let idlest = idle.min_by_key(|(_, peer)| peer.seen_ms);
            if let Some(label) = idlest.map(|(label, _)| Arc::clone(label)) {
                let peer = peers.remove(&label);
                gone = peer.filter(|peer| peer.is_greeted).map(|_| label);
            }
        }
        let label: Arc<str> = label.into();
        let peer = peers.entry(Arc::clone(&label)).or_default();
        peer.seen_ms = now;
        peer.under_way += 1;
        let is_new = !std::mem::replace(&mut peer.is_greeted, true);
        if is_new {
            peer.told = CancellationToken::new();
        }
        let told = peer.told.clone();
        drop(peers);
        PeerGuard {
            peers: self.clone(),
            label,
            owes_greeting: is_new,
            told,
            gone,
        }
    }

    /// Forgets every client that has been idle for too long, and gives those whose end is to be told.
    pub(crate) fn expire(&self) -> Vec<Arc<str>> {
        let now = self.now_ms();
        let idle = millis(self.0.idle);
        let mut gone = std::mem::take(&mut *lock(&self.0.untold));
        lock(&self.0.peers).retain(|label, peer| {
            let keep = peer.under_way > 0 || now.saturating_sub(peer.seen_ms) < idle;
            if !keep && peer.is_greeted {
                gone.push(Arc::clone(label));
            }
            keep
        });
        gone
    }

    /// Forgets all.
    pub(crate) fn end_all(&self) -> Vec<Arc<str>> {
        let all = std::mem::take(&mut *lock(&self.0.peers));
        let greeted = all.into_iter().filter(|(_, peer)| peer.is_greeted);
        let untold = std::mem::take(&mut *lock(&self.0.untold));
        greeted.map(|(label, _)| label).chain(untold).collect()
    }

    fn now_ms(&self) -> u64 {
        millis((self.0.clock)())
    }
}

/// A request under way. The idle time of its client begins when it is dropped.
pub(crate) struct PeerGuard {
    peers: Peers,
    label: Arc<str>,
    owes_greeting: bool,
    told: CancellationToken,
    gone: Option<Arc<str>>,
}

impl PeerGuard {
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Whether this request begins the session of its client.
    pub(crate) fn owes_greeting(&self) -> bool {
        self.owes_greeting
    }

    /// Whether hooks are yet to hear of the client, or hear of it just now: until then nothing of it runs.
    pub(crate) fn has_to_wait(&self) -> bool {
        !self.told.is_cancelled()
    }

    /// Waits until the hooks have heard of the client by way of another request of it. Where that was given up before it
    /// ran, this one begins the session.
    pub(crate) async fn wait(&mut self) {
        while !self.owes_greeting {
            self.told.cancelled().await;
            let mut peers = lock(&self.peers.0.peers);
            // It is under way, so nobody takes it out but the end of the server.
            let Some(peer) = peers.get_mut(&self.label) else {
                return;
            };
            if !std::mem::replace(&mut peer.is_greeted, true) {
                peer.told = CancellationToken::new();
                self.owes_greeting = true;
            }
            self.told = peer.told.clone();
            if self.told.is_cancelled() {
                return;
            }
        }
    }

    /// The hooks are being told; also of whoever had to go. What is given fires when it is dropped.
    pub(crate) fn greeted(&mut self) -> (Option<Arc<str>>, DropGuard) {
        self.owes_greeting = false;
        (self.gone.take(), self.told.clone().drop_guard())
    }
}

impl Drop for PeerGuard {
    fn drop(&mut self) {
        let now = self.peers.now_ms();
        lock(&self.peers.0.untold).extend(self.gone.take());
        if let Some(peer) = lock(&self.peers.0.peers).get_mut(&self.label) {
            peer.under_way = peer.under_way.saturating_sub(1);
            peer.seen_ms = now;
            // A request that was given up before it ran told nobody; the next one does.
            peer.is_greeted &= !self.owes_greeting;
        }
        if self.owes_greeting {
            self.told.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use futures_util::FutureExt as _;

    use super::*;

    fn table(cap: usize) -> (Peers, Arc<AtomicU64>) {
        let time = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&time);
        let clock: Clock = Arc::new(move || Duration::from_secs(read.load(Ordering::SeqCst)));
        (Peers::new(cap, Duration::from_mins(1), clock), time)
    }

    /// A request that is told and done: whether it was the first, and who had to go for it.
    fn seen(peers: &Peers, label: &str) -> (bool, Option<Arc<str>>) {
        let mut guard = peers.enter(label);
        (guard.owes_greeting(), guard.greeted().0)
    }

    #[test]
    fn a_stateless_client_is_new_once() {
        let (peers, time) = table(2);
        assert_eq!(seen(&peers, "a"), (true, None));
        assert_eq!(seen(&peers, "a"), (false, None));
        time.store(10, Ordering::SeqCst);
        assert_eq!(seen(&peers, "b"), (true, None));
        assert_eq!(seen(&peers, "c"), (true, Some("a".into())));
        time.store(75, Ordering::SeqCst);
        assert_eq!(peers.expire(), ["b".into(), "c".into()]);
        assert!(peers.expire().is_empty());
    }

    #[test]
    fn a_client_with_a_request_under_way_is_not_idle() {
        let (peers, time) = table(1);
        let mut long = peers.enter("a");
        drop(long.greeted());
        let second = peers.enter("a");
        time.store(3_600, Ordering::SeqCst);
        drop(second);
        assert!(peers.expire().is_empty());
        // It does not have to go for another one either.
        assert_eq!(seen(&peers, "b"), (true, None));
        time.store(7_200, Ordering::SeqCst);
        assert_eq!(peers.expire(), ["b".into()]);
        drop(long);
        assert!(
            peers.expire().is_empty(),
            "the idle time begins with its end"
        );
        time.store(7_261, Ordering::SeqCst);
        assert_eq!(peers.expire(), ["a".into()]);
    }

    #[test]
    fn the_others_wait_for_the_first_or_take_its_place() {
        let (peers, _) = table(2);
        let (first, mut second, mut third) = (peers.enter("a"), peers.enter("a"), peers.enter("a"));
        assert!(first.owes_greeting() && !second.owes_greeting());
        assert!(second.wait().now_or_never().is_none());
        // Given up before it ran.
        drop(first);
        assert!(second.wait().now_or_never().is_some());
        assert!(third.wait().now_or_never().is_none());
        assert!(second.owes_greeting() && !third.owes_greeting());
        let (_, told) = second.greeted();
        assert!(third.has_to_wait() && peers.enter("a").has_to_wait());
        drop(told);
        assert!(third.wait().now_or_never().is_some());
        assert!(!third.owes_greeting() && !peers.enter("a").has_to_wait());
    }

    #[test]
    fn an_end_is_told_only_after_a_beginning() {
        let (peers, time) = table(1);
        drop(peers.enter("a"));
        assert!(peers.enter("a").owes_greeting());
        time.store(61, Ordering::SeqCst);
        assert!(peers.expire().is_empty());
        drop(peers.enter("a"));
        assert!(peers.end_all().is_empty());
        // Whoever had to go for a request that told nobody is not forgotten.
        seen(&peers, "b");
        drop(peers.enter("c"));
        assert_eq!(peers.expire(), ["b".into()]);
    }
}
