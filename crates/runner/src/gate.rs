//! How many scripts run at once.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{Job, Limits, Report, RunError, RunEvents, run};

/// A bound on the number of scripts that run at once; the rest wait in the order they came.
/// Clones share the bound.
#[derive(Debug, Clone)]
pub struct Gate {
    places: Arc<Semaphore>,
}

impl Default for Gate {
    /// Thirty-two at once.
    fn default() -> Self {
        Self::new(32)
    }
}

impl Gate {
    /// At most this many at once; zero counts as one.
    pub fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS))),
        }
    }

    /// How many scripts could start at once now.
    pub fn free(&self) -> usize {
        self.places.available_permits()
    }

    /// Waits for a place, then [`run`]s: the deadline starts with the script. A job that is
    /// cancelled while it waits never starts.
    pub async fn run(
        &self,
        job: Job,
        limits: &Limits,
        cancel: CancellationToken,
        events: Arc<dyn RunEvents>,
    ) -> Result<Report, RunError> {
        let place = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(Report::never_started()),
            place = self.places.acquire() => place,
        };
        let report = run(job, limits, cancel, events).await;
        // The place (there is always one: the semaphore is never closed) is held until here.
        drop(place);
        report
    }
}
