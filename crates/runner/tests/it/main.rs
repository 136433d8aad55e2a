//! Runs real scripts, written into temporary folders. Whether a process is gone is read from `/proc`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected fails by panic"
)]

#[cfg(target_os = "linux")]
mod descent;
mod ending;
mod environment;
mod gate;
mod hostile;
mod input;
mod interpreters;
mod output;
mod place;
mod program_hook;
mod refusals;
mod stage;
