//! Model embedders over files, programs and caches.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod cached;
mod choice;
mod model;
mod program;

use std::path::PathBuf;

/// A model of two small layers with random weights.
fn tiny() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny")
}
