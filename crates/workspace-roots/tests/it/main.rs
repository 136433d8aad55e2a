//! The crate's integration tests. They speak of POSIX paths and links; how Windows spells paths is
//! tested on every platform beside the parser.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot set its place up has to fail"
)]

mod forms;
mod fuzz;
mod links;
mod messages;
mod properties;
mod strict;
