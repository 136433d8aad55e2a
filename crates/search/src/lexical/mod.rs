//! Words, weighted by field and by how telling they are (BM25F).

mod best;
mod blend;
mod browse;
mod build;
mod exact;
#[cfg(test)]
mod frozen;
mod length;
mod merge;
mod plan;
mod score;
mod segment;
mod typo;

use std::ops::Range;
use std::sync::Arc;

use crate::answer::{Note, SearchAnswer};
use crate::document::SkillDocument;
use crate::error::SearchError;
use crate::index::SkillIndex;
use crate::query::{Filter, LIMITS, QUERY_CHARACTERS, Query};
use crate::weights::{FIELDS, Weights};

use build::lower;
use length::{Norms, decode};

pub(crate) use blend::{Ask, Blend, BlendArm};
pub(crate) use score::bounded;
pub(crate) use segment::{Entry, Segment};

/// The name of this way of searching in [`ArmRank`](crate::ArmRank).
pub const LEXICAL: &str = "lexical";

/// More segments than this are merged.
const SEGMENTS: usize = 8;

/// An index of words. A clone shares all data with its origin, and neither sees the other's changes,
/// so that a snapshot keeps its index while the next one is made.
#[derive(Debug, Clone)]
pub struct LexicalSkillIndex {
    weights: Weights,
    parts: Vec<Part>,
    /// How many documents are live.
    live: usize,
    /// The lengths of all live fields.
    totals: [u64; FIELDS],
    norms: Arc<Norms>,
}

/// A segment and the documents of it that were taken out.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    /// One bit a document; empty as long as none was taken out.
    removed: Arc<[u64]>,
    live: usize,
}

impl LexicalSkillIndex {
    /// An empty index with the product's weights.
    pub fn new() -> Self {
        Self::with_weights(Weights::DEFAULT)
    }

    /// An empty index with weights of your own.
    pub fn with_weights(weights: Weights) -> Self {
        let totals = [0; FIELDS];
        Self {
            norms: Arc::new(Norms::new(&weights, totals, 0)),
            weights,
            parts: Vec::new(),
            live: 0,
            totals,
        }
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Answers a query that is not blank, with what other ways of searching say of every document.
    pub(crate) fn search_blended(
        &self,
        query: &Query<'_>,
        ask: &Ask<'_>,
    ) -> Result<SearchAnswer, SearchError> {
        let limit = limit(query)?;
        let (text, note) = cut(&query.text);
        let filter = ReadyFilter::new(&query.filter);
        let mut answer = blend::search(self, text, query, &filter, limit, ask);
        answer.notes.extend(note);
        Ok(answer)
    }

    /// Takes a document out without renewing the norms.
    fn take(&mut self, id: &str) -> bool {
        for part in &mut self.parts {
            let Some(ordinal) = part.segment.find(id) else {
                continue;
            };
            let Ok(ordinal) = usize::try_from(ordinal) else {
                continue;
            };
            if !part.is_live(ordinal) {
                continue;
            }
            part.remove(ordinal);
            self.live = self.live.saturating_sub(1);
            if let Some(lengths) = part.segment.lengths.get(ordinal) {
                for (total, code) in self.totals.iter_mut().zip(lengths) {
                    *total = total.saturating_sub(u64::from(decode(*code)));
                }
            }
            return true;
        }
        false
    }

    /// Merges what has become too many or too holey, and renews the norms.
    fn settle(&mut self) {
        self.parts.retain(|part| part.live > 0);
        let kept: usize = self.parts.iter().map(|part| part.segment.len()).sum();
        if (kept - self.live) * 10 > kept {
            self.merge_from(0);
        } else if self.parts.len() > SEGMENTS {
            // The largest stays alone while it outweighs the rest, so that a stream of small
            // changes does not rewrite it each time.
            self.parts
                .sort_by_key(|part| std::cmp::Reverse(part.segment.len()));
            let largest = self.parts.first().map_or(0, |part| part.segment.len());
            self.merge_from(usize::from(largest > 2 * (kept - largest)));
        }
        self.norms = Arc::new(Norms::new(&self.weights, self.totals, self.live));
    }

    fn merge_from(&mut self, first: usize) {
        let merged = self.parts.split_off(first.min(self.parts.len()));
        if !merged.is_empty() {
            self.parts.push(Part::new(merge::merge(&merged)));
        }
    }
}

impl Default for LexicalSkillIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl SkillIndex for LexicalSkillIndex {
    fn index(&mut self, documents: Vec<SkillDocument>) {
        let documents = latest(documents);
        if documents.is_empty() {
            return;
        }
        for document in &documents {
            self.take(&document.id);
        }
        let segment = build::segment(documents, &self.weights);
        for lengths in &segment.lengths {
            for (total, code) in self.totals.iter_mut().zip(lengths) {
                *total = total.saturating_add(u64::from(decode(*code)));
            }
        }
        self.live += segment.len();
        self.parts.push(Part::new(segment));
        self.settle();
    }

