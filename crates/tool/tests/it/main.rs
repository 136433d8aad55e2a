//! Arguments, schemas and typed tools as callers meet them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod arguments;
mod refusals;
mod schemas;
mod typed;
