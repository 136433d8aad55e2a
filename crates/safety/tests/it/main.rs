//! Tests of the crate from outside.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod bounds;
mod mixtures;
mod places;
mod samples;
