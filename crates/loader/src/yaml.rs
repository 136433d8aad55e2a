//! YAML as a tree with places: what was written, where, and what it means.
//!
//! One pass of events builds the tree. It keeps the author's spelling of every scalar beside its
//! byte range, and it finds what a plain reading into values would lose: duplicate keys, merge
//! keys, tags, further documents, aliases that expand without end. Nearly every file is written in
//! a small part of YAML, which [`quick`] reads without tokens and copies; it hands anything else on.

mod as_schema;
mod build;
mod fault;
mod merge;
mod node;
mod pairs;
mod places;
mod quick;
mod salvage;
mod slip;
mod tabs;
mod unprintable;

pub(crate) use build::{Tree, parse};
pub(crate) use fault::{Fault, FaultKind};
pub(crate) use merge::NotMergeable;
pub(crate) use node::{Kind, Node, Text};
pub(crate) use pairs::without_pairs;
pub(crate) use salvage::salvage;
pub(crate) use unprintable::unprintable;
