//! The trait that every way of searching has in common.

use crate::answer::SearchAnswer;
use crate::document::SkillDocument;
use crate::error::SearchError;
use crate::query::Query;

/// A set of skills that can be searched.
///
/// The same documents and the same query give the same answer, in the same order, however the
/// documents came into the index.
pub trait SkillIndex: Send + Sync {
    /// Adds documents; each replaces the one of the same id. Of two with one id the later counts.
    fn index(&mut self, documents: Vec<SkillDocument>);

    /// Takes a document out; `false` when there was none of this id.
    fn remove(&mut self, id: &str) -> bool;

    /// How many documents can be found.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Answers a query.
    ///
    /// # Errors
    /// [`SearchError::LimitOutOfRange`] when the limit is 0.
    fn search(&self, query: &Query<'_>) -> Result<SearchAnswer, SearchError>;

    /// The `k` best documents for a text, unfiltered.
    ///
    /// # Errors
    /// As [`SkillIndex::search`].
    fn search_text(&self, text: &str, k: usize) -> Result<SearchAnswer, SearchError> {
        self.search(&Query::new(text, k))
    }
}
