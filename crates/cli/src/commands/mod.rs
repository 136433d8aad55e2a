//! One file for each command.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod list;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod stdio;
