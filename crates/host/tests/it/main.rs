//! A real Python with the adapter at the other end of the link, and a main thread with a queue.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod application;
mod as_program;
mod link;
mod link_ends;
mod queue;
