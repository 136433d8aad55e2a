//! The guide for host builders; its examples are tests.
#![doc = include_str!("../../../docs/host-builder-guide.md")]
