//! The integration tests of the check.
#![allow(
    clippy::assigning_clones,
    clippy::cloned_ref_to_slice_refs,
    clippy::format_collect,
    clippy::needless_pass_by_value,
    reason = "the shortest words are the clearest in a test"
)]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod cures;
mod fuzz;
mod fuzz_targets;
mod literate;
mod many;
mod pages;
mod prompts_schema;
mod sarif;
mod schema_values;
mod schemas;
mod slips;
mod spec;
mod together;
mod verdicts;
