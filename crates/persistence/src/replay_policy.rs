//! What counts for more after a restart: that a skill is there, or that it is the same.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// What happens to a skill whose version on disk is not the saved one. Versions are compared as
/// text, so `1.0` differs from `1.0.0`; a record without a version fits every one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayPolicy {
    /// It is not loaded; the others are.
    #[default]
    SkipOnDrift,
    /// Nothing is loaded at all, and the start fails with every mismatch.
    RequireExactVersion,
    /// It is loaded as it is.
    IgnoreVersion,
}

impl ReplayPolicy {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [
        Self::SkipOnDrift,
        Self::RequireExactVersion,
        Self::IgnoreVersion,
    ];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SkipOnDrift => "skip_on_drift",
            Self::RequireExactVersion => "require_exact_version",
            Self::IgnoreVersion => "ignore_version",
        }
    }
}

impl fmt::Display for ReplayPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no policy; there are skip_on_drift, require_exact_version and ignore_version")]
pub struct UnknownPolicy(pub String);

impl FromStr for ReplayPolicy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_the_names_that_are_written() {
        for policy in ReplayPolicy::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert!("skip".parse::<ReplayPolicy>().is_err());
    }
}
