//! The other end of the link, for applications with a Python of their own.

/// The adapter: one file, standard library, Python 3.7
/// or newer. Its beginning says how to start it.
pub const ADAPTER: &str = include_str!("../assets/metier_host.py");
