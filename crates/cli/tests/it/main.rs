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
mod completions;
mod config;
mod connect_client;
mod demo;
mod demo_cases;
mod deps;
mod docs;
mod doctor;
mod helper;
mod info;
mod list;
mod new;
mod search;
mod serve;
mod stdio;
#[cfg(target_os = "linux")]
mod watchdog;
