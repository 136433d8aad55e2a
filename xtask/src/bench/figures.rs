//! Samples of processes, and what is made of them.

use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::process::capture;

/// What one process measured.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Sample {
    pub(crate) milliseconds: f64,
    pub(crate) found: usize,
    #[serde(default)]
    pub(crate) rejected: usize,
    /// The most memory that it held.
    #[serde(default)]
    pub(crate) peak_kib: u64,
}

/// Runs a process that prints one sample as JSON in its last line.
pub(crate) fn sample(command: &mut Command) -> Result<Sample, String> {
    let text = capture(command)?;
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).map_err(|error| format!("no figures ({error}) in `{last}`"))
}

/// The sample in the middle, by time. None of none.
pub(crate) fn median(mut samples: Vec<Sample>) -> Option<Sample> {
    samples.sort_by(|one, other| one.milliseconds.total_cmp(&other.milliseconds));
    samples.get(samples.len() / 2).copied()
}

/// A figure with the bound that the design sets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Bar {
    pub(crate) what: String,
    pub(crate) figure: f64,
    pub(crate) at_most: f64,
    pub(crate) holds: bool,
}

impl Bar {
    pub(crate) fn new(what: impl Into<String>, figure: f64, at_most: f64) -> Self {
        Self {
            what: what.into(),
            figure,
            at_most,
            holds: figure <= at_most,
        }
    }

    /// In a line for people.
    pub(crate) fn line(&self) -> String {
        let word = if self.holds { "holds" } else { "MISSED" };
        format!(
            "{word:6}  {}: {:.3}, at most {:.3}",
            self.what, self.figure, self.at_most
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(milliseconds: f64) -> Sample {
        Sample {
            milliseconds,
            found: 0,
            rejected: 0,
            peak_kib: 0,
        }
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert!(median(Vec::new()).is_none());
        let middle = median(vec![of(9.0), of(1.0), of(2.0)]).unwrap();
        assert!((middle.milliseconds - 2.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_bar_says_whether_it_holds() {
        assert!(Bar::new("scan", 0.2, 0.2).line().starts_with("holds"));
        assert!(Bar::new("scan", 0.21, 0.2).line().starts_with("MISSED"));
    }
}
