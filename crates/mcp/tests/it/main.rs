//! The methods as a transport sees them, over a real catalog.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod agreement;
mod bench;
mod calls;
mod confirm;
mod denied;
mod eras;
mod followed;
mod hidden_text;
mod hostile;
mod notices;
mod paging;
mod policy_first;
mod prompts;
mod roots;
mod selecting;
mod sessions;
mod skill_files;
mod skill_folder;
mod skills;
mod traversal;
mod unseen;
mod wire;
