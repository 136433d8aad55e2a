//! Vectors without a model: words and their letters, hashed.

use std::collections::BTreeMap;

use super::{Embedder, EmbedderError, normalise};
use crate::analyser::{TokenKind, each_token, term};

/// Changes whenever the vectors of a text change.
const VERSION: u32 = 1;

/// What a run of letters counts beside the whole word.
const LETTERS: f32 = 0.35;

/// A deterministic embedder that needs no data: every term and every run of three and four of its
/// letters falls on one dimension, with a sign. Vectors of misspelt words and of compounds stay close
/// to those of the words; meaning plays no part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedEmbedder {
    dims: usize,
    by_rarity: bool,
}

impl HashedEmbedder {
    /// 256 dimensions, each counting the same.
    pub fn new() -> Self {
        Self::with_dims(256)
    }

    /// So many dimensions, at least 1, each counting the same.
    pub fn with_dims(dims: usize) -> Self {
        Self {
            dims: dims.max(1),
            by_rarity: false,
        }
    }

    /// 2,048 dimensions, weighed by how few documents of the index share them: better, and larger.
    pub fn weighed() -> Self {
        Self {
            dims: 2_048,
            by_rarity: true,
        }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut counts: BTreeMap<String, (f32, bool)> = BTreeMap::new();
        each_token(text, &mut |surface, kind, _| {
            if kind != TokenKind::Piece {
                let entry = counts.entry(term(surface).into_owned()).or_default();
                entry.0 += 1.0;
                entry.1 |= kind == TokenKind::Gram;
            }
        });
        let mut vector = vec![0.0; self.dims];
        for (term, (count, is_gram)) in counts {
            let weight = count.ln_1p();
            self.add(&mut vector, term.as_bytes(), weight);
            if is_gram {
                continue;
            }
            let marked = format!("^{term}$");
            for length in [3, 4] {
                for letters in marked.as_bytes().windows(length) {
                    self.add(&mut vector, letters, weight * LETTERS);
                }
            }
        }
        normalise(&mut vector);
        vector
    }

    fn add(&self, vector: &mut [f32], feature: &[u8], weight: f32) {
        let hash = hash(feature);
        let dims = self.dims as u64;
        let slot = usize::try_from((hash >> 1) % dims)
            .ok()
            .and_then(|place| vector.get_mut(place));
        if let Some(slot) = slot {
            *slot += if hash & 1 == 0 { weight } else { -weight };
        }
    }
}

impl Default for HashedEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for HashedEmbedder {
    fn dims(&self) -> usize {
        self.dims
    }

    fn fingerprint(&self) -> String {
        format!("hashed-{VERSION}-{}", self.dims)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn weighs_by_rarity(&self) -> bool {
        self.by_rarity
    }
}

/// FNV-1a with a final mix; the same on every machine and in every version of the compiler.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        let embedder = HashedEmbedder::new();
        let vectors = embedder.embed(&[a, b]).unwrap();
        vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_slip_stays_close_and_another_word_does_not() {
        assert!(likeness("histogram", "histogarm") > likeness("histogram", "polygon") + 0.2);
        assert!((likeness("rendering", "render") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn vectors_never_change_unless_the_version_does() {
        assert_eq!(hash(b"sphere"), 0x8B80_312F_3EBD_D29F);
        assert_eq!(HashedEmbedder::new().fingerprint(), "hashed-1-256");
    }

    #[test]
    fn nothing_to_say_is_all_zeros() {
        let vectors = HashedEmbedder::weighed().embed(&["the of", ""]).unwrap();
        assert!(
            vectors
                .iter()
                .flatten()
                .all(|value| value.abs() < f32::EPSILON)
        );
        assert_eq!(vectors[0].len(), 2_048);
    }
}
