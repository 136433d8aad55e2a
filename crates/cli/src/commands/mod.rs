//! One file for each command.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod connect_client;
pub(crate) mod deps;
pub(crate) mod discover;
pub(crate) mod doctor;
pub(crate) mod host_adapter;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod listing;
pub(crate) mod new;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod state;
mod state_approvals;
mod state_memory;
mod state_quality;
pub(crate) mod stdio;
