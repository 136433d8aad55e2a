//! How much of what a tool says while it runs a client can take.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::{Limits, text};

/// How many steps of progress may come at once, and how many a second after that: a script that
/// reports every polygon must not flood a client.
const BURST: f64 = 100.0;
const PER_SECOND: f64 = 50.0;

/// How much of what one call says is handed on: steps of progress at a bounded rate, a bounded number of lines of a
/// bounded length. A [`run`](crate::run) has its own; this is for whatever else runs tools and is as talkative.
#[derive(Debug)]
pub struct Allowance {
    line_bytes: usize,
    left: Mutex<Left>,
}

#[derive(Debug)]
struct Left {
    lines: usize,
    steps: f64,
    refilled: Instant,
}

impl Allowance {
    /// With [`Limits::log_lines`] and [`Limits::log_line_bytes`]. Needs a tokio runtime with its clock on.
    pub fn new(limits: &Limits) -> Self {
        Self {
            line_bytes: limits.log_line_bytes,
            left: Mutex::new(Left {
                lines: limits.log_lines,
                steps: BURST,
                refilled: Instant::now(),
            }),
        }
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this step is handed on.
    pub fn step(&self, progress: f64, total: Option<f64>) -> bool {
        let mut left = self.left();
        let now = Instant::now();
        let since = now.saturating_duration_since(left.refilled).as_secs_f64();
        left.refilled = now;
        left.steps = (left.steps + since * PER_SECOND).min(BURST);
        // The last step is worth an event even to a flooded client, though not without bound.
        let is_last = total.is_some_and(|total| progress >= total);
        let passes = left.steps >= 1.0 || (is_last && left.steps > -BURST);
        if passes {
            left.steps -= 1.0;
        }
        passes
    }

    /// What of this line is handed on: without colour codes, cut where it is too long, or that there were more.
    pub fn line<'t>(&self, line: &'t str) -> Option<Cow<'t, str>> {
        let plain = text::plain(line);
        if plain.len() <= self.line_bytes {
            return self.short_line(plain);
        }
        let head = text::head(plain.as_bytes(), self.line_bytes.saturating_sub(1));
        self.short_line(format!("{}…", String::from_utf8_lossy(head)).into())
    }

    /// The same for one that has its length already.
    pub(crate) fn short_line<'t>(&self, line: Cow<'t, str>) -> Option<Cow<'t, str>> {
        let mut left = self.left();
        let before = left.lines;
        left.lines = before.saturating_sub(1);
        match before {
            0 => None,
            1 => Some("[… further lines of error output are not passed on …]".into()),
            _ => Some(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_talkative_tool_is_heard_within_bounds() {
        let limits = Limits {
            log_lines: 3,
            log_line_bytes: 6,
            ..Limits::default()
        };
        let allowance = Allowance::new(&limits);
        let said = ["\u{1b}[31mred\u{1b}[0m", "abcdefghi", "c", "d"]
            .map(|line| allowance.line(line).map(Cow::into_owned));
        let more = "[… further lines of error output are not passed on …]";
        assert_eq!(
            said.map(Option::unwrap_or_default),
            ["red", "abcde…", more, ""]
        );
        let steps = (1..=100_000).filter(|step| allowance.step(f64::from(*step), Some(1e5)));
        let steps: Vec<u32> = steps.collect();
        assert!(steps.len() < 10_000, "{}", steps.len());
        assert_eq!(steps.last(), Some(&100_000));
    }
}
