//! The refusal of a tool.

use serde::Serialize;
use thiserror::Error;

/// A tool was refused because its host lacks what the tool needs.
///
/// Serializes to the data of an error answer: `tool`, `required`, `missing`, `declared`, `retry`, in
/// this order.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("capability_missing: tool '{tool}' requires {}", missing.join(", "))]
#[non_exhaustive]
pub struct CapabilityMissing {
    /// The tool, by the name under which it is listed.
    pub tool: String,
    /// Everything it needs, in its own order.
    pub required: Vec<String>,
    /// What of that is not declared, in the order required. Never empty.
    pub missing: Vec<String>,
    /// What the host declares, in its own order.
    pub declared: Vec<String>,
    /// Always false: the same call fails again until the host declares more.
    retry: bool,
}

impl CapabilityMissing {
    pub(crate) fn new(
        tool: &str,
        required: Vec<String>,
        missing: Vec<String>,
        declared: Vec<String>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            required,
            missing,
            declared,
            retry: false,
        }
    }
}
