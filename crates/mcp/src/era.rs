//! Which revision a request speaks, and what follows from it.

use std::fmt;

use crate::error::{
    HEADER_MISMATCH, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, PARSE_ERROR,
    TOO_MANY_SESSIONS, UNSUPPORTED_VERSION,
};

/// A revision with `initialize` and sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LegacyVersion {
    /// 2025-03-26.
    V2025_03_26,
    /// 2025-06-18.
    V2025_06_18,
    /// 2025-11-25.
    V2025_11_25,
}

impl LegacyVersion {
    /// What an unknown version is answered with.
    pub const NEWEST: Self = Self::V2025_11_25;
    /// Served, oldest first.
    pub const ALL: [Self; 3] = [Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    /// The date on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
        }
    }

    /// The served revision of that date.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
    }

    /// What `initialize` answers to a client that asks for `wanted`: the same where it is served,
    /// otherwise the newest that still has sessions.
    pub fn negotiate(wanted: &str) -> Self {
        Self::parse(wanted).unwrap_or(Self::NEWEST)
    }
}

/// A stateless revision: every request carries its version and the client's capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ModernVersion {
    /// 2026-07-28.
    V2026_07_28,
}

impl ModernVersion {
    /// Served, oldest first.
    pub const ALL: [Self; 1] = [Self::V2026_07_28];

    /// The date on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The served revision of that date.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
    }
}

/// Dates of revisions with sessions, served or not: a header with one of these never makes a
/// request modern.
const LEGACY_DATES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Whether the text is the date of a revision with sessions, served or not.
pub fn is_legacy_date(text: &str) -> bool {
    LEGACY_DATES.contains(&text)
}

/// The revision of one request. Decides what the result builder adds and how an error becomes an
/// HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// With sessions.
    Legacy(LegacyVersion),
    /// Stateless.
    Modern(ModernVersion),
}

impl Era {
    /// Whether the request is stateless.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::Modern(_))
    }

    /// The date on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy(version) => version.as_str(),
            Self::Modern(version) => version.as_str(),
        }
    }

    /// The HTTP status that goes with an error of a method.
    ///
    /// A modern client that sees 400 without one of the modern codes may fall back to `initialize`,
    /// so 400 is kept for what is wrong with the message; an unknown tool stays 200.
    pub const fn status_of(self, code: i32) -> u16 {
        match code {
            PARSE_ERROR | INVALID_REQUEST => 400,
            TOO_MANY_SESSIONS => 503,
            METHOD_NOT_FOUND if self.is_modern() => 404,
            HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION
                if self.is_modern() =>
            {
                400
            }
            _ => 200,
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::INVALID_PARAMS;

    #[test]
    fn a_served_version_is_kept_and_any_other_text_gets_the_newest_with_sessions() {
        assert_eq!(
            LegacyVersion::negotiate("2025-03-26").as_str(),
            "2025-03-26"
        );
        for text in ["2099-01-01", "1.0", "", "2026-07-28", "2024-11-05"] {
            assert_eq!(
                LegacyVersion::negotiate(text).as_str(),
                "2025-11-25",
                "{text}"
            );
        }
    }

    #[test]
    fn only_modern_errors_about_the_message_change_the_status() {
        let modern = Era::Modern(ModernVersion::V2026_07_28);
        let legacy = Era::Legacy(LegacyVersion::NEWEST);
        let statuses = |era: Era| {
            [-32601, -32602, -32020, -32021, -32022, -32603, 1001].map(|code| era.status_of(code))
        };
        assert_eq!(statuses(modern), [404, 200, 400, 400, 400, 200, 200]);
        assert_eq!(statuses(legacy), [200; 7]);
        assert_eq!(modern.status_of(INVALID_PARAMS), 200);
    }
}
