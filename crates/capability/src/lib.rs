//! What a host can do against what a tool needs.
