//! Where time comes from.

use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Two readings of time: one that is written down, and one that ages are taken from.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time of day in milliseconds since 1970, in UTC. It may jump, also back; nothing expires
    /// by it and nothing is ordered by it.
    fn unix_ms(&self) -> u64;

    /// The time since some fixed moment. It should not run backwards; where it does, the memory goes
    /// on from the latest reading.
    fn uptime(&self) -> Duration;
}

/// The machine's clocks: the only place of this crate that reads any.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    since: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            since: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn unix_ms(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            })
    }

    fn uptime(&self) -> Duration {
        self.since.elapsed()
    }
}
