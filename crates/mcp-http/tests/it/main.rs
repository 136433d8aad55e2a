//! The server as clients see it: its rules through the service, its streams through a socket.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod abandoned;
mod asking;
mod bench;
mod endings;
mod negotiation;
mod rules;
mod running;
mod sessions;
mod socket;
mod streams;
