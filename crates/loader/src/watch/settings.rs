//! How a watcher watches.

use std::time::Duration;

/// How a watcher watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    /// How long the file system has to be quiet before a change is read.
    pub debounce: Duration,
    /// The most folders that are watched through the system; with more, all of them are looked at
    /// every `poll` instead.
    pub budget: usize,
    /// How often folders are looked at that the system does not watch.
    pub poll: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self {
            debounce: Duration::from_millis(300),
            budget: 50_000,
            poll: Duration::from_secs(2),
        }
    }
}
