//! The crate's integration tests.

mod gate;
mod names;
