//! A client at the other end of a pipe.
#![allow(
    clippy::assigning_clones,
    clippy::cloned_ref_to_slice_refs,
    clippy::format_collect,
    clippy::needless_pass_by_value,
    reason = "the shortest words are the clearest in a test"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod asking;
mod bench;
mod calls;
mod end;
mod hostile;
mod wire;
