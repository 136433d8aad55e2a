//! One thing that is remembered.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::StoreError;

/// How long something is remembered, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryLayer {
    /// A ring of the session's latest entries; never stored.
    Ephemeral,
    /// What the session's work taught so far; never stored.
    Working,
    /// Patterns that outlive the session.
    LongTerm,
}

impl MemoryLayer {
    /// The word for it in exports and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ephemeral => "ephemeral",
            Self::Working => "working",
            Self::LongTerm => "longterm",
        }
    }
}

impl fmt::Display for MemoryLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is remembered: a summary, never a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryEntry {
    /// Where it is kept.
    pub layer: MemoryLayer,
    /// What it is about: `tool_call:rig__build:ok`, `pattern:…`.
    pub key: String,
    /// The session it comes from.
    pub session_id: String,
    /// The application it is about.
    pub dcc_name: String,
    /// How good the experience was: above zero for success.
    pub score: i64,
    /// The time of day when it was written, in milliseconds since 1970. For people: nothing is
    /// ordered by it.
    pub created_ms: u64,
    /// The facts, redacted.
    pub facts: Map<String, Value>,
}

impl MemoryEntry {
    /// Most characters of a key, a session or an application.
    pub const LONGEST_NAME: usize = 256;

    /// An entry without facts; the time is filled in when it is kept.
    pub fn new(
        layer: MemoryLayer,
        key: impl Into<String>,
        session_id: impl Into<String>,
        dcc_name: impl Into<String>,
    ) -> Self {
        Self {
            layer,
            key: key.into(),
            session_id: session_id.into(),
            dcc_name: dcc_name.into(),
            score: 0,
            created_ms: 0,
            facts: Map::new(),
        }
    }

    /// Says how good the experience was.
    #[must_use]
    pub fn score(mut self, score: i64) -> Self {
        self.score = score;
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.facts.insert(name.into(), value.into());
        self
    }

    /// A number among the facts; 0 when there is none.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.facts.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// A text among the facts.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.facts.get(name).and_then(Value::as_str)
    }

    /// Whether both are about the same thing, and the later one takes the earlier one's place.
    pub(crate) fn same_subject(&self, other: &Self) -> bool {
        self.key == other.key
            && self.session_id == other.session_id
            && self.dcc_name == other.dcc_name
    }
}

/// Why the memory did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Everything would go.
    #[error(
        "forget needs a filter: a session, a layer, an application or the beginning of a key; clear empties everything"
    )]
    NoFilter,
    /// A name that is none.
    #[error(
        "the {what} has {found} characters, and at most {} are kept; shorten it",
        MemoryEntry::LONGEST_NAME
    )]
    TooLong {
        /// Which of the names.
        what: &'static str,
        /// Its length in characters.
        found: usize,
    },
    /// The long-term layer could not be reached.
    #[error(transparent)]
    Store(#[from] StoreError),
}
