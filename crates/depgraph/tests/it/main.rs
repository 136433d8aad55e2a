//! The crate's integration tests: whole graphs through the public interface.

mod cycles;
mod large;
mod missing;
mod properties;
mod queries;
