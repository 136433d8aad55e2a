//! How much is kept.

use std::time::Duration;

/// How much each layer holds. A layer whose number is 0 holds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryLimits {
    /// Entries of the ring of a session.
    pub ephemeral: usize,
    /// Entries of the working layer of a session.
    pub working: usize,
    /// How old a working entry becomes.
    pub working_ttl: Duration,
    /// Entries of the long-term layer, over all sessions and applications.
    pub long_term: usize,
    /// Sessions that are held at once. One more, and the session that was silent for longest is
    /// treated as if it had ended: clients come and go, and not each of them says so.
    pub sessions: usize,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self {
            ephemeral: 256,
            working: 1_024,
            working_ttl: Duration::from_hours(6),
            long_term: 4_096,
            sessions: 256,
        }
    }
}
