//! What is asked of an index.

use std::fmt;
use std::ops::RangeInclusive;

/// The limits that a query may ask for. Below is an error, above counts as the upper end.
pub const LIMITS: RangeInclusive<usize> = 1..=100;

/// So many characters of a query are read; [`Note::QueryCut`](crate::Note::QueryCut) tells of the rest.
pub const QUERY_CHARACTERS: usize = 2_000;

/// Whether the document with this id may be in the answer.
pub type Predicate<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// The factor by which experience with the skill of this id moves its score, bounded to 0.9..=1.1.
pub type QualityFactor<'a> = &'a (dyn Fn(&str) -> f64 + Sync);

/// A question to a [`SkillIndex`](crate::SkillIndex).
///
/// An empty or blank text asks for everything that the filter lets pass, in listing order.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Query<'a> {
    /// What is looked for, in any language.
    pub text: String,
    /// The most hits to return; see [`LIMITS`].
    pub limit: usize,
    /// Which documents may be in the answer at all.
    pub filter: Filter<'a>,
    /// Breaks near-ties by experience: whatever it returns is clamped to 0.9..=1.1 and multiplies
    /// the score. An exact name keeps its place all the same.
    pub quality: Option<QualityFactor<'a>>,
}

impl<'a> Query<'a> {
    /// Asks for the `limit` best documents for `text`, unfiltered.
    pub fn new(text: impl Into<String>, limit: usize) -> Self {
        Self {
            text: text.into(),
            limit,
            ..Self::default()
        }
    }

    /// Sets the filter.
    #[must_use = "the query is returned, not changed in place"]
    pub fn with_filter(mut self, filter: Filter<'a>) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the quality factor.
    #[must_use = "the query is returned, not changed in place"]
    pub fn with_quality(mut self, quality: QualityFactor<'a>) -> Self {
        self.quality = Some(quality);
        self
    }
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("text", &self.text)
            .field("limit", &self.limit)
            .field("filter", &self.filter)
            .field("quality", &self.quality.is_some())
            .finish()
    }
}

/// Which documents may be in the answer. All conditions must hold; those left out hold always.
///
/// The index applies it before it cuts the list, so a limit of ten gives ten hits whenever ten pass.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Filter<'a> {
    /// Tags that the document must have, all of them, whatever the case.
    pub tags: Vec<String>,
    /// The application, whatever the case.
    pub dcc: Option<String>,
    /// The state that was indexed.
    pub status: Option<String>,
    /// The source that was indexed.
    pub source: Option<String>,
    /// Asked last, with the document's id: for what changes without indexing anew, such as loading.
    pub predicate: Option<Predicate<'a>>,
}

impl<'a> Filter<'a> {
    /// Lets only those ids pass for which `predicate` holds.
    ///
    /// ```
    /// use metier_search::{Filter, LexicalSkillIndex, Query, SkillDocument, SkillIndex};
    ///
    /// let mut index = LexicalSkillIndex::new();
    /// let named = |name: &str| SkillDocument { id: name.into(), name: name.into(), ..Default::default() };
    /// index.index(vec![named("render-queue"), named("render-farm")]);
    ///
    /// let loaded = |id: &str| id == "render-farm";
    /// let query = Query::new("render", 10).with_filter(Filter::with_predicate(&loaded));
    /// assert_eq!(index.search(&query)?.hits.len(), 1);
    /// # Ok::<(), metier_search::SearchError>(())
    /// ```
    pub fn with_predicate(predicate: Predicate<'a>) -> Self {
        Self::default().and_predicate(predicate)
    }

    /// Adds tags that the document must have.
    #[must_use = "the filter is returned, not changed in place"]
    pub fn and_tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Sets the application.
    #[must_use = "the filter is returned, not changed in place"]
    pub fn and_dcc(mut self, dcc: impl Into<String>) -> Self {
        self.dcc = Some(dcc.into());
        self
    }

    /// Sets the state.
    #[must_use = "the filter is returned, not changed in place"]
    pub fn and_status(mut self, status: impl Into<String>) -> Self {
        self.status = Some(status.into());
        self
    }

    /// Sets the source.
    #[must_use = "the filter is returned, not changed in place"]
    pub fn and_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the predicate.
    #[must_use = "the filter is returned, not changed in place"]
    pub fn and_predicate(mut self, predicate: Predicate<'a>) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
            && self.dcc.is_none()
            && self.status.is_none()
            && self.source.is_none()
            && self.predicate.is_none()
    }
}

impl fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter")
            .field("tags", &self.tags)
            .field("dcc", &self.dcc)
            .field("status", &self.status)
            .field("source", &self.source)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}
