//! Why a search is refused.

use crate::query::LIMITS;

/// Why a query got no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The limit lies below the range.
    #[error("limit {limit} is out of range: ask for {} to {} hits", LIMITS.start(), LIMITS.end())]
    LimitOutOfRange {
        /// What was asked for.
        limit: usize,
    },
}
