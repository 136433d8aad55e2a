//! Experience with skills: counters, a bounded factor, and when a skill is no longer suggested.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QualityEvent {
    /// It stood in a listing that was sent.
    Listed,
    /// Discovery returned it.
    Discovered,
    /// It was loaded or activated after a search.
    Selected,
    /// It was activated.
    Invoked,
    /// Its first tool was called, or its text was put in.
    Applied,
    /// A call of it went well, or a host said so.
    Completed,
    /// A script of it failed, or a host said so.
    FellBack,
}

impl QualityEvent {
    /// The name of the counter in a store.
    pub const fn counter(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Discovered => "discovered",
            Self::Selected => "selections",
            Self::Invoked => "invoked",
            Self::Applied => "applied",
            Self::Completed => "completions",
            Self::FellBack => "fallbacks",
        }
    }
}

/// How often what happened to a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct QualityCounts {
    /// Stood in a listing.
    pub listed: u64,
    /// Was returned by discovery.
    pub discovered: u64,
    /// Was chosen after a search.
    pub selections: u64,
    /// Was activated.
    pub invoked: u64,
    /// Was really used.
    pub applied: u64,
    /// Went well.
    pub completions: u64,
    /// Was given up.
    pub fallbacks: u64,
}

impl QualityCounts {
    /// The counts from a store's counters by name.
    pub fn from_counters<'c>(counters: impl IntoIterator<Item = (&'c str, u64)>) -> Self {
        let mut counts = Self::default();
        for (name, value) in counters {
            if let Some(count) = counts.counter(name) {
                *count = value;
            }
        }
        counts
    }

    /// Counts one event.
    pub fn add(&mut self, event: QualityEvent) {
        if let Some(count) = self.counter(event.counter()) {
            *count = count.saturating_add(1);
        }
    }

    fn counter(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "listed" => &mut self.listed,
            "discovered" => &mut self.discovered,
            "selections" => &mut self.selections,
            "invoked" => &mut self.invoked,
            "applied" => &mut self.applied,
            "completions" => &mut self.completions,
            "fallbacks" => &mut self.fallbacks,
            _ => return None,
        })
    }

    /// The factor for a score, 0.9 to 1.1: the mean of what is to be expected after so many successes and
    /// failures, beginning in the middle.
    ///
    /// ```
    /// use metier_skill_protocol::QualityCounts;
    /// assert!((QualityCounts::default().factor() - 1.0).abs() < 1e-9);
    /// let good = QualityCounts::from_counters([("completions", 50)]);
    /// assert!(good.factor() > 1.09 && good.factor() <= 1.1);
    /// ```
    pub fn factor(&self) -> f64 {
        let [good, bad] = [self.completions, self.fallbacks].map(|count| 2.0 + as_f64(count));
        0.9 + 0.2 * good / (good + bad)
    }

    /// Whether it is no longer suggested: twice used, failed and never with success, or more than half of at least
    /// two choices given up. Asked for by name, it is there all the same. Instructions that are opened are used as
    /// well, and how that ends nobody sees: without a failure nothing is held against them.
    pub fn is_dropped(&self) -> bool {
        let uses = self.applied.saturating_add(self.fallbacks);
        (uses >= 2 && self.fallbacks > 0 && self.completions == 0)
            || (self.selections >= 2 && self.fallbacks.saturating_mul(2) > self.selections)
    }

    /// In words, for a model that chooses; empty where nothing is known.
    pub(crate) fn in_words(&self) -> String {
        let done = self.completions.saturating_add(self.fallbacks);
        if done == 0 {
            return String::new();
        }
        format!("went well {} of {done} times", self.completions)
    }
}

fn as_f64(count: u64) -> f64 {
    // Beyond four thousand millions another one makes no difference.
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Where experience is kept. Counting never fails: a store that cannot write says so in its own log.
pub trait QualityCounters: Send + Sync {
    /// What is known of the skill of this id.
    fn counts(&self, id: &str) -> QualityCounts;

    /// Counts events, all of them or none.
    fn record(&self, events: &[(&str, QualityEvent)]);
}

/// Counters that are gone with the process.
#[derive(Debug, Default)]
pub struct MemoryCounters(Mutex<BTreeMap<String, QualityCounts>>);

impl QualityCounters for MemoryCounters {
    fn counts(&self, id: &str) -> QualityCounts {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(id).copied().unwrap_or_default()
    }

    fn record(&self, events: &[(&str, QualityEvent)]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, event) in events {
            counts.entry((*id).to_owned()).or_default().add(*event);
        }
    }
}

/// No experience at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCounters;

impl QualityCounters for NoCounters {
    fn counts(&self, _: &str) -> QualityCounts {
        QualityCounts::default()
    }

    fn record(&self, _: &[(&str, QualityEvent)]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_that_never_works_is_dropped() {
        let counts = |of: &[(&str, u64)]| QualityCounts::from_counters(of.iter().copied());
        assert!(!counts(&[("applied", 1)]).is_dropped());
        assert!(!counts(&[("applied", 50), ("invoked", 50)]).is_dropped());
        assert!(counts(&[("applied", 1), ("fallbacks", 1)]).is_dropped());
        assert!(!counts(&[("applied", 2), ("completions", 1)]).is_dropped());
        assert!(counts(&[("selections", 3), ("fallbacks", 2), ("completions", 1)]).is_dropped());
        assert!(!counts(&[("selections", 4), ("fallbacks", 2), ("completions", 1)]).is_dropped());
        assert!(counts(&[("fallbacks", u64::MAX)]).factor() >= 0.9);
    }
}
