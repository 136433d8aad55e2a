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
mod fixtures;
mod folder;
mod hostile;
mod layout;
mod show;
mod skill_files;
