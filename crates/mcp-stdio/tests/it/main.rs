//! A client at the other end of a pipe.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod bench;
mod calls;
mod end;
mod hostile;
mod wire;
