//! Discovery: cheap ways first, and an end as soon as one is sure.

mod answer;
mod cascade;
mod direct;
mod pending;

pub use answer::{DiscoveredSkill, DiscoveryAnswer, MatchedWord, Note, Stage};
pub use cascade::{Cascade, DiscoverRequest, Discovery, Thresholds, discover};
pub use pending::PendingSelection;
