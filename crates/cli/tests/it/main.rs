//! The command as a person or a script uses it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at a broken fixture"
)]

mod call;
mod check;
mod command;
mod demo;
mod demo_cases;
mod docs;
mod helper;
mod list;
mod search;
mod serve;
mod stdio;
