//! The state as servers use it, on a real file system.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at a broken fixture"
)]

mod any_bytes;
mod crash;
mod damage;
mod refused;
mod shared_file;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_versions;
mod store;
mod versions;
mod writers;
