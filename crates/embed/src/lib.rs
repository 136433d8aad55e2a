//! Model embedders for skill search.
//!
//! Search needs no model. Whoever has one gets it in here: [`FolderEmbedder`] computes the vectors of a
//! BERT sentence model from a folder, [`ProcessEmbedder`] asks another program for them, and
//! [`CachedEmbedder`] keeps what either has computed. [`Choice`] takes the first that is to be had, and says what
//! is missing when none is.
//!
//! ```
//! use metier_embed::Choice;
//!
//! let choice = Choice::from_variables(|_| None);
//! assert_eq!(choice.model, "BAAI/bge-small-en-v1.5");
//! let error = choice.open().unwrap_err();
//! assert!(error.to_string().contains("DCC_MCP_EMBED_MODEL_DIR"));
//! ```
//!
//! # Limits
//!
//! - Uncased BERT models with a vocabulary of word pieces and 32-bit weights; nothing else is read from a folder.
//! - One text at a time on one thread: some ten milliseconds a skill for a model of six layers.

mod bert;
mod cache;
mod choice;
mod folder;
mod process;
mod safetensors;
mod word_piece;

pub use cache::{CacheError, CachedEmbedder};
pub use choice::{Choice, DEFAULT_MODEL, MODEL, MODEL_DIR, PROGRAM};
pub use folder::FolderEmbedder;
pub use process::ProcessEmbedder;
