//! The `metier` command.
fn main() {}
