//! Metier as a library: its crates under one name, and a skill server in one call.
