//! Scores of words together with scores of likeness.

use super::best::{Best, Candidate};
use super::exact::{Exact, exact};
use super::plan::{Plan, rarity};
use super::score::{LARGEST_FACTOR, Tally, accumulate, bounded, matched, share};
use super::{LEXICAL, LexicalSkillIndex, ReadyFilter};
use crate::answer::{ArmRank, Hit, Note, SearchAnswer};
use crate::confidence::{Signs, UNSURE, confidence};
use crate::query::Query;

/// What other ways of searching say of every document.
#[derive(Debug)]
pub(crate) struct Blend {
    pub(crate) arms: Vec<BlendArm>,
}

/// The words of a query with how telling each is, to what other ways of searching say of it.
pub(crate) type Ask<'a> = dyn Fn(&[(String, f32)]) -> Blend + 'a;

/// What one of them says.
#[derive(Debug)]
pub(crate) struct BlendArm {
    pub(crate) name: &'static str,
    /// The share of the score that it has.
    pub(crate) weight: f32,
    /// From this likeness on a document without any of the words is found.
    pub(crate) floor: f32,
    /// By part, in the order of the documents.
    pub(crate) likeness: Vec<Vec<f32>>,
}

impl BlendArm {
    fn at(&self, part: usize, ordinal: usize) -> f32 {
        self.likeness
            .get(part)
            .and_then(|likeness| likeness.get(ordinal))
            .copied()
            .unwrap_or_default()
    }
}

/// An arm with the range of what it says, to bring it to 0..=1.
struct Scaled<'b> {
    arm: &'b BlendArm,
    low: f32,
    span: f32,
}

pub(super) fn search(
    index: &LexicalSkillIndex,
    text: &str,
    query: &Query<'_>,
    filter: &ReadyFilter<'_>,
    limit: usize,
    ask: &Ask<'_>,
) -> SearchAnswer {
    let plan = Plan::new(index, text);
    let named = exact(&index.parts, text);
    let mut answer = SearchAnswer::default();
    if !plan.is_searchable && named.is_empty() {
        answer.notes.push(Note::NoSearchableTerm);
        return answer;
    }
    let blend = ask(&plan.words);
    let words = Words::new(index, &plan);
    let scaled: Vec<Scaled<'_>> = blend
        .arms
        .iter()
        .filter_map(|arm| scaled(index, arm))
        .collect();
    let of_words = (1.0 - scaled.iter().map(|scaled| scaled.arm.weight).sum::<f32>()).max(0.0);

    // What a skill's layer and its quality can make of its score at the most.
    let highest = index.weights.low_layer.max(1.0) * LARGEST_FACTOR;

    let mut best = Best::new(limit);
    for (place, (part, tallies)) in index.parts.iter().zip(&words.tallies).enumerate() {
        let mut named = named
            .iter()
            .filter(|(named_part, ..)| *named_part == place)
            .map(|(_, ordinal, exact)| (*ordinal, *exact))
            .peekable();
        let likeness = blended(&scaled, place, tallies.len());
        for (ordinal, (tally, (likeness, is_like))) in tallies.iter().zip(likeness).enumerate() {
            let exact = named
                .next_if(|(named, _)| *named == ordinal)
                .map_or(Exact::No, |(_, exact)| exact);
            if !(tally[0] > 0.0 || is_like || exact != Exact::No) || !part.is_live(ordinal) {
                continue;
            }
            let score = of_words * words.share_of_best(*tally) + likeness;
            // Most of what is found is far from the list: it is counted, and nothing else is looked at.
            if filter.is_empty() && exact == Exact::No && !best.is_open_to(score * highest) {
                answer.total += 1;
                continue;
            }
            let Some(entry) = part.segment.entries.get(ordinal) else {
                continue;
            };
            if !filter.allows(entry) {
                continue;
            }
            answer.total += 1;
            let mut candidate = Candidate {
                exact,
                score: score * entry.layer,
                mass: tally[1],
                part: place,
                ordinal,
                entry,
            };
            if let Some(quality) = query.quality
                && (exact != Exact::No || best.is_open_to(candidate.score * LARGEST_FACTOR))
            {
                candidate.score *= bounded(quality(&entry.id));
            }
            best.offer(candidate);
        }
    }
    let best = best.into_sorted();
    answer.hits = hits(index, &plan, &words, &scaled, &best);
    if answer
        .hits
        .first()
        .is_some_and(|hit| hit.confidence < UNSURE)
    {
        answer.notes.push(Note::NothingFits);
    }
    answer
}

