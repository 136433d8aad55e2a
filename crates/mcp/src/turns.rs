//! What is told of one session is told in order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Mutex as Queue, OwnedMutexGuard};

use crate::session::lock;

/// The queue of each session of which something is being told.
type Queues = BTreeMap<Arc<str>, Arc<Queue<()>>>;

/// Who is telling, or waits to tell, something of which session.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<Queues>>);

/// A place in the queue of one session.
pub(crate) struct Turn {
    turns: Turns,
    id: Arc<str>,
    queue: Arc<Queue<()>>,
}

impl Turns {
    /// The place is taken when somebody waits for it first.
    pub(crate) fn of(&self, id: &str) -> Turn {
        let id: Arc<str> = id.into();
        let mut queues = lock(&self.0);
        let queue = Arc::clone(queues.entry(Arc::clone(&id)).or_default());
        Turn {
            turns: self.clone(),
            id,
            queue,
        }
    }
}

impl Turn {
    /// Waits until everything before it is told, or was given up; not longer than `most`, after which it is told all the
    /// same.
    pub(crate) async fn come(&self, most: Option<Duration>) -> Option<OwnedMutexGuard<()>> {
        let come = Arc::clone(&self.queue).lock_owned();
        match most {
            Some(most) => tokio::time::timeout(most, come).await.ok(),
            None => Some(come.await),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queues = lock(&self.turns.0);
        // Given back under the same lock under which places are made, so that the last one sees that it is.
        let queue = std::mem::take(&mut self.queue);
        if Arc::strong_count(&queue) <= 2 {
            queues.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_after_the_other_and_nothing_is_left() {
        let turns = Turns::default();
        let (first, second, other) = (turns.of("a"), turns.of("a"), turns.of("b"));
        let held = first.come(None).await;
        assert!(other.come(None).now_or_never().flatten().is_some());
        assert!(second.come(None).now_or_never().is_none());
        assert!(second.come(Some(Duration::from_secs(1))).await.is_none());
        drop(held);
        assert!(second.come(None).now_or_never().flatten().is_some());
        drop((first, second, other));
        assert!(lock(&turns.0).is_empty());
    }
}
