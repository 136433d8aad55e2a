//! The crate from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod bounded;
mod clock;
mod forget;
mod layers;
mod privacy;
mod recorder;
mod redaction;
mod session_end;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_beside;
mod store_that_fails;
mod summary;
