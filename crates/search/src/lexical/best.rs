//! The best few of many candidates.

use std::cmp::Ordering;

use super::exact::Exact;
use super::segment::Entry;

/// A document that may be in the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'i> {
    pub(super) exact: Exact,
    pub(super) score: f32,
    /// How much of the query it answers.
    pub(super) mass: f32,
    pub(super) part: usize,
    pub(super) ordinal: usize,
    pub(super) entry: &'i Entry,
}

impl Candidate<'_> {
    /// Best first; ties by name, then by id.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other
            .exact
            .cmp(&self.exact)
            .then_with(|| other.score.total_cmp(&self.score))
            .then_with(|| self.entry.name.cmp(&other.entry.name))
            .then_with(|| self.entry.id.cmp(&other.entry.id))
    }
}

/// Keeps the best `limit` of all that are offered.
pub(super) struct Best<'i> {
    limit: usize,
    kept: Vec<Candidate<'i>>,
    /// A score below this cannot get in any more.
    bar: f32,
}

impl<'i> Best<'i> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            kept: Vec::with_capacity(limit * 2),
            bar: f32::NEG_INFINITY,
        }
    }

    /// Whether a document without a name to its credit can get in with this score.
    pub(super) fn is_open_to(&self, score: f32) -> bool {
        score >= self.bar
    }

    pub(super) fn offer(&mut self, candidate: Candidate<'i>) {
        if candidate.exact == Exact::No && !self.is_open_to(candidate.score) {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= self.limit * 2 {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.limit == 0 || self.kept.len() <= self.limit {
            return;
        }
        let (_, last, _) = self
            .kept
            .select_nth_unstable_by(self.limit - 1, Candidate::order);
        if last.exact == Exact::No {
            self.bar = last.score;
        }
        self.kept.truncate(self.limit);
    }

    /// Best first.
    pub(super) fn into_sorted(mut self) -> Vec<Candidate<'i>> {
        self.shrink();
        self.kept.sort_unstable_by(Candidate::order);
        self.kept
    }
}
