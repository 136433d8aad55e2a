//! Fusion by score, which is what the product uses.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::answer::{Note, SearchAnswer};
use crate::document::SkillDocument;
use crate::embed::{Embedder, EmbedderError, StaticEmbedder};
use crate::error::SearchError;
use crate::index::SkillIndex;
use crate::lexical::{Blend, BlendArm, LexicalSkillIndex, Part, Segment, latest};
use crate::query::Query;
use crate::vector::{Coded, Rows};
use crate::weights::Weights;

/// The name of the arm of word vectors in [`ArmRank`](crate::ArmRank).
pub const SEMANTIC: &str = "semantic";

/// The product's index: words ([`LexicalSkillIndex`]) and meanings ([`StaticEmbedder`], and a model if
/// one is given), their scores brought to one scale and added up with the weights of [`Weights`].
///
/// A clone shares all data with its origin, and neither sees the other's changes. When an embedder
/// fails, the rest answers, and the answer says which one is missing.
///
/// ```
/// use metier_search::{FusedIndex, SkillDocument, SkillIndex};
///
/// let mut index = FusedIndex::new();
/// let skill = |name: &str, description: &str| SkillDocument {
///     id: name.into(),
///     name: name.into(),
///     description: description.into(),
///     ..SkillDocument::default()
/// };
/// index.index(vec![
///     skill("maya-geometry", "Create polygon spheres and other primitives"),
///     skill("invoices", "Write invoices and keep track of payments"),
/// ]);
/// assert_eq!(index.search_text("如何创建多边形球体", 8)?.hits[0].id, "maya-geometry");
/// assert_eq!(index.search_text("send a bill to a customer", 8)?.hits[0].id, "invoices");
/// # Ok::<(), metier_search::SearchError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FusedIndex {
    lexical: LexicalSkillIndex,
    arms: Vec<Arm>,
}

/// The vectors of one embedder, for each part of the lexical index in the order of its documents.
#[derive(Debug, Clone)]
struct Arm {
    name: &'static str,
    weight: f32,
    /// A document without any of the query's words is found from this likeness on.
    floor: f32,
    embedder: Arc<dyn Embedder>,
    parts: Vec<(Arc<Segment>, Arc<Rows>)>,
    failure: Option<EmbedderError>,
}

impl FusedIndex {
    /// Words and word vectors, with the product's weights.
    pub fn new() -> Self {
        Self::with_weights(Weights::DEFAULT)
    }

    /// Words and word vectors, with weights of your own.
    pub fn with_weights(weights: Weights) -> Self {
        let index = Self {
            lexical: LexicalSkillIndex::with_weights(weights),
            arms: Vec::new(),
        };
        if weights.semantic > 0.0 {
            index.with_arm(
                SEMANTIC,
                Arc::new(StaticEmbedder::new()),
                weights.semantic,
                weights.semantic_floor,
            )
        } else {
            index
        }
    }

    /// Adds a model. Documents that are indexed already have no vector of it: add it first.
    #[must_use = "the index is returned, not changed in place"]
    pub fn with_model(self, name: &'static str, embedder: Arc<dyn Embedder>) -> Self {
        let weights = *self.lexical.weights();
        self.with_arm(name, embedder, weights.model, weights.model_floor)
    }

    fn with_arm(
        mut self,
        name: &'static str,
        embedder: Arc<dyn Embedder>,
        weight: f32,
        floor: f32,
    ) -> Self {
        self.arms.push(Arm {
            name,
            weight,
            floor,
            embedder,
            parts: Vec::new(),
            failure: None,
        });
        self
    }
}

impl Default for FusedIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl Arm {
    /// Vectors of new documents, by id; one that cannot be had is empty, and counts as like nothing.
    fn embed(&mut self, documents: &[SkillDocument]) -> BTreeMap<String, Vec<f32>> {
        let all: Vec<&SkillDocument> = documents.iter().collect();
        let vectors = match self.embedder.embed_documents(&all) {
            Ok(vectors) => vectors,
            Err(failure) => {
                self.failure = Some(failure);
                Vec::new()
            }
        };
        let vectors = vectors.into_iter().chain(std::iter::repeat(Vec::new()));
        documents
            .iter()
            .map(|document| document.id.clone())
            .zip(vectors)
            .collect()
    }

