//! Texts to vectors.

mod hashed;
mod table;

use std::fmt;
use std::sync::Arc;

use crate::document::SkillDocument;

pub use hashed::HashedEmbedder;
pub use table::StaticEmbedder;

/// Turns texts into vectors, so that texts of like meaning lie close together.
///
/// The same text gives the same vector, whatever else is embedded with it.
pub trait Embedder: Send + Sync + fmt::Debug {
    /// The length of every vector.
    fn dims(&self) -> usize;

    /// Changes whenever the vectors of a text change: the kind, its version and its settings.
    fn fingerprint(&self) -> String;

    /// One vector for each text, of length 1, or all zeros for a text that says nothing.
    ///
    /// # Errors
    /// [`EmbedderError`] when vectors cannot be had.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError>;

    /// The vector of a query; some models read queries in another way than documents.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let vectors = self.embed(&[text])?;
        vectors.into_iter().next().ok_or_else(|| {
            EmbedderError::new(
                "the embedder gave no vector for a text",
                "mend the embedder, or search without it",
            )
        })
    }

    /// One vector for each document, of what [`SkillDocument::summary_text`] says of it.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn embed_documents(
        &self,
        documents: &[&SkillDocument],
    ) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let texts: Vec<String> = documents
            .iter()
            .map(|document| document.summary_text())
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.embed(&texts)
    }

    /// Whether the vectors can tell anything of a word, given as the index keeps it (an English stem).
    /// The less of a query an embedder knows, the less it counts in a [`FusedIndex`](crate::FusedIndex).
    fn knows(&self, _term: &str) -> bool {
        true
    }

    /// Whether a dimension that many documents share should count less. An index that is asked so
    /// weighs the dimensions by how few of its documents have them.
    fn weighs_by_rarity(&self) -> bool {
        false
    }
}

impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn dims(&self) -> usize {
        self.as_ref().dims()
    }

    fn fingerprint(&self) -> String {
        self.as_ref().fingerprint()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.as_ref().embed(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        self.as_ref().embed_query(text)
    }

    fn embed_documents(
        &self,
        documents: &[&SkillDocument],
    ) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.as_ref().embed_documents(documents)
    }

    fn knows(&self, term: &str) -> bool {
        self.as_ref().knows(term)
    }

    fn weighs_by_rarity(&self) -> bool {
        self.as_ref().weighs_by_rarity()
    }
}

/// Why texts could not be embedded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}; {cure}")]
pub struct EmbedderError {
    /// What went wrong.
    pub problem: String,
    /// What to do about it.
    pub cure: String,
}

impl EmbedderError {
    /// An error and its cure.
    pub fn new(problem: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            cure: cure.into(),
        }
    }
}

/// Makes the length 1; a vector of zeros, or one that is not finite, becomes zeros.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        for value in vector {
            *value /= length;
        }
    } else {
        vector.fill(0.0);
    }
}
