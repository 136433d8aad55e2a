//! Several ways of searching to one answer.

mod fused;
mod rrf;

pub use fused::{FusedIndex, SEMANTIC};
pub use rrf::RrfFusionIndex;
