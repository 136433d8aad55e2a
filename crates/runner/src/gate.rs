//! How many scripts run at once, and how many may wait.

use std::io;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::turns::{Entered, Load, Place, Turns};
use crate::{Job, Limits, Report, RunError, RunEvents, Watchdog, run};

/// A bound on the number of scripts that run at once; the rest wait, and beyond a bound on those too a job is refused.
/// Clones share both.
///
/// Those who ask ([`Job::asker`]) take turns: of whoever waits, each gets one place before anybody gets a second one. The
/// jobs of one asker start in the order they came.
#[derive(Debug, Clone)]
pub struct Gate {
    places: usize,
    turns: Arc<Turns>,
    watchdog: Option<Watchdog>,
}

impl Default for Gate {
    /// Thirty-two at once.
    fn default() -> Self {
        Self::new(32)
    }
}

impl Gate {
    /// At most this many at once; zero counts as one. 4,096 more may wait, with 64 MiB of input; half of that for one
    /// asker.
    pub fn new(places: usize) -> Self {
        let most = Load {
            jobs: 4_096,
            bytes: 64 << 20,
        };
        Self {
            places,
            turns: Arc::new(Turns::new(places, most)),
            watchdog: None,
        }
    }

    /// Lets at most this many jobs wait, with at most so many bytes of input in all, of which one asker has half. Clones
    /// made before are another gate.
    #[must_use]
    pub fn with_queue(self, jobs: usize, bytes: usize) -> Self {
        Self {
            turns: Arc::new(Turns::new(self.places, Load { jobs, bytes })),
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
        self.turns.free()
    }

    /// How many jobs wait now.
    pub fn waiting(&self) -> usize {
        self.turns.load().jobs
    }

    /// Waits for a place, then [`run`]s: the deadline starts with the script. A job that is cancelled while it waits never
    /// starts and is dropped at once; one that finds too many waiting is refused with [`RunError::Busy`], and with
    /// [`RunError::BusyWithOwn`] where they are its own asker's.
    pub async fn run(
        &self,
        mut job: Job,
        limits: &Limits,
        cancel: CancellationToken,
        events: Arc<dyn RunEvents>,
    ) -> Result<Report, RunError> {
        self.watch(&mut job);
        let place = tokio::select! {
            biased;
            place = self.place(&job) => place?,
            () = cancel.cancelled() => return Ok(Report::never_started()),
        };
        let report = run(job, limits, cancel, events).await;
        // The place is held until here.
        drop(place);
        report
    }

    /// Waits for a place, which is given back with what this returns. Who runs the job itself begins its own time then.
    pub(crate) async fn place(&self, job: &Job) -> Result<Option<Place>, RunError> {
        let entered = self
            .turns
            .enter(job.asker.as_deref(), || input_bytes(job))?;
        Ok(match entered {
            Entered::Place(place) => Some(place),
            Entered::Ticket(mut ticket) => ticket.place().await,
        })
    }

    /// What the jobs that it starts are watched by.
    pub(crate) fn watch(&self, job: &mut Job) {
        if job.watchdog.is_none() {
            job.watchdog.clone_from(&self.watchdog);
        }
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
