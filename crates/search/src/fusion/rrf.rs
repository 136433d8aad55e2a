//! Fusion by rank.

use std::collections::BTreeMap;

use crate::answer::{ArmRank, Hit, Note, SearchAnswer};
use crate::document::SkillDocument;
use crate::error::SearchError;
use crate::index::SkillIndex;
use crate::query::{LIMITS, Query};

/// The constant of the published method: how little the first places stand out.
const K: f64 = 60.0;

/// Adds up, over its indexes, 1 / (60 + rank), or a weight of your own in place of the 1
/// (reciprocal rank fusion, Cormack, Clarke and Büttcher 2009). It looks at places alone, so any
/// indexes can be put together. A name that one of them recognises goes first all the same.
///
/// ```
/// use metier_search::{
///     LexicalSkillIndex, RrfFusionIndex, SkillDocument, SkillIndex, VectorSkillIndex,
/// };
///
/// let mut fused = RrfFusionIndex::new()
///     .register("lex", LexicalSkillIndex::new())
///     .register("vec", VectorSkillIndex::new());
/// fused.index(vec![SkillDocument {
///     id: "maya-geometry".into(),
///     name: "maya-geometry".into(),
///     description: "Create polygon spheres. 创建球体等多边形。".into(),
///     ..SkillDocument::default()
/// }]);
/// let answer = fused.search_text("如何创建多边形球体", 8)?;
/// assert_eq!(answer.hits[0].id, "maya-geometry");
/// # Ok::<(), metier_search::SearchError>(())
/// ```
#[derive(Default)]
pub struct RrfFusionIndex {
    arms: Vec<Arm>,
}

struct Arm {
    name: &'static str,
    weight: f64,
    index: Box<dyn SkillIndex>,
}

impl std::fmt::Debug for RrfFusionIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries(self.arms.iter().map(|arm| (arm.name, arm.weight)))
            .finish()
    }
}

impl RrfFusionIndex {
    /// Without any index it finds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an index that counts 1.
    #[must_use = "the fusion is returned, not changed in place"]
    pub fn register(self, name: &'static str, index: impl SkillIndex + 'static) -> Self {
        self.register_weighted(name, index, 1.0)
    }

    /// Adds an index with a weight; one that is negative or no number counts 0. An index that is
    /// registered under a name that is taken replaces the other.
    #[must_use = "the fusion is returned, not changed in place"]
    pub fn register_weighted(
        mut self,
        name: &'static str,
        index: impl SkillIndex + 'static,
        weight: f64,
    ) -> Self {
        let arm = Arm {
            name,
            weight: if weight.is_finite() {
                weight.max(0.0)
            } else {
                0.0
            },
            index: Box::new(index),
        };
        match self.arms.iter_mut().find(|known| known.name == name) {
            Some(known) => *known = arm,
            None => self.arms.push(arm),
        }
        self
    }
}

/// What the arms say of one document.
struct Fused {
    hit: Hit,
    score: f64,
}

impl SkillIndex for RrfFusionIndex {
    fn index(&mut self, documents: Vec<SkillDocument>) {
        for arm in &mut self.arms {
            arm.index.index(documents.clone());
        }
    }

    fn remove(&mut self, id: &str) -> bool {
        let mut was_there = false;
        for arm in &mut self.arms {
            was_there |= arm.index.remove(id);
        }
        was_there
    }

    fn len(&self) -> usize {
        self.arms
            .iter()
            .map(|arm| arm.index.len())
            .max()
            .unwrap_or_default()
    }

    fn search(&self, query: &Query<'_>) -> Result<SearchAnswer, SearchError> {
        let limit = crate::lexical::limit(query)?;
        let mut deep = query.clone();
        deep.limit = *LIMITS.end();
        let mut answer = SearchAnswer::default();
        let mut fused: BTreeMap<String, Fused> = BTreeMap::new();
        for arm in &self.arms {
            let said = match arm.index.search(&deep) {
                Ok(said) => said,
                Err(error) => {
                    answer.notes.push(Note::ArmMissing {
                        arm: arm.name,
                        reason: error.to_string(),
                    });
                    continue;
                }
            };
            answer.total = answer.total.max(said.total);
            for note in said.notes {
                if !answer.notes.contains(&note) {
                    answer.notes.push(note);
                }
            }
            if query.text.trim().is_empty() {
                // Browsing has one order, and every arm has it.
                answer.hits = said.hits;
                answer.hits.truncate(limit);
                return Ok(answer);
            }
            for (rank, hit) in (1_u32..).zip(said.hits) {
                let place = ArmRank {
                    arm: arm.name,
                    rank: usize::try_from(rank).unwrap_or(usize::MAX),
                };
                let gain = arm.weight / (K + f64::from(rank));
                let entry = fused.entry(hit.id.clone()).or_insert_with(|| Fused {
                    hit: Hit {
                        arms: Vec::new(),
                        matched: Vec::new(),
                        ..hit.clone()
                    },
                    score: 0.0,
                });
                entry.score += gain;
                entry.hit.arms.push(place);
                entry.hit.named |= hit.named;
                entry.hit.confidence = entry.hit.confidence.max(hit.confidence);
                entry.hit.matched.extend(hit.matched);
            }
        }
        // An arm that has no word to look for says nothing against one that found something.
        if !fused.is_empty() {
            answer.notes.retain(|note| *note != Note::NoSearchableTerm);
        }
        answer.total = answer.total.max(fused.len());
        let mut ranked: Vec<Fused> = fused.into_values().collect();
        ranked.sort_by(|a, b| {
            let named = b.hit.named.cmp(&a.hit.named);
            named
                .then_with(|| first_place(&a.hit).cmp(&first_place(&b.hit)))
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| (&a.hit.name, &a.hit.id).cmp(&(&b.hit.name, &b.hit.id)))
        });
        ranked.truncate(limit);
        answer.hits = ranked.into_iter().map(finished).collect();
        Ok(answer)
    }
}

/// Those that are named keep the order that the arms gave them; for all others it plays no part.
fn first_place(hit: &Hit) -> usize {
    if hit.named {
        hit.arms
            .iter()
            .map(|arm| arm.rank)
            .min()
            .unwrap_or_default()
    } else {
        0
    }
}

/// A score never rises along the list, and a name counts more than all places together.
fn finished(Fused { mut hit, score }: Fused) -> Hit {
    hit.score = score;
    if hit.named {
        #[expect(clippy::cast_precision_loss, reason = "a place is at most 100")]
        let place = first_place(&hit) as f64;
        hit.score = 1000.0 - place;
    }
    hit.matched.sort_unstable();
    hit.matched.dedup();
    hit
}
