//! The short form of a skill, for lists and search results.

use std::fmt;
use std::str::FromStr;

use metier_diagnostics::Diagnostic;
use serde::Serialize;

/// Where a skill stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillStatus {
    /// Its tools are registered.
    Loaded,
    /// Known and ready to be loaded.
    Unloaded,
    /// Known; a dependency has not been found yet.
    PendingDeps,
    /// Known, but it cannot be loaded: its tools file is unusable, or it is part of a cycle.
    Error,
    /// Found and rejected; the diagnostics say why.
    Skipped,
    /// Found, but another skill of the same name comes first.
    Shadowed,
}

impl SkillStatus {
    /// Every status, in the order of their declaration.
    pub const ALL: [Self; 6] = [
        Self::Loaded,
        Self::Unloaded,
        Self::PendingDeps,
        Self::Error,
        Self::Skipped,
        Self::Shadowed,
    ];

    /// The word used in answers and filters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Unloaded => "unloaded",
            Self::PendingDeps => "pending_deps",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::Shadowed => "shadowed",
        }
    }
}

impl fmt::Display for SkillStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStatus(pub String);

impl fmt::Display for UnknownStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = SkillStatus::ALL
            .iter()
            .map(|status| status.as_str())
            .collect();
        write!(
            f,
            "unknown status `{}`, expected one of {}",
            self.0,
            known.join(", ")
        )
    }
}

impl std::error::Error for UnknownStatus {}

impl FromStr for SkillStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, UnknownStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

/// What lists and search results say of a skill: the seed's fields, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SkillSummary {
    /// The name that `load_skill` accepts.
    pub name: String,
    /// Of a skill that another of its name shadows: what tells it from the others, and asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is for.
    pub description: String,
    /// Classification words.
    pub tags: Vec<String>,
    /// The application it is for, or `python`.
    pub dcc: String,
    /// Its version as the author wrote it.
    pub version: String,
    /// How many tools it declares.
    pub tool_count: usize,
    /// Their names as declared.
    pub tool_names: Vec<String>,
    /// Whether its tools are registered.
    pub loaded: bool,
    /// Where it stands.
    pub status: SkillStatus,
    /// Dependencies that have not been found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_dependencies: Vec<String>,
    /// What its tools need of the host, sorted, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_capabilities: Vec<String>,
    /// What was found wrong with it, warnings and errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

impl SkillSummary {
    /// A summary of a skill of which nothing but its name is known.
    pub fn named(name: impl Into<String>, status: SkillStatus) -> Self {
        Self {
            name: name.into(),
            id: None,
            description: String::new(),
            tags: Vec::new(),
            dcc: String::new(),
            version: String::new(),
            tool_count: 0,
            tool_names: Vec::new(),
            loaded: status == SkillStatus::Loaded,
            status,
            missing_dependencies: Vec::new(),
            required_capabilities: Vec::new(),
            diagnostics: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back() {
        for status in SkillStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
        let wrong = "laoded".parse::<SkillStatus>().unwrap_err().to_string();
        assert!(
            wrong.contains("`laoded`") && wrong.contains("pending_deps"),
            "{wrong}"
        );
    }
}
