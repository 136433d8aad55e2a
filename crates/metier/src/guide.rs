//! The guide for host builders; its examples are tests.
#![doc = include_str!("../../../docs/host-builder-guide.md")]
#![cfg_attr(feature = "memory", doc = include_str!("../../../docs/memory.md"))]
