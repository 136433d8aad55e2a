//! An index of vectors alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::store::{InMemoryVectorStore, VectorStore};
use crate::analyser::name_key;
use crate::answer::{ArmRank, Hit, Note, SearchAnswer};
use crate::document::SkillDocument;
use crate::embed::{Embedder, EmbedderError, HashedEmbedder, normalise};
use crate::error::SearchError;
use crate::index::SkillIndex;
use crate::lexical::{Entry, ReadyFilter, bounded, cut, latest, limit};
use crate::query::Query;
use crate::weights::Weights;

/// The name of this way of searching in [`ArmRank`].
pub const VECTOR: &str = "vector";

/// Finds the skills whose vectors are most like the query's.
///
/// Without further ado the embedder is [`HashedEmbedder`] and the store [`InMemoryVectorStore`]. When
/// the embedder fails, the answers say so and are empty.
#[derive(Debug)]
pub struct VectorSkillIndex {
    embedder: Arc<dyn Embedder>,
    store: Box<dyn VectorStore>,
    documents: BTreeMap<String, Kept>,
    /// Documents by the key of their name or id.
    names: BTreeMap<String, BTreeSet<String>>,
    /// Why some documents have no vector.
    failure: Option<EmbedderError>,
    /// What each dimension counts, for an embedder that asks for it.
    rarity: Vec<f32>,
}

#[derive(Debug)]
struct Kept {
    entry: Entry,
    keys: Vec<String>,
    /// The vector as embedded; kept only when dimensions are weighed.
    raw: Vec<f32>,
}

impl VectorSkillIndex {
    /// Hashed vectors in memory.
    pub fn new() -> Self {
        Self::with(HashedEmbedder::new(), InMemoryVectorStore::new())
    }

    /// Vectors of an embedder, in memory.
    pub fn with_embedder(embedder: impl Embedder + 'static) -> Self {
        Self::with(embedder, InMemoryVectorStore::new())
    }

    /// Vectors of an embedder, kept in a store, which should be empty.
    pub fn with(embedder: impl Embedder + 'static, store: impl VectorStore + 'static) -> Self {
        Self {
            embedder: Arc::new(embedder),
            store: Box::new(store),
            documents: BTreeMap::new(),
            names: BTreeMap::new(),
            failure: None,
            rarity: Vec::new(),
        }
    }

    fn forget(&mut self, id: &str) -> bool {
        let Some(kept) = self.documents.remove(id) else {
            return false;
        };
        for key in kept.keys {
            if let Some(bearers) = self.names.get_mut(&key) {
                bearers.remove(id);
                if bearers.is_empty() {
                    self.names.remove(&key);
                }
            }
        }
        self.store.remove(id);
        true
    }

    /// Weighs every dimension anew by how few documents have it.
    fn weigh(&mut self) {
        if !self.embedder.weighs_by_rarity() {
            return;
        }
        let mut counts = vec![0_u32; self.embedder.dims()];
        for kept in self.documents.values() {
            for (count, value) in counts.iter_mut().zip(&kept.raw) {
                *count += u32::from(value.abs() > 0.0);
            }
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rounded count is as good here"
        )]
        let documents = self.documents.len() as f32;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rounded count is as good here"
        )]
        let rarity = |count: &u32| ((documents + 1.0) / (*count as f32 + 1.0)).ln() + 0.1;
        self.rarity = counts.iter().map(rarity).collect();
        for (id, kept) in &self.documents {
            self.store.upsert(id, &weighed(&kept.raw, &self.rarity));
        }
    }

    fn query_vector(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let vector = self.embedder.embed_query(text)?;
        Ok(if self.embedder.weighs_by_rarity() {
            weighed(&vector, &self.rarity)
        } else {
            vector
        })
    }
}

fn weighed(vector: &[f32], rarity: &[f32]) -> Vec<f32> {
    let mut vector: Vec<f32> = vector.iter().zip(rarity).map(|(a, b)| a * b).collect();
    normalise(&mut vector);
    vector
}

