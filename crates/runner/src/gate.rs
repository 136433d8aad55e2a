//! How many scripts run at once, and how many may wait.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{Job, Limits, Report, RunError, RunEvents, Watchdog, run};

/// A bound on the number of scripts that run at once; the rest wait in the order they came, and
/// beyond a bound on those too a job is refused. Clones share both.
#[derive(Debug, Clone)]
pub struct Gate {
    places: Arc<Semaphore>,
    queue: Arc<Queue>,
    watchdog: Option<Watchdog>,
}

impl Default for Gate {
    /// Thirty-two at once.
    fn default() -> Self {
        Self::new(32)
    }
}

impl Gate {
    /// At most this many at once; zero counts as one. 4,096 more may wait, with 64 MiB of input.
    pub fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS))),
            queue: Arc::new(Queue::new(4_096, 64 << 20)),
            watchdog: None,
        }
    }

    /// Lets at most this many jobs wait, with at most so many bytes of input in all. Clones made
    /// before have the old bound.
    #[must_use]
    pub fn with_queue(self, jobs: usize, bytes: usize) -> Self {
        Self {
            queue: Arc::new(Queue::new(jobs, bytes)),
            ..self
        }
    }

    /// Has every job watched that names no watchdog of its own.
    #[must_use]
    pub fn with_watchdog(self, watchdog: Watchdog) -> Self {
        Self {
            watchdog: Some(watchdog),
            ..self
        }
    }

    /// A gate with the same watchdog, whose jobs do not wait for those of this one: for programs that
    /// scripts must not hold up.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            watchdog: self.watchdog.clone(),
            ..Self::default()
        }
    }

    /// How many scripts could start at once now.
    pub fn free(&self) -> usize {
        self.places.available_permits()
    }

    /// How many jobs wait now.
    pub fn waiting(&self) -> usize {
        self.queue.now().jobs
    }

    /// Waits for a place, then [`run`]s: the deadline starts with the script. A job that is
    /// cancelled while it waits never starts and is dropped at once; one that finds too many waiting
    /// is refused with [`RunError::Busy`].
    pub async fn run(
        &self,
        mut job: Job,
        limits: &Limits,
        cancel: CancellationToken,
        events: Arc<dyn RunEvents>,
    ) -> Result<Report, RunError> {
        if job.watchdog.is_none() {
            job.watchdog.clone_from(&self.watchdog);
        }
        // A place that is given back goes to whoever waits first, so this overtakes nobody.
        let place = if let Ok(place) = self.places.try_acquire() {
            Ok(place)
        } else {
            let waiting = self.queue.enter(input_bytes(&job))?;
            let place = tokio::select! {
                biased;
                () = cancel.cancelled() => return Ok(Report::never_started()),
                place = self.places.acquire() => place,
            };
            drop(waiting);
            place
        };
        let report = run(job, limits, cancel, events).await;
        // The place (there is always one: the semaphore is never closed) is held until here.
        drop(place);
        report
    }
}

/// What waits, and how much of it may.
#[derive(Debug)]
struct Queue {
    most: Load,
    now: Mutex<Load>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Load {
    jobs: usize,
    bytes: usize,
}

impl Queue {
    fn new(jobs: usize, bytes: usize) -> Self {
        Self {
            most: Load { jobs, bytes },
            now: Mutex::default(),
        }
    }

    fn now(&self) -> MutexGuard<'_, Load> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, bytes: usize) -> Result<Waiting<'_>, RunError> {
        let mut now = self.now();
        let jobs = now.jobs + 1;
        let all_bytes = now.bytes.saturating_add(bytes);
        if jobs > self.most.jobs || all_bytes > self.most.bytes {
            return Err(RunError::Busy { waiting: now.jobs });
        }
        now.jobs = jobs;
        now.bytes = all_bytes;
        Ok(Waiting { queue: self, bytes })
    }
}

/// One that waits; dropping it gives its room back.
struct Waiting<'a> {
    queue: &'a Queue,
    bytes: usize,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut now = self.queue.now();
        now.jobs -= 1;
        now.bytes -= self.bytes;
    }
}

/// The size of a job's input as text.
fn input_bytes(job: &Job) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and a map with texts as keys is always JSON.
    _ = serde_json::to_writer(&mut count, &job.input);
    count.0
}
