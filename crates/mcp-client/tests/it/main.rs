//! The host's duties, against a server in memory that answers from a script and writes down what it was asked.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod acting;
mod approvals;
mod bounds;
mod cache;
mod flag;
mod legacy;
mod listing;
mod names;
mod prompts;
mod reading;
mod refresh;
mod scripted;
#[cfg(feature = "sdk")]
mod sdk;
mod seed_tables;
mod servers;
