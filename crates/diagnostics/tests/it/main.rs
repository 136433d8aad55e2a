//! What people and machines see of a finding.
#![allow(clippy::unwrap_used, reason = "a test may stop at a broken fixture")]

mod render;
