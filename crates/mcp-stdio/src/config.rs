//! The limits of a connection.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Settings of [`serve_stdio`](crate::serve_stdio).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StdioConfig {
    /// How many bytes a message may have. A longer line is answered with an error and skipped.
    pub line_limit: usize,
    /// How many requests may be under way at once; more are refused.
    pub request_cap: usize,
    /// How long the last answers may take to be read after the input has ended.
    pub flush_time: Duration,
    /// Ends the serving as the end of the input does, for a program that was told to stop.
    pub stop: CancellationToken,
}

impl Default for StdioConfig {
    fn default() -> Self {
        Self {
            line_limit: 4 * 1024 * 1024,
            request_cap: 2048,
            flush_time: Duration::from_secs(5),
            stop: CancellationToken::new(),
        }
    }
}