    fn remove(&mut self, id: &str) -> bool {
        let was_there = self.take(id);
        if was_there {
            self.settle();
        }
        was_there
    }

    fn len(&self) -> usize {
        self.live
    }

    fn search(&self, query: &Query<'_>) -> Result<SearchAnswer, SearchError> {
        let limit = limit(query)?;
        let (text, note) = cut(&query.text);
        let filter = ReadyFilter::new(&query.filter);
        let mut answer = if text.trim().is_empty() {
            browse::browse(self, &filter, limit)
        } else {
            score::search(self, text, query, &filter, limit)
        };
        answer.notes.extend(note);
        Ok(answer)
    }
}

impl Part {
    fn new(segment: Segment) -> Self {
        Self {
            live: segment.len(),
            segment: Arc::new(segment),
            removed: Arc::default(),
        }
    }

    pub(crate) fn is_live(&self, ordinal: usize) -> bool {
        self.removed
            .get(ordinal / 64)
            .is_none_or(|bits| bits >> (ordinal % 64) & 1 == 0)
    }

    fn remove(&mut self, ordinal: usize) {
        let mut removed = self.removed.to_vec();
        removed.resize(self.segment.len().div_ceil(64), 0);
        if let Some(bits) = removed.get_mut(ordinal / 64) {
            *bits |= 1 << (ordinal % 64);
        }
        self.removed = removed.into();
        self.live = self.live.saturating_sub(1);
    }

    /// How many of these postings belong to live documents.
    fn live_postings(&self, range: &Range<usize>) -> usize {
        if self.removed.is_empty() {
            return range.len();
        }
        let documents = self.segment.postings.documents(range).iter();
        documents
            .filter(|ordinal| usize::try_from(**ordinal).is_ok_and(|ordinal| self.is_live(ordinal)))
            .count()
    }
}

/// How many hits are wanted.
pub(crate) fn limit(query: &Query<'_>) -> Result<usize, SearchError> {
    if query.limit < *LIMITS.start() {
        return Err(SearchError::LimitOutOfRange { limit: query.limit });
    }
    Ok(query.limit.min(*LIMITS.end()))
}

/// The documents with different ids: of those with the same, the last.
pub(crate) fn latest(documents: Vec<SkillDocument>) -> Vec<SkillDocument> {
    let mut latest: Vec<(usize, SkillDocument)> = documents.into_iter().enumerate().collect();
    latest.sort_by(|(a, first), (b, second)| first.id.cmp(&second.id).then(b.cmp(a)));
    latest.dedup_by(|later, earlier| later.1.id == earlier.1.id);
    latest.into_iter().map(|(_, document)| document).collect()
}

/// The part of a query that is read.
pub(crate) fn cut(text: &str) -> (&str, Option<Note>) {
    let Some((end, _)) = text.char_indices().nth(QUERY_CHARACTERS) else {
        return (text, None);
    };
    let note = Note::QueryCut {
        kept: QUERY_CHARACTERS,
        given: text.chars().count(),
    };
    (text.get(..end).unwrap_or(text), Some(note))
}

/// A filter with its texts in the form in which the index keeps them.
pub(crate) struct ReadyFilter<'f> {
    filter: &'f Filter<'f>,
    tags: Vec<String>,
    dcc: Option<String>,
    is_empty: bool,
}

impl<'f> ReadyFilter<'f> {
    pub(crate) fn new(filter: &'f Filter<'f>) -> Self {
        Self {
            tags: filter.tags.iter().map(|tag| lower(tag)).collect(),
            dcc: filter.dcc.as_deref().map(lower),
            is_empty: filter.is_empty(),
            filter,
        }
    }

    /// Whether everything passes.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(crate) fn allows(&self, entry: &Entry) -> bool {
        self.is_empty
            || (self
                .tags
                .iter()
                .all(|tag| entry.tags.binary_search(tag).is_ok())
                && self.dcc.as_ref().is_none_or(|dcc| *dcc == entry.dcc)
                && same(self.filter.status.as_deref(), &entry.status)
                && same(self.filter.source.as_deref(), &entry.source)
                && self
                    .filter
                    .predicate
                    .is_none_or(|predicate| predicate(&entry.id)))
    }
}

fn same(wanted: Option<&str>, given: &str) -> bool {
    wanted.is_none_or(|wanted| wanted == given)
}