    /// Follows the lexical index to its new parts; `before` are the parts it had.
    fn follow(&mut self, before: &[Part], now: &[Part], fresh: &BTreeMap<String, Vec<f32>>) {
        let dims = self.embedder.dims();
        let parts = now.iter().map(|part| {
            let known = self
                .parts
                .iter()
                .find(|(segment, _)| Arc::ptr_eq(segment, &part.segment));
            if let Some(known) = known {
                return known.clone();
            }
            let mut rows = Rows::new(dims);
            for entry in &part.segment.entries {
                if let Some(vector) = fresh.get(&entry.id) {
                    rows.push(vector);
                    continue;
                }
                let old = before
                    .iter()
                    .zip(&self.parts)
                    .find_map(|(part, (_, rows))| {
                        let place = usize::try_from(part.segment.find(&entry.id)?).ok()?;
                        part.is_live(place).then_some((rows, place))
                    });
                match old {
                    Some((others, place)) => rows.push_row(others, place),
                    None => rows.push_zeros(),
                }
            }
            (Arc::clone(&part.segment), Arc::new(rows))
        });
        self.parts = parts.collect();
    }

    /// How like the query each document is; `None` when the arm has nothing to say.
    fn likeness(
        &self,
        text: &str,
        words: &[(String, f32)],
        notes: &mut Vec<Note>,
    ) -> Option<BlendArm> {
        let missing = |failure: &EmbedderError| Note::ArmMissing {
            arm: self.name,
            reason: failure.to_string(),
        };
        notes.extend(self.failure.as_ref().map(missing));
        let query = match self.embedder.embed_query(text) {
            Ok(vector) => Coded::new(&vector),
            Err(failure) => {
                if self.failure.is_none() {
                    notes.push(missing(&failure));
                }
                return None;
            }
        };
        if query.is_zero() {
            return None;
        }
        Some(BlendArm {
            name: self.name,
            weight: self.weight * self.known_share(words).powi(2),
            floor: self.floor,
            likeness: self
                .parts
                .iter()
                .map(|(_, rows)| rows.likeness(&query))
                .collect(),
        })
    }
}

impl Arm {
    /// How much of a query the embedder knows. Of a product's name it never heard it can say nothing,
    /// and what it makes of the rest must not outweigh the skill that has the name.
    fn known_share(&self, words: &[(String, f32)]) -> f32 {
        let all: f32 = words.iter().map(|(_, rarity)| rarity).sum();
        let known: f32 = words
            .iter()
            .filter(|(term, _)| self.embedder.knows(term))
            .map(|(_, rarity)| rarity)
            .sum();
        if all > 0.0 { known / all } else { 1.0 }
    }
}

impl SkillIndex for FusedIndex {
    fn index(&mut self, documents: Vec<SkillDocument>) {
        let documents = latest(documents);
        let fresh: Vec<_> = self
            .arms
            .iter_mut()
            .map(|arm| arm.embed(&documents))
            .collect();
        let before = self.lexical.parts().to_vec();
        self.lexical.index(documents);
        for (arm, fresh) in self.arms.iter_mut().zip(fresh) {
            arm.follow(&before, self.lexical.parts(), &fresh);
        }
    }

    fn remove(&mut self, id: &str) -> bool {
        let before = self.lexical.parts().to_vec();
        let was_there = self.lexical.remove(id);
        if was_there {
            for arm in &mut self.arms {
                arm.follow(&before, self.lexical.parts(), &BTreeMap::new());
            }
        }
        was_there
    }

    fn len(&self) -> usize {
        self.lexical.len()
    }

    fn search(&self, query: &Query<'_>) -> Result<SearchAnswer, SearchError> {
        if query.text.trim().is_empty() {
            return self.lexical.search(query);
        }
        let (text, _) = crate::lexical::cut(&query.text);
        let notes = RefCell::new(Vec::new());
        let mut answer = self.lexical.search_blended(query, &|words| Blend {
            arms: self
                .arms
                .iter()
                .filter_map(|arm| arm.likeness(text, words, &mut notes.borrow_mut()))
                .collect(),
        })?;
        answer.notes.extend(notes.into_inner());
        Ok(answer)
    }
}
