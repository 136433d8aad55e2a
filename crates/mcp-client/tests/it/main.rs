//! The host's duties, against a server in memory.
