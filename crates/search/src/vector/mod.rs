//! Searching by the likeness of vectors.

mod index;
mod rows;
mod store;

pub use index::{VECTOR, VectorSkillIndex};
pub(crate) use rows::{Coded, Rows};
pub use store::{InMemoryVectorStore, VectorStore};
