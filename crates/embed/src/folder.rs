//! A sentence model from a folder.

use std::path::Path;

use metier_search::{Embedder, EmbedderError};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::bert::{Bert, Config};
use crate::cache::hex;
use crate::safetensors;
use crate::word_piece::WordPiece;

/// A text is cut after so many pieces, start and end included.
const MOST_PIECES: usize = 256;

/// Runs a BERT sentence model (all-MiniLM, bge-small and their like) in plain Rust.
///
/// The folder holds what such models are published with: `config.json`, `vocab.txt` or `tokenizer.json`,
/// `model.safetensors`; `1_Pooling/config.json` and `config_sentence_transformers.json` are read when they are there.
#[derive(Debug)]
pub struct FolderEmbedder {
    model: Bert,
    pieces: WordPiece,
    takes_first: bool,
    query_prompt: String,
    fingerprint: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Pooling {
    pooling_mode_cls_token: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Prompts {
    prompts: std::collections::BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Tokenizer {
    model: TokenizerModel,
}

#[derive(Deserialize)]
struct TokenizerModel {
    vocab: std::collections::BTreeMap<String, u32>,
}

impl FolderEmbedder {
    /// Reads a model.
    ///
    /// # Errors
    /// [`EmbedderError`] when a file is missing or is not what such a model has.
    pub fn open(folder: &Path) -> Result<Self, EmbedderError> {
        read(folder).map_err(|why| {
            EmbedderError::new(
                format!("the model in `{}` cannot be used: {why}", folder.display()),
                "give a folder with config.json, vocab.txt and model.safetensors of an uncased BERT sentence model",
            )
        })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let most = MOST_PIECES.min(self.model.config.max_position_embeddings);
        let ids = self.pieces.ids(text, most);
        let states = self.model.run(&ids);
        let size = self.model.config.hidden_size;
        let mut vector = vec![0.0; size];
        let rows = if self.takes_first { 1 } else { ids.len() };
        for row in states.chunks_exact(size).take(rows) {
            for (sum, value) in vector.iter_mut().zip(row) {
                *sum += value;
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut vector {
            *value = if length > 0.0 && length.is_finite() {
                *value / length
            } else {
                0.0
            };
        }
        vector
    }
}

fn read(folder: &Path) -> Result<FolderEmbedder, String> {
    let bytes = |name: &str| {
        std::fs::read(folder.join(name))
            .map_err(|error| format!("{name} could not be read: {error}"))
    };
    let config: Config = json(&bytes("config.json")?, "config.json")?;
    let vocabulary = if folder.join("vocab.txt").is_file() {
        String::from_utf8_lossy(&bytes("vocab.txt")?).into_owned()
    } else {
        let tokenizer: Tokenizer = json(&bytes("tokenizer.json")?, "tokenizer.json")?;
        let mut pieces: Vec<(u32, String)> = tokenizer
            .model
            .vocab
            .into_iter()
            .map(|(piece, id)| (id, piece))
            .collect();
        pieces.sort_unstable();
        let pieces: Vec<String> = pieces.into_iter().map(|(_, piece)| piece).collect();
        pieces.join("\n")
    };
    let pooling = bytes("1_Pooling/config.json")
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Pooling>(&bytes).ok())
        .unwrap_or_default();
    let prompts = bytes("config_sentence_transformers.json")
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Prompts>(&bytes).ok())
        .unwrap_or_default();
    let weights = bytes("model.safetensors")?;
    let mut digest = Sha256::new();
    digest.update(&weights);
    digest.update(&vocabulary);
    let digest = digest.finalize();
    let digest = hex(digest.get(..8).unwrap_or_default());
    Ok(FolderEmbedder {
        model: Bert::new(config, safetensors::read(&weights)?)?,
        pieces: WordPiece::new(&vocabulary)?,
        takes_first: pooling.pooling_mode_cls_token,
        query_prompt: prompts.prompts.get("query").cloned().unwrap_or_default(),
        fingerprint: format!("bert-1-{digest}"),
    })
}

fn json<T: for<'de> Deserialize<'de>>(bytes: &[u8], name: &str) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("{name} is not as expected: {error}"))
}

impl Embedder for FolderEmbedder {
    fn dims(&self) -> usize {
        self.model.config.hidden_size
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        Ok(self.vector(&format!("{}{text}", self.query_prompt)))
    }
}
