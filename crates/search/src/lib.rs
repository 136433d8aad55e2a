//! Skill search: one analyser for every language, BM25F over fst, explained hits.
//!
//! Skills come as plain [`SkillDocument`]s; the crate knows no files, no catalog and no protocol, does
//! no I/O and needs no runtime. Whatever searches is a [`SkillIndex`]; [`LexicalSkillIndex`] is the one
//! that always works.
//!
//! ```
//! use metier_search::{LexicalSkillIndex, SkillDocument, SkillIndex};
//!
//! let mut index = LexicalSkillIndex::new();
//! index.index(vec![SkillDocument {
//!     id: "maya-geometry".into(),
//!     name: "maya-geometry".into(),
//!     description: "Create polygon spheres and other primitives. 创建球体等多边形。".into(),
//!     ..SkillDocument::default()
//! }]);
//!
//! let answer = index.search_text("如何创建多边形球体", 8)?;
//! assert_eq!(answer.hits[0].id, "maya-geometry");
//! assert!(index.search_text("sphere", 8)?.hits[0].confidence > 0.9);
//! # Ok::<(), metier_search::SearchError>(())
//! ```
//!
//! # How hits are ordered
//!
//! 1. A skill whose name or id is the query, then one with a tool of that name, whatever the case,
//!    the padding and the separators.
//! 2. The sum, over the words of the query, of how telling a word is times how strongly the skill
//!    speaks of it, by field and for the length of the field ([`Weights`]).
//! 3. The name, then the id.
//!
//! A word that no skill has is taken for the beginning of another or for a slip of the hand; a word
//! that some skill has is taken as it is. The order of the words plays no part.
//!
//! # Limits
//!
//! - Chinese, Japanese and Korean text is cut into pairs of characters, not into words.
//! - Only English word forms meet (render, rendering); words of other languages are kept as written.
//! - Traditional Chinese is folded with a table of common technical characters, not a full one.

mod analyser;
mod answer;
mod document;
mod error;
mod index;
mod lexical;
mod query;
mod weights;

pub use analyser::{Token, TokenKind, analyse};
pub use answer::{ArmRank, Field, Hit, Matched, Note, SearchAnswer};
pub use document::{SkillDocument, ToolDocument};
pub use error::SearchError;
pub use index::SkillIndex;
pub use lexical::{LEXICAL, LexicalSkillIndex};
pub use query::{Filter, LIMITS, Predicate, QUERY_CHARACTERS, QualityFactor, Query};
pub use weights::{BODY_CHARACTERS, FIELDS, Weights};
