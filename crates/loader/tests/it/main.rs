//! The integration tests of the loader.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod bytes;
mod cases;
mod fixtures;
mod folder;
mod hostile;
mod layout;
mod low_level;
mod manifest;
mod manifest_limits;
mod order;
mod scan_cache;
mod show;
mod skill_files;
mod stalls;
mod tool_cases;
#[cfg(feature = "watch")]
mod watch;
