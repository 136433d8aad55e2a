//! When the calls of a burst begin.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, Notify, OwnedSemaphorePermit, Semaphore};

use crate::writer::Outgoing;

/// With so many calls begun and not ended the next one waits for one of them to end, but not longer than this: what a
/// call will answer shows only when it has, and a burst of them must not all be begun before the first answers tell
/// how much there is to read.
const UNPACED: usize = 16;
const PACE: Duration = Duration::from_millis(50);

/// So many bytes of calls may wait to begin; then whoever sends them waits.
const WAITING_BYTES: usize = 16 * 1024 * 1024;
/// What one permit stands for, so that all of them can be counted.
const PERMIT_BYTES: usize = 1024;

/// Lets calls begin one after the other, in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// Who holds it is the next to begin; others wait in their order.
    turn: Arc<Mutex<()>>,
    room: Arc<Semaphore>,
    begun: Arc<std::sync::atomic::AtomicUsize>,
    has_ended: Arc<Notify>,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self {
            turn: Arc::default(),
            room: Arc::new(Semaphore::new(WAITING_BYTES / PERMIT_BYTES)),
            begun: Arc::default(),
            has_ended: Arc::default(),
        }
    }

    /// A place among those that wait, once there is room for the message.
    pub(crate) async fn place(&self, message_bytes: usize) -> Waiting {
        let permits = (1 + message_bytes / PERMIT_BYTES).min(WAITING_BYTES / PERMIT_BYTES);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        // It is never closed.
        let room = Arc::clone(&self.room).acquire_many_owned(permits).await;
        Waiting {
            pace: self.clone(),
            _room: room.ok(),
        }
    }
}

/// A call that has not begun.
#[derive(Debug)]
pub(crate) struct Waiting {
    pace: Pace,
    _room: Option<OwnedSemaphorePermit>,
}

impl Waiting {
    /// Returns when the call may begin: at once for the first few, and never while the reader is too slow for the
    /// answers that are there.
    pub(crate) async fn begin(self, outgoing: &Outgoing) -> Begun {
        let turn = self.pace.turn.lock().await;
        let begun = &self.pace.begun;
        if begun.load(std::sync::atomic::Ordering::Relaxed) >= UNPACED {
            let _ = tokio::time::timeout(PACE, self.pace.has_ended.notified()).await;
        }
        outgoing.room().await;
        begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        drop(turn);
        Begun(self.pace.clone())
    }
}

/// A call that has begun; it has ended when this is dropped.
#[derive(Debug)]
pub(crate) struct Begun(Pace);

impl Drop for Begun {
    fn drop(&mut self) {
        self.0
            .begun
            .fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        self.0.has_ended.notify_one();
    }
}
