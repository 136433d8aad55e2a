//! Checks that take long, away from the threads that others wait for.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// Runs checks of values against schemas, half as many at once as there are processors: the other half answers.
pub(crate) struct LongChecks(Arc<Semaphore>);

impl Default for LongChecks {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get);
        Self(Arc::new(Semaphore::new(processors.div_ceil(2))))
    }
}

impl LongChecks {
    /// Waits for a place, then runs the check; whoever gives up while waiting gives up the place.
    ///
    /// # Errors
    /// The check panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        check: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // It is never closed, and without a place the check would run all the same.
        let place = Arc::clone(&self.0).acquire_owned().await.ok();
        spawn_blocking(move || {
            let _place = place;
            check()
        })
        .await
    }
}
