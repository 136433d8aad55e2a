//! What a run tells while it goes on.

use serde::Deserialize;

/// One step of a script's progress, as it stands on a line of standard error:
/// `::progress:: {"progress": 3, "total": 10, "message": "baking"}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Progress {
    /// How much is done, in units of the script's choice. Always finite.
    pub progress: f64,
    /// How much there is to do, in the same units.
    #[serde(default)]
    pub total: Option<f64>,
    /// What is being done.
    #[serde(default)]
    pub message: Option<String>,
}

/// Hears what a script says on standard error while it runs.
///
/// The methods are called on the task that drives the run and must return at once.
pub trait RunEvents: Send + Sync {
    /// The script got further.
    fn progress(&self, progress: Progress);

    /// One line of standard error that is not progress: without its end of line and colour codes,
    /// cut at [`Limits::log_line_bytes`](crate::Limits::log_line_bytes).
    fn log(&self, line: &str);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl RunEvents for Quiet {
    fn progress(&self, _progress: Progress) {}

    fn log(&self, _line: &str) {}
}
