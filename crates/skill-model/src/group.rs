//! Tool groups.

use serde::Serialize;

/// A named set of a skill's tools that can be shown or hidden together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillGroup {
    /// Unique in the skill.
    pub name: String,
    /// What the tools of the group are for.
    pub description: String,
    /// The names of its tools, as declared.
    pub tools: Vec<String>,
    /// Whether the group is active when the skill is loaded without activating all.
    pub default_active: bool,
}