/// For each document of a part what the arms add to its score, and whether one of them finds it by itself.
fn blended(scaled: &[Scaled<'_>], part: usize, documents: usize) -> Vec<(f32, bool)> {
    let mut blended = vec![(0.0, false); documents];
    for scaled in scaled {
        let Some(likeness) = scaled.arm.likeness.get(part) else {
            continue;
        };
        let factor = scaled.arm.weight / scaled.span;
        for ((sum, is_like), likeness) in blended.iter_mut().zip(likeness) {
            *sum += factor * (likeness - scaled.low).clamp(0.0, scaled.span);
            *is_like |= *likeness >= scaled.arm.floor;
        }
    }
    blended
}

/// What the words alone give each document.
struct Words {
    tallies: Vec<Vec<Tally>>,
    coverage: f32,
    mass: f32,
    /// The best of them, for which the words count in full.
    best: f32,
}

impl Words {
    fn new(index: &LexicalSkillIndex, plan: &Plan) -> Self {
        let mut words = Self {
            tallies: Vec::with_capacity(index.parts.len()),
            coverage: index.weights.coverage,
            mass: plan.mass,
            best: 0.0,
        };
        for (place, part) in index.parts.iter().enumerate() {
            let tallies = accumulate(index, plan, place, part);
            for (ordinal, tally) in tallies.iter().enumerate() {
                if tally[0] > 0.0 && part.is_live(ordinal) {
                    words.best = words.best.max(words.score(*tally));
                }
            }
            words.tallies.push(tallies);
        }
        words
    }

    fn score(&self, [score, mass]: Tally) -> f32 {
        score * (1.0 - self.coverage + self.coverage * share(mass, self.mass))
    }

    fn share_of_best(&self, tally: Tally) -> f32 {
        if self.best > 0.0 {
            self.score(tally) / self.best
        } else {
            0.0
        }
    }

    fn at(&self, candidate: &Candidate<'_>) -> f32 {
        self.tallies
            .get(candidate.part)
            .and_then(|tallies| tallies.get(candidate.ordinal))
            .map_or(0.0, |tally| self.score(*tally))
    }
}

/// `None` when the arm says the same of every document.
fn scaled<'b>(index: &LexicalSkillIndex, arm: &'b BlendArm) -> Option<Scaled<'b>> {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    for (part, likeness) in index.parts.iter().zip(&arm.likeness) {
        for (ordinal, likeness) in likeness.iter().enumerate() {
            if part.is_live(ordinal) {
                low = low.min(*likeness);
                high = high.max(*likeness);
            }
        }
    }
    // A single document is as like as can be; one that is not like the query at all is not.
    let low = low.min(0.0);
    (high > low).then_some(Scaled {
        arm,
        low,
        span: high - low,
    })
}

fn hits(
    index: &LexicalSkillIndex,
    plan: &Plan,
    words: &Words,
    scaled: &[Scaled<'_>],
    best: &[Candidate<'_>],
) -> Vec<Hit> {
    let ranks = ranks(index, words, scaled, best);
    best.iter()
        .zip(ranks)
        .map(|(candidate, arms)| {
            let (lift, sure) = match candidate.exact {
                Exact::No => (0.0, false),
                Exact::Tool => (2.0, true),
                Exact::Name => (4.0, true),
            };
            let signs = Signs {
                coverage: share(candidate.mass, plan.mass),
                likeness: scaled
                    .iter()
                    .map(|scaled| scaled.arm.at(candidate.part, candidate.ordinal))
                    .fold(0.0, f32::max),
                words: words.at(candidate) / rarity(index.live, 1),
            };
            Hit {
                id: candidate.entry.id.clone(),
                name: candidate.entry.name.clone(),
                score: f64::from(candidate.score + lift),
                confidence: if sure { 1.0 } else { confidence(&signs) },
                named: sure,
                matched: matched(index, plan, candidate),
                arms,
            }
        })
        .collect()
}

/// The places that each arm gives the hits, among all documents.
fn ranks(
    index: &LexicalSkillIndex,
    words: &Words,
    scaled: &[Scaled<'_>],
    best: &[Candidate<'_>],
) -> Vec<Vec<ArmRank>> {
    let by_words: Vec<f32> = best.iter().map(|candidate| words.at(candidate)).collect();
    let mut ranks: Vec<Vec<ArmRank>> = vec![Vec::new(); best.len()];
    let all = index
        .parts
        .iter()
        .zip(&words.tallies)
        .flat_map(|(part, tallies)| {
            let live = tallies.iter().enumerate();
            live.filter(|(ordinal, tally)| tally[0] > 0.0 && part.is_live(*ordinal))
                .map(|(_, tally)| words.score(*tally))
        });
    add_ranks(LEXICAL, &by_words, all, &mut ranks);
    for scaled in scaled {
        let arm = scaled.arm;
        let likeness: Vec<f32> = best
            .iter()
            .map(|candidate| arm.at(candidate.part, candidate.ordinal))
            .collect();
        let all = index
            .parts
            .iter()
            .zip(&arm.likeness)
            .flat_map(|(part, likeness)| {
                let live = likeness.iter().enumerate();
                live.filter(|(ordinal, _)| part.is_live(*ordinal))
                    .map(|(_, likeness)| *likeness)
            });
        add_ranks(arm.name, &likeness, all, &mut ranks);
    }
    ranks
}

/// A place is one more than the number of documents with more; those with nothing have no place.
fn add_ranks(
    arm: &'static str,
    scores: &[f32],
    all: impl Iterator<Item = f32>,
    ranks: &mut [Vec<ArmRank>],
) {
    let mut rising: Vec<f32> = scores
        .iter()
        .copied()
        .filter(|score| *score > 0.0)
        .collect();
    rising.sort_unstable_by(f32::total_cmp);
    rising.dedup();
    let Some(least) = rising.first().copied() else {
        return;
    };
    // How many documents lie above each score and not above the next.
    let mut above = vec![0_usize; rising.len()];
    for score in all.filter(|score| *score > least) {
        let place = rising
            .partition_point(|known| *known < score)
            .saturating_sub(1);
        if let Some(count) = above.get_mut(place) {
            *count += 1;
        }
    }
    for (score, ranks) in scores.iter().zip(ranks) {
        if *score > 0.0 {
            let place = rising.partition_point(|known| known < score);
            let rank = 1 + above.get(place..).unwrap_or_default().iter().sum::<usize>();
            ranks.push(ArmRank { arm, rank });
        }
    }
}
