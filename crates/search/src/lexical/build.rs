//! Documents to a segment.

use std::collections::HashMap;

use fst::Map;

use super::length::{self, Lengths};
use super::segment::{Counts, Entry, Postings, Segment};
use crate::analyser::{TokenKind, each_token, name_key, term};
use crate::answer::Field;
use crate::document::SkillDocument;
use crate::weights::{BODY_CHARACTERS, FIELDS, Weights};

/// Builds a segment of documents with different ids.
pub(super) fn segment(mut documents: Vec<SkillDocument>, weights: &Weights) -> Segment {
    documents.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    let mut builder = Builder::default();
    for (ordinal, document) in (0..).zip(documents) {
        builder.add(ordinal, document, weights);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    entries: Vec<Entry>,
    lengths: Vec<Lengths>,
    names: Vec<(Box<str>, u32)>,
    tools: Vec<(Box<str>, u32)>,
    terms: Vec<(String, Vec<(u32, Counts)>)>,
    numbers: HashMap<String, usize>,
    /// Written word to the place of its term; saves stemming a word again.
    surfaces: HashMap<String, usize>,
    /// The written words, in the order of their first occurrence.
    written: Vec<(String, usize)>,
}

impl Builder {
    fn add(&mut self, ordinal: u32, document: SkillDocument, weights: &Weights) {
        let mut lengths = [0_u32; FIELDS];
        for (field, text) in texts(&document) {
            let length = self.text(ordinal, field, text);
            if let Some(total) = lengths.get_mut(field as usize) {
                *total = total.saturating_add(length);
            }
        }
        self.lengths.push(lengths.map(length::encode));
        self.keys(ordinal, &document);
        self.entries.push(Entry::new(document, weights));
    }

    fn keys(&mut self, ordinal: u32, document: &SkillDocument) {
        let name = name_key(&document.name);
        let id = name_key(&document.id);
        for tool in &document.tools {
            let tool = name_key(&tool.name);
            if !tool.is_empty() {
                self.tools.push((format!("{name}{tool}").into(), ordinal));
                self.tools.push((tool.into(), ordinal));
            }
        }
        for key in [name, id] {
            if !key.is_empty() {
                self.names.push((key.into(), ordinal));
            }
        }
    }

    /// Indexes a text and returns how many tokens it has; forms beside a word do not add to that.
    fn text(&mut self, ordinal: u32, field: Field, text: &str) -> u32 {
        let mut length = 0_u32;
        each_token(text, &mut |surface, kind, _| {
            if matches!(kind, TokenKind::Word | TokenKind::Gram) {
                length = length.saturating_add(1);
            }
            let place = match self.surfaces.get(surface) {
                Some(place) => *place,
                None => self.learn(surface, kind),
            };
            let Some((_, postings)) = self.terms.get_mut(place) else {
                return;
            };
            if postings.last().is_none_or(|(last, _)| *last != ordinal) {
                postings.push((ordinal, [0; FIELDS]));
            }
            if let Some(count) = postings
                .last_mut()
                .and_then(|(_, counts)| counts.get_mut(field as usize))
            {
                *count = count.saturating_add(1);
            }
        });
        length
    }

    fn learn(&mut self, surface: &str, kind: TokenKind) -> usize {
        let term = term(surface);
        let place = if let Some(place) = self.numbers.get(term.as_ref()) {
            *place
        } else {
            let place = self.terms.len();
            self.terms.push((term.clone().into_owned(), Vec::new()));
            self.numbers.insert(term.into_owned(), place);
            place
        };
        self.surfaces.insert(surface.to_owned(), place);
        if kind != TokenKind::Gram {
            self.written.push((surface.to_owned(), place));
        }
        place
    }

    fn finish(mut self) -> Segment {
        let mut by_id: Vec<u32> = (0..).take(self.entries.len()).collect();
        by_id.sort_by_key(|ordinal| {
            usize::try_from(*ordinal)
                .ok()
                .and_then(|ordinal| self.entries.get(ordinal))
                .map(|entry| entry.id.as_str())
        });
        for keys in [&mut self.names, &mut self.tools] {
            keys.sort_unstable();
            keys.dedup();
        }

        let mut order: Vec<usize> = (0..self.terms.len()).collect();
        order.sort_unstable_by_key(|place| self.terms.get(*place).map(|(term, _)| term.as_str()));
        let mut number_of = vec![0_u64; self.terms.len()];
        let mut flat = Flat::default();
        for (number, place) in (0_u64..).zip(&order) {
            if let Some(slot) = number_of.get_mut(*place) {
                *slot = number;
            }
            if let Some((term, postings)) = self.terms.get_mut(*place) {
                flat.push(std::mem::take(term), postings.drain(..));
            }
        }
        self.written.sort_unstable();
        let written = self
            .written
            .into_iter()
            .map(|(surface, place)| (surface, number_of.get(place).copied().unwrap_or_default()));
        Segment {
            postings: flat.finish(written),
            by_id,
            entries: self.entries,
            lengths: self.lengths,
            names: self.names,
            tools: self.tools,
        }
    }
}

/// Postings that grow term by term.
#[derive(Default)]
pub(super) struct Flat {
    terms: Vec<(String, u64)>,
    starts: Vec<u32>,
    documents: Vec<u32>,
    counts: Vec<Counts>,
}

impl Flat {
    /// Adds a term that is greater than those before, with its postings in rising order, and
    /// returns its number.
    pub(super) fn push(
        &mut self,
        term: String,
        postings: impl Iterator<Item = (u32, Counts)>,
    ) -> u64 {
        let number = self.terms.len() as u64;
        self.terms.push((term, number));
        self.starts.push(self.position());
        for (document, counts) in postings {
            self.documents.push(document);
            self.counts.push(counts);
        }
        number
    }

    fn position(&self) -> u32 {
        u32::try_from(self.documents.len()).unwrap_or(u32::MAX)
    }

    /// Closes the arrays; `surfaces` in rising order.
    pub(super) fn finish(mut self, surfaces: impl Iterator<Item = (String, u64)>) -> Postings {
        self.starts.push(self.position());
        Postings {
            // Both come sorted and without repetition, which is all that can go wrong.
            terms: Map::from_iter(self.terms).unwrap_or_default(),
            surfaces: Map::from_iter(surfaces).unwrap_or_default(),
            starts: self.starts,
            documents: self.documents,
            counts: self.counts,
        }
    }
}

/// The texts of a document with the fields they belong to.
fn texts(document: &SkillDocument) -> impl Iterator<Item = (Field, &str)> {
    let hints = [&document.when_to_use, &document.search_hint, &document.dcc]
        .into_iter()
        .chain(&document.tags)
        .chain(&document.search_aliases)
        .map(|text| (Field::Hints, text.as_str()));
    let tools = document.tools.iter().flat_map(|tool| {
        [&tool.name, &tool.description]
            .into_iter()
            .chain(&tool.aliases)
            .chain(&tool.properties)
            .map(|text| (Field::Tools, text.as_str()))
    });
    [
        (Field::Name, document.name.as_str()),
        (Field::Description, document.description.as_str()),
    ]
    .into_iter()
    .chain(hints)
    .chain(tools)
    .chain([(Field::Body, beginning(&document.body))])
}

fn beginning(body: &str) -> &str {
    body.char_indices()
        .nth(BODY_CHARACTERS)
        .and_then(|(end, _)| body.get(..end))
        .unwrap_or(body)
}

/// Case does not matter to tags and applications.
pub(super) fn lower(text: &str) -> String {
    text.trim().to_lowercase()
}
