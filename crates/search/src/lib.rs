//! Skill search: words, meanings and both together, in any language, with hits that say why.
//!
//! Skills come as plain [`SkillDocument`]s; the crate knows no files, no catalog and no protocol, does
//! no I/O and needs no runtime. Whatever searches is a [`SkillIndex`]:
//!
//! - [`FusedIndex`] is what the product uses: words and word vectors, and a model's vectors if there is one;
//! - [`LexicalSkillIndex`] looks at words alone, and always works;
//! - [`VectorSkillIndex`] looks at the vectors of an [`Embedder`] alone;
//! - [`RrfFusionIndex`] puts any of them together by rank.
//!
//! ```
//! use metier_search::{FusedIndex, SkillDocument, SkillIndex};
//!
//! let mut index = FusedIndex::new();
//! index.index(vec![SkillDocument {
//!     id: "maya-geometry".into(),
//!     name: "maya-geometry".into(),
//!     description: "Create polygon spheres and other primitives. 创建球体等多边形。".into(),
//!     ..SkillDocument::default()
//! }]);
//!
//! let answer = index.search_text("如何创建多边形球体", 8)?;
//! assert_eq!(answer.hits[0].id, "maya-geometry");
//! assert_eq!(index.search_text("sphere", 8)?.hits[0].matched[0].term, "sphere");
//! # Ok::<(), metier_search::SearchError>(())
//! ```
//!
//! # How hits are ordered
//!
//! 1. A skill whose name or id is the query, then one with a tool of that name, whatever the case,
//!    the padding and the separators.
//! 2. The sum, over the words of the query, of how telling a word is times how strongly the skill
//!    speaks of it, by field and for the length of the field ([`Weights`]); in a [`FusedIndex`] together
//!    with how like the skill's vector is to the query's.
//! 3. The name, then the id.
//!
//! A word that no skill has is taken for the beginning of another or for a slip of the hand; a word
//! that some skill has is taken as it is. Chinese, Japanese and Korean words that the glossary knows also
//! find their English ones. The order of the words plays no part.
//!
//! # How sure a hit is
//!
//! [`Hit::confidence`] of a [`FusedIndex`] is the chance that the skill answers the query, fitted on labelled
//! queries and on queries that nothing answers. When the first hit is not likely to be right, the answer says so
//! ([`Note::NothingFits`]).
//!
//! # Limits
//!
//! - Chinese, Japanese and Korean text is cut into pairs of characters, not into words.
//! - Only English word forms meet (render, rendering); words of other languages are kept as written.
//! - Traditional Chinese is folded with a table of common technical characters, not a full one.

mod analyser;
mod answer;
mod confidence;
mod document;
mod embed;
mod error;
mod fusion;
mod index;
mod lexical;
mod lexicon;
mod query;
mod vector;
mod weights;

pub use analyser::{Token, TokenKind, analyse};
pub use answer::{ArmRank, Field, Hit, Matched, Note, SearchAnswer};
pub use document::{SkillDocument, ToolDocument};
pub use embed::{Embedder, EmbedderError, HashedEmbedder, StaticEmbedder};
pub use error::SearchError;
pub use fusion::{FusedIndex, RrfFusionIndex, SEMANTIC};
pub use index::SkillIndex;
pub use lexical::{LEXICAL, LexicalSkillIndex};
pub use query::{Filter, LIMITS, Predicate, QUERY_CHARACTERS, QualityFactor, Query};
pub use vector::{InMemoryVectorStore, VECTOR, VectorSkillIndex, VectorStore};
pub use weights::{BODY_CHARACTERS, FIELDS, Weights};
