//! Scoring and explaining.

use super::best::{Best, Candidate};
use super::exact::{Exact, exact};
use super::plan::{Plan, PlanTerm};
use super::{LEXICAL, LexicalSkillIndex, Part, ReadyFilter};
use crate::answer::{ArmRank, Field, Hit, Matched, Note, SearchAnswer};
use crate::query::Query;
use crate::weights::QUALITY;

pub(super) fn search(
    index: &LexicalSkillIndex,
    text: &str,
    query: &Query<'_>,
    filter: &ReadyFilter<'_>,
    limit: usize,
) -> SearchAnswer {
    let plan = Plan::new(index, text);
    let named = exact(&index.parts, text);
    let mut answer = SearchAnswer::default();
    if !plan.is_searchable && named.is_empty() {
        answer.notes.push(Note::NoSearchableTerm);
        return answer;
    }

    let mut best = Best::new(limit);
    for (place, part) in index.parts.iter().enumerate() {
        let mut tallies = accumulate(index, &plan, place, part);
        let mut named = named
            .iter()
            .filter(|(named_part, ..)| *named_part == place)
            .map(|(_, ordinal, exact)| (*ordinal, *exact))
            .peekable();
        // A named document is a candidate even if no word of it matched.
        for (ordinal, _) in named.clone() {
            if let Some([score, _]) = tallies.get_mut(ordinal) {
                *score = score.max(f32::MIN_POSITIVE);
            }
        }
        // Most documents of a large index have gathered nothing: this loop must be short for them.
        let gathered = (0..).zip(&tallies).filter(|(_, [score, _])| *score > 0.0);
        for (ordinal, &[score, mass]) in gathered {
            let exact = named
                .next_if(|(named, _)| *named == ordinal)
                .map_or(Exact::No, |(_, exact)| exact);
            let Some(entry) = part.segment.entries.get(ordinal) else {
                continue;
            };
            if !part.is_live(ordinal) || !filter.allows(entry) {
                continue;
            }
            answer.total += 1;
            let coverage = share(mass, plan.mass);
            let mut candidate = Candidate {
                exact,
                score: score
                    * entry.layer
                    * (1.0 - index.weights.coverage + index.weights.coverage * coverage),
                mass,
                part: place,
                ordinal,
                entry,
            };
            // The factor is not asked for where even the greatest would not help.
            if let Some(quality) = query.quality
                && (exact != Exact::No || best.is_open_to(candidate.score * LARGEST_FACTOR))
            {
                candidate.score *= bounded(quality(&entry.id));
            }
            best.offer(candidate);
        }
    }
    let best = best.into_sorted();
    answer.hits = hits(index, &plan, &best);
    answer
}

/// A little above the upper end of [`QUALITY`], so that rounding leaves nobody out.
pub(super) const LARGEST_FACTOR: f32 = 1.11;

/// What a document has gathered: score and mass. An array, for which zeroed memory comes for free.
pub(super) type Tally = [f32; 2];

/// One tally for each document of the part.
pub(super) fn accumulate(
    index: &LexicalSkillIndex,
    plan: &Plan,
    place: usize,
    part: &Part,
) -> Vec<Tally> {
    let mut tallies = vec![[0.0; 2]; part.segment.len()];
    let postings = &part.segment.postings;
    let saturation = index.weights.saturation;
    for term in &plan.terms {
        let Some(Some(range)) = term.ranges.get(place) else {
            continue;
        };
        for (document, counts) in postings.documents(range).iter().zip(postings.counts(range)) {
            let Ok(document) = usize::try_from(*document) else {
                continue;
            };
            let (Some([score, mass]), Some(lengths)) = (
                tallies.get_mut(document),
                part.segment.lengths.get(document),
            ) else {
                continue;
            };
            let frequency = index.norms.frequency(*counts, *lengths);
            *score += term.weight * frequency / (saturation + frequency);
            *mass += term.mass;
        }
    }
    tallies
}

/// The share of the query that is answered, 0..=1.
pub(super) fn share(mass: f32, whole: f32) -> f32 {
    if whole > 0.0 {
        (mass / whole).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

pub(crate) fn bounded(factor: f64) -> f32 {
    let (low, high) = QUALITY;
    #[expect(clippy::cast_possible_truncation, reason = "it lies near 1")]
    let factor = if factor.is_nan() {
        1.0
    } else {
        factor.clamp(low, high)
    } as f32;
    factor
}

fn hits(index: &LexicalSkillIndex, plan: &Plan, best: &[Candidate<'_>]) -> Vec<Hit> {
    // Named documents go first whatever they score, and a score never rises along the list.
    let top = best
        .iter()
        .map(|candidate| candidate.score)
        .fold(0.0, f32::max);
    (1..)
        .zip(best)
        .map(|(rank, candidate)| {
            let lift = match candidate.exact {
                Exact::No => 0.0,
                Exact::Tool => top + 1.0,
                Exact::Name => 2.0 * (top + 1.0),
            };
            Hit {
                id: candidate.entry.id.clone(),
                name: candidate.entry.name.clone(),
                score: f64::from(candidate.score + lift),
                confidence: match candidate.exact {
                    Exact::No => f64::from(share(candidate.mass, plan.mass)),
                    Exact::Tool | Exact::Name => 1.0,
                },
                named: candidate.exact != Exact::No,
                matched: matched(index, plan, candidate),
                arms: vec![ArmRank { arm: LEXICAL, rank }],
            }
        })
        .collect()
}

/// Which words were found in which fields.
pub(super) fn matched(
    index: &LexicalSkillIndex,
    plan: &Plan,
    candidate: &Candidate<'_>,
) -> Vec<Matched> {
    let Some(part) = index.parts.get(candidate.part) else {
        return Vec::new();
    };
    let mut matched: Vec<Matched> = plan
        .terms
        .iter()
        .flat_map(|term| {
            fields(part, term, candidate).map(|field| Matched {
                field,
                term: term.shown.clone(),
            })
        })
        .collect();
    matched.sort_unstable();
    matched.dedup();
    matched
}

fn fields<'p>(
    part: &'p Part,
    term: &PlanTerm,
    candidate: &Candidate<'_>,
) -> impl Iterator<Item = Field> + use<'p> {
    let postings = &part.segment.postings;
    let counts = term
        .ranges
        .get(candidate.part)
        .and_then(Option::as_ref)
        .and_then(|range| {
            let ordinal = u32::try_from(candidate.ordinal).ok()?;
            let place = postings.documents(range).binary_search(&ordinal).ok()?;
            postings.counts(range).get(place)
        });
    counts
        .into_iter()
        .flat_map(|counts| Field::ALL.into_iter().zip(counts))
        .filter(|(_, count)| **count > 0)
        .map(|(field, _)| field)
}
