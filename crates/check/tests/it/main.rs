//! The integration tests of the check.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod fuzz;
mod literate;
mod many;
mod pages;
mod sarif;
mod schemas;
mod spec;
