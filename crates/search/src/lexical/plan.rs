//! A query text to the terms that are looked up.

use std::collections::BTreeMap;
use std::ops::Range;

use fst::automaton::{Automaton, Str};

use super::typo::Typo;
use super::{LexicalSkillIndex, Part};
use crate::analyser::{TokenKind, each_token, is_weak, term};
use crate::lexicon::{glosses_and_rest, synonyms};

/// Words shorter than this are not completed.
const SHORTEST_BEGINNING: usize = 3;

/// One term to look up.
#[derive(Debug)]
pub(super) struct PlanTerm {
    pub(super) term: String,
    /// What is shown as the reason for a hit.
    pub(super) shown: String,
    /// What multiplies the saturated frequency: rarity, and what this kind of match counts.
    pub(super) weight: f32,
    /// How much of the query is answered by a document that has this term.
    pub(super) mass: f32,
    /// The places of the postings, by part.
    pub(super) ranges: Vec<Option<Range<usize>>>,
}

/// All terms of a query, in the order of the terms, so that the order of the words plays no part.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) terms: Vec<PlanTerm>,
    /// The sum of what there is to answer.
    pub(super) mass: f32,
    /// The terms of the words, and of those of the glossary, with how telling each is.
    pub(super) words: Vec<(String, f32)>,
    /// Whether the text has any word to look for, known or not.
    pub(super) is_searchable: bool,
}

/// A word of the query, before it is looked up.
struct Word {
    surface: String,
    kind: TokenKind,
    /// The identifiers that the word occurs in.
    groups: Vec<usize>,
}

/// An indexed word that stands in for an unknown one.
struct StandIn {
    surface: String,
    factor: f32,
    frequency: usize,
}

impl Plan {
    pub(super) fn new(index: &LexicalSkillIndex, text: &str) -> Self {
        let words = words(text);
        let mut plan = Self {
            is_searchable: !words.is_empty(),
            ..Self::default()
        };
        let weights = &index.weights;
        let unglossed = plan.gloss(index, text);
        // An identifier as a whole answers for all its parts.
        let mut parts_of: BTreeMap<usize, f32> = BTreeMap::new();
        let mut wholes = Vec::new();
        for (term, word) in words {
            let ranges = ranges(&index.parts, &term);
            let frequency = frequency(&index.parts, &ranges);
            let rarity = rarity(index.live, frequency)
                * if is_weak(&word.surface) {
                    weights.weak
                } else {
                    1.0
                };
            match word.kind {
                TokenKind::Whole if frequency > 0 => wholes.push((term, word, ranges, rarity)),
                TokenKind::Piece if frequency > 0 => plan.terms.push(PlanTerm {
                    term,
                    shown: word.surface,
                    weight: rarity * weights.piece,
                    mass: 0.0,
                    ranges,
                }),
                TokenKind::Whole | TokenKind::Piece => {}
                TokenKind::Word | TokenKind::Gram => {
                    // What the glossary has put into English is not missing.
                    if frequency == 0
                        && word.kind == TokenKind::Gram
                        && unglossed
                            .as_ref()
                            .is_some_and(|rest| !rest.contains_key(&term))
                    {
                        continue;
                    }
                    plan.mass += rarity;
                    if word.kind == TokenKind::Word {
                        plan.words.push((term.clone(), rarity));
                    }
                    for group in &word.groups {
                        *parts_of.entry(*group).or_default() += rarity;
                    }
                    plan.alike(index, &term, rarity);
                    if frequency > 0 {
                        plan.terms.push(PlanTerm {
                            term,
                            shown: word.surface,
                            weight: rarity,
                            mass: rarity,
                            ranges,
                        });
                    } else {
                        plan.guess(index, &word, rarity);
                    }
                }
            }
        }
        for (term, word, ranges, rarity) in wholes {
            plan.terms.push(PlanTerm {
                term,
                shown: word.surface,
                weight: rarity * weights.whole,
                mass: word
                    .groups
                    .iter()
                    .filter_map(|group| parts_of.get(group).copied())
                    .fold(0.0, f32::max),
                ranges,
            });
        }
        plan.terms.sort_by(|a, b| {
            (a.term.as_str(), a.shown.as_str())
                .cmp(&(b.term.as_str(), b.shown.as_str()))
                .then_with(|| b.weight.total_cmp(&a.weight))
        });
        plan.merge_same();
        plan
    }

