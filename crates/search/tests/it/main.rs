//! Integration tests.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod changes;
mod fixture;
mod fusion;
mod noise;
mod order;
mod properties;
mod ranking;
