//! An immutable part of the index.

use std::ops::Range;

use fst::{Automaton, IntoStreamer, Map, Streamer};

use super::build::lower;
use super::length::Lengths;
use crate::document::SkillDocument;
use crate::weights::{FIELDS, Weights};

/// How often a term occurs in a document, by field, at most 255 times each.
pub(super) type Counts = [u8; FIELDS];

/// What is kept of a document itself.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) name: String,
    /// In lower case, sorted.
    pub(super) tags: Vec<String>,
    /// In lower case.
    pub(super) dcc: String,
    pub(super) status: String,
    pub(super) source: String,
    /// What multiplies the score.
    pub(crate) layer: f32,
}

impl Entry {
    pub(crate) fn new(document: SkillDocument, weights: &Weights) -> Self {
        let mut tags: Vec<String> = document.tags.iter().map(|tag| lower(tag)).collect();
        tags.sort_unstable();
        Self {
            layer: weights.layer(document.layer.as_deref()),
            tags,
            dcc: lower(&document.dcc),
            id: document.id,
            name: document.name,
            status: document.status,
            source: document.source,
        }
    }
}

/// Documents in listing order (by name, then id) with their term dictionary and postings.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) entries: Vec<Entry>,
    pub(super) lengths: Vec<Lengths>,
    /// Ordinals in the order of the ids.
    pub(super) by_id: Vec<u32>,
    /// Keys of names and ids, sorted, with the ordinals that bear them.
    pub(super) names: Vec<(Box<str>, u32)>,
    /// The same for tool names, alone and after the skill's name.
    pub(super) tools: Vec<(Box<str>, u32)>,
    pub(super) postings: Postings,
}

/// Terms and where they occur, in flat arrays.
#[derive(Debug)]
pub(super) struct Postings {
    /// Term to its number, numbers in the order of the terms.
    pub(super) terms: Map<Vec<u8>>,
    /// Word as it was written to the number of its term.
    pub(super) surfaces: Map<Vec<u8>>,
    /// Where each term's postings start; one more than there are terms.
    pub(super) starts: Vec<u32>,
    /// Ordinals, rising within a term.
    pub(super) documents: Vec<u32>,
    pub(super) counts: Vec<Counts>,
}

impl Segment {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, ordinal: u32) -> Option<&Entry> {
        self.entries.get(usize::try_from(ordinal).ok()?)
    }

    pub(crate) fn find(&self, id: &str) -> Option<u32> {
        self.by_id
            .binary_search_by(|ordinal| {
                self.entry(*ordinal)
                    .map_or("", |entry| entry.id.as_str())
                    .cmp(id)
            })
            .ok()
            .and_then(|place| self.by_id.get(place).copied())
    }
}

impl Postings {
    /// The range of a term's postings.
    pub(super) fn range(&self, term: &str) -> Option<Range<usize>> {
        self.terms
            .get(term)
            .and_then(|number| self.numbered(number))
    }

    pub(super) fn numbered(&self, number: u64) -> Option<Range<usize>> {
        let number = usize::try_from(number).ok()?;
        let start = *self.starts.get(number)?;
        let end = *self.starts.get(number.checked_add(1)?)?;
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    pub(super) fn documents(&self, range: &Range<usize>) -> &[u32] {
        self.documents.get(range.clone()).unwrap_or_default()
    }

    pub(super) fn counts(&self, range: &Range<usize>) -> &[Counts] {
        self.counts.get(range.clone()).unwrap_or_default()
    }

    /// Calls `each` with the written words that the automaton accepts and the numbers of their terms.
    pub(super) fn words(&self, automaton: impl Automaton, each: &mut dyn FnMut(&str, u64)) {
        visit(&self.surfaces, automaton, each);
    }

    /// Calls `each` with the terms that the automaton accepts and their numbers.
    pub(super) fn terms(&self, automaton: impl Automaton, each: &mut dyn FnMut(&str, u64)) {
        visit(&self.terms, automaton, each);
    }
}

fn visit(map: &Map<Vec<u8>>, automaton: impl Automaton, each: &mut dyn FnMut(&str, u64)) {
    let mut stream = map.search(automaton).into_stream();
    while let Some((key, number)) = stream.next() {
        if let Ok(key) = str::from_utf8(key) {
            each(key, number);
        }
    }
}

/// The ordinals that bear a key.
pub(super) fn bearers<'a>(
    keys: &'a [(Box<str>, u32)],
    key: &'a str,
) -> impl Iterator<Item = u32> + 'a {
    let start = keys.partition_point(|(bearer, _)| bearer.as_ref() < key);
    keys.iter()
        .skip(start)
        .take_while(move |(bearer, _)| bearer.as_ref() == key)
        .map(|(_, ordinal)| *ordinal)
}
