//! The bounds of one run.

use std::time::Duration;

/// The bounds of one run. All sizes are bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How long the script may run, from its start. Default 30 seconds.
    pub deadline: Duration,
    /// How long the group may take to end after the polite signal, before it is killed. Default 2 seconds.
    pub grace: Duration,
    /// How long output is still read after the script itself has ended while another process holds
    /// its pipes. Default 250 milliseconds.
    pub drain: Duration,
    /// The cap on standard output; what is over it is read and dropped. Default 4 MiB.
    pub output_bytes: usize,
    /// How much of the end of each stream a report keeps; the head of too large an output as well. Default 8 KiB.
    pub tail_bytes: usize,
    /// How much of the lines around a JSON result is kept. Default 16 KiB.
    pub noise_bytes: usize,
    /// The longest line of standard error that is handed on; longer ones are cut. Default 4 KiB.
    pub log_line_bytes: usize,
    /// How many lines of standard error are handed on. Default 2,000.
    pub log_lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            drain: Duration::from_millis(250),
            output_bytes: 4 << 20,
            tail_bytes: 8 << 10,
            noise_bytes: 16 << 10,
            log_line_bytes: 4 << 10,
            log_lines: 2_000,
        }
    }
}