impl Default for VectorSkillIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl SkillIndex for VectorSkillIndex {
    fn index(&mut self, documents: Vec<SkillDocument>) {
        let documents = latest(documents);
        let all: Vec<&SkillDocument> = documents.iter().collect();
        let vectors = match self.embedder.embed_documents(&all) {
            Ok(vectors) => vectors,
            Err(failure) => {
                self.failure = Some(failure);
                Vec::new()
            }
        };
        let mut vectors = vectors.into_iter();
        for document in documents {
            self.forget(&document.id);
            let id = document.id.clone();
            let mut keys = vec![name_key(&document.name), name_key(&id)];
            keys.retain(|key| !key.is_empty());
            for key in &keys {
                self.names
                    .entry(key.clone())
                    .or_default()
                    .insert(id.clone());
            }
            let vector = vectors.next().unwrap_or_default();
            self.store.upsert(&id, &vector);
            let kept = Kept {
                entry: Entry::new(document, &Weights::DEFAULT),
                keys,
                raw: if self.embedder.weighs_by_rarity() {
                    vector
                } else {
                    Vec::new()
                },
            };
            self.documents.insert(id, kept);
        }
        self.weigh();
    }

    fn remove(&mut self, id: &str) -> bool {
        let was_there = self.forget(id);
        if was_there {
            self.weigh();
        }
        was_there
    }

    fn len(&self) -> usize {
        self.documents.len()
    }

    fn search(&self, query: &Query<'_>) -> Result<SearchAnswer, SearchError> {
        let limit = limit(query)?;
        let (text, note) = cut(&query.text);
        let filter = ReadyFilter::new(&query.filter);
        let mut answer = SearchAnswer::default();
        answer.notes.extend(note);
        let passing = |id: &str| {
            self.documents
                .get(id)
                .map(|kept| &kept.entry)
                .filter(|entry| filter.allows(entry))
        };
        if text.trim().is_empty() {
            let mut all: Vec<&Entry> = self.documents.keys().filter_map(|id| passing(id)).collect();
            all.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
            answer.total = all.len();
            answer.hits = all.into_iter().take(limit).map(Hit::browsed).collect();
            return Ok(answer);
        }
        let missing = |failure: &EmbedderError| Note::ArmMissing {
            arm: VECTOR,
            reason: failure.to_string(),
        };
        answer.notes.extend(self.failure.as_ref().map(missing));
        let vector = match self.query_vector(text) {
            Ok(vector) => vector,
            Err(failure) => {
                answer.notes.push(missing(&failure));
                Vec::new()
            }
        };
        let named: BTreeSet<&String> = self
            .names
            .get(&name_key(text))
            .into_iter()
            .flatten()
            .collect();
        if vector.iter().all(|value| value.abs() <= 0.0) && named.is_empty() {
            answer.notes.push(Note::NoSearchableTerm);
            return Ok(answer);
        }
        let near = self
            .store
            .nearest(&vector, self.documents.len(), &|id| passing(id).is_some());
        let absent = named
            .iter()
            .filter(|id| near.iter().all(|(near, _)| near != **id))
            .map(|id| ((*id).clone(), 0.0))
            .collect::<Vec<_>>();
        let mut found: Vec<(bool, f32, f32, &Entry)> = near
            .iter()
            .chain(&absent)
            .filter_map(|(id, likeness)| {
                let entry = passing(id)?;
                let factor = query.quality.map_or(1.0, |quality| bounded(quality(id)));
                Some((
                    named.contains(id),
                    likeness * factor * entry.layer,
                    *likeness,
                    entry,
                ))
            })
            .collect();
        found.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then_with(|| b.1.total_cmp(&a.1))
                .then_with(|| (&a.3.name, &a.3.id).cmp(&(&b.3.name, &b.3.id)))
        });
        answer.total = found.len();
        answer.hits = (1..)
            .zip(found.into_iter().take(limit))
            .map(|(rank, (named, score, likeness, entry))| Hit {
                id: entry.id.clone(),
                name: entry.name.clone(),
                score: f64::from(score) + if named { 2.0 } else { 0.0 },
                confidence: if named {
                    1.0
                } else {
                    f64::from(likeness.clamp(0.0, 1.0))
                },
                named,
                matched: Vec::new(),
                arms: vec![ArmRank { arm: VECTOR, rank }],
            })
            .collect();
        Ok(answer)
    }
}
