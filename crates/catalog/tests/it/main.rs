//! The catalog over real folders, with real scripts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at a broken fixture"
)]

mod bench_folder;
mod blocking;
mod call;
mod call_order;
mod capabilities;
mod core_tools;
mod deadlines;
mod discover;
mod discovery;
#[cfg(unix)]
mod failures;
mod field_cases;
mod groups;
mod hooks;
mod keeping;
mod load;
mod log_lines;
mod missing_script;
mod names;
mod nested_skills;
mod not_served;
mod protocol;
#[cfg(target_os = "linux")]
mod script_cases;
#[cfg(target_os = "linux")]
mod script_kinds;
#[cfg(target_os = "linux")]
mod script_result_cases;
mod search;
mod swapped;
#[cfg(unix)]
mod swapped_links;
mod text_rules;
mod texts;
#[cfg(feature = "watch")]
mod watching;