    /// Adds the English words of what the glossary knows, and returns the words of the rest; `None` when it
    /// knows nothing. Several words of one entry share the weight.
    fn gloss(&mut self, index: &LexicalSkillIndex, text: &str) -> Option<BTreeMap<String, Word>> {
        let weight = index.weights.glossary;
        if weight <= 0.0 {
            return None;
        }
        let (mut glosses, rest) = glosses_and_rest(text);
        if glosses.is_empty() {
            return None;
        }
        // Each once, in an order of their own, so that the order of the words plays no part.
        glosses.sort();
        glosses.dedup();
        for gloss in glosses {
            let before = self.terms.len();
            let is_native = is_indexed(index, &gloss.word);
            let weight = if is_native {
                weight * index.weights.native
            } else {
                weight
            };
            let words = words(gloss.meaning);
            #[expect(clippy::cast_precision_loss, reason = "an entry has few words")]
            let count = words.len().max(1) as f32;
            for (term, word) in words {
                let ranges = ranges(&index.parts, &term);
                let frequency = frequency(&index.parts, &ranges);
                if frequency == 0 {
                    continue;
                }
                let rarity = rarity(index.live, frequency);
                self.words.push((term.clone(), rarity / count));
                self.terms.push(PlanTerm {
                    term,
                    shown: word.surface,
                    weight: weight * rarity / count.sqrt(),
                    mass: rarity / count,
                    ranges,
                });
                self.mass += rarity / count;
            }
            if self.terms.len() == before {
                self.mass += rarity(index.live, 0);
            }
        }
        Some(words(&rest))
    }

    /// Adds words of like meaning for a word, known or not.
    fn alike(&mut self, index: &LexicalSkillIndex, stem: &str, missing: f32) {
        let factor = index.weights.synonym;
        if factor <= 0.0 {
            return;
        }
        for surface in synonyms(stem) {
            let term = term(surface).into_owned();
            let ranges = ranges(&index.parts, &term);
            let frequency = frequency(&index.parts, &ranges);
            if frequency > 0 {
                self.terms.push(PlanTerm {
                    weight: factor * rarity(index.live, frequency).min(missing),
                    mass: factor * missing,
                    shown: surface.to_owned(),
                    term,
                    ranges,
                });
            }
        }
    }

    /// Stands indexed words in for one that no document has.
    fn guess(&mut self, index: &LexicalSkillIndex, word: &Word, missing: f32) {
        let stand_ins = stand_ins(index, word);
        let together = stand_ins.iter().map(|stand_in| stand_in.frequency).sum();
        // The rarity of all of them together, so that a rare one does not weigh more for being rare.
        let rarity = rarity(index.live, together);
        for stand_in in stand_ins {
            let term = term(&stand_in.surface).into_owned();
            self.terms.push(PlanTerm {
                ranges: ranges(&index.parts, &term),
                term,
                weight: rarity * stand_in.factor,
                mass: missing * stand_in.factor,
                shown: stand_in.surface,
            });
        }
    }

    /// A guess may lead to a term that the query has anyway: the stronger of the two stays.
    fn merge_same(&mut self) {
        self.terms.dedup_by(|later, earlier| {
            let same = later.term == earlier.term;
            if same && later.weight > earlier.weight {
                std::mem::swap(later, earlier);
            }
            same
        });
    }
}

/// Whether every term of a text is in some document.
fn is_indexed(index: &LexicalSkillIndex, text: &str) -> bool {
    words(text)
        .keys()
        .all(|term| frequency(&index.parts, &ranges(&index.parts, term)) > 0)
}

