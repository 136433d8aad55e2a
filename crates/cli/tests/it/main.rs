//! The command as a person or a script uses it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at a broken fixture"
)]

mod agent_skills;
mod agreement;
mod attach;
mod audit;
mod before_a_model;
mod call;
mod check;
mod command;
mod completions;
mod config;
mod connect;
mod connect_client;
mod connect_client_files;
mod demo;
mod demo_cases;
mod deps;
mod docs;
mod docs_connect;
mod docs_inspector;
mod docs_skills;
mod doctor;
mod exit_codes;
#[cfg(target_os = "linux")]
mod field_cases;
mod helper;
#[cfg(target_os = "linux")]
mod hooks;
mod host_guide;
#[cfg(target_os = "linux")]
mod hostile_arguments;
#[cfg(target_os = "linux")]
mod hostile_tree;
#[cfg(target_os = "linux")]
mod http_client;
mod info;
mod interpreters;
mod json_forms;
mod list;
mod logging;
#[cfg(target_os = "linux")]
mod many_calls;
mod memory;
mod new;
mod nothing_found;
mod options_named;
mod output;
mod persist;
mod persist_crash;
mod persist_server;
mod progress;
mod quality;
mod search;
mod serve;
#[cfg(unix)]
mod session_hooks;
mod state;
mod stdio;
mod strangers_words;
#[cfg(target_os = "linux")]
mod terminal;
mod unreadable;
mod watch;
#[cfg(target_os = "linux")]
mod watchdog;
#[cfg(unix)]
mod what_is_kept;