/// The different terms of a text with the word that gave them. Of two kinds the one that
/// answers for more counts.
fn words(text: &str) -> BTreeMap<String, Word> {
    let mut words: BTreeMap<String, Word> = BTreeMap::new();
    each_token(text, &mut |surface, kind, group| {
        let term = term(surface);
        if let Some(word) = words.get_mut(term.as_ref()) {
            // The smaller surface, so that the order of `sphere spheres` plays no part.
            if surface < word.surface.as_str() {
                surface.clone_into(&mut word.surface);
            }
            word.kind = word.kind.min(kind);
            if word.groups.last() != Some(&group) {
                word.groups.push(group);
            }
        } else {
            let word = Word {
                surface: surface.to_owned(),
                kind,
                groups: vec![group],
            };
            words.insert(term.into_owned(), word);
        }
    });
    words
}

fn ranges(parts: &[Part], term: &str) -> Vec<Option<Range<usize>>> {
    parts
        .iter()
        .map(|part| part.segment.postings.range(term))
        .collect()
}

/// How many live documents have the term.
fn frequency(parts: &[Part], ranges: &[Option<Range<usize>>]) -> usize {
    parts
        .iter()
        .zip(ranges)
        .filter_map(|(part, range)| Some(part.live_postings(range.as_ref()?)))
        .sum()
}

/// How telling a term is: never negative, more for a term of fewer documents.
pub(super) fn rarity(documents: usize, frequency: usize) -> f32 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a rounded count is as good here"
    )]
    let (documents, frequency) = (documents as f64, frequency.min(documents) as f64);
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm is small")]
    let rarity = ((documents - frequency + 0.5) / (frequency + 0.5)).ln_1p() as f32;
    rarity
}

/// The words that the unknown one begins and those a slip away, the best few, each term once.
fn stand_ins(index: &LexicalSkillIndex, word: &Word) -> Vec<StandIn> {
    let weights = &index.weights;
    // Term to the word shown for it and what it counts.
    let mut found: BTreeMap<String, (String, f32)> = BTreeMap::new();
    let mut keep = |surface: &str, factor: f32| {
        let entry = found
            .entry(term(surface).into_owned())
            .or_insert_with(|| (surface.to_owned(), factor));
        if factor > entry.1 || (factor >= entry.1 && surface < entry.0.as_str()) {
            *entry = (surface.to_owned(), factor);
        }
    };
    for part in &index.parts {
        let postings = &part.segment.postings;
        if word.kind == TokenKind::Gram {
            // A single character begins many pairs; a pair has no more to come.
            if word.surface.chars().nth(1).is_none() {
                postings.terms(Str::new(&word.surface).starts_with(), &mut |pair, _| {
                    keep(pair, weights.prefix);
                });
            }
            continue;
        }
        if word.surface.chars().nth(SHORTEST_BEGINNING - 1).is_some() {
            postings.words(
                Str::new(&word.surface).starts_with(),
                &mut |longer, number| {
                    if postings
                        .numbered(number)
                        .is_some_and(|range| part.live_postings(&range) > 0)
                    {
                        keep(longer, weights.prefix);
                    }
                },
            );
        }
        if let Some(typo) = Typo::new(&word.surface) {
            postings.words(&typo, &mut |near, number| {
                if let Some(distance) = typo.distance(near)
                    && postings
                        .numbered(number)
                        .is_some_and(|range| part.live_postings(&range) > 0)
                {
                    keep(near, weights.fuzzy / f32::from(distance.max(1)));
                }
            });
        }
    }
    let best = found
        .values()
        .map(|(_, factor)| *factor)
        .fold(0.0, f32::max);
    let mut stand_ins: Vec<StandIn> = found
        .into_iter()
        .filter(|(_, (_, factor))| *factor >= best)
        .map(|(term, (surface, factor))| StandIn {
            frequency: frequency(&index.parts, &ranges(&index.parts, &term)),
            surface,
            factor,
        })
        .collect();
    stand_ins.sort_by(|a, b| {
        b.frequency
            .cmp(&a.frequency)
            .then_with(|| a.surface.cmp(&b.surface))
    });
    stand_ins.truncate(weights.expansions);
    stand_ins
}
