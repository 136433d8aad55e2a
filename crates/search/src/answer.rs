//! What an index answers.

use std::fmt;

use serde::Serialize;

use crate::lexical::Entry;
use crate::weights::FIELDS;

/// The part of a skill in which a word was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Field {
    /// The skill's name.
    Name,
    /// The description.
    Description,
    /// Tags, search hint, aliases, application and when to use.
    Hints,
    /// Names, descriptions, aliases and schema properties of the tools.
    Tools,
    /// The beginning of the instructions.
    Body,
}

impl Field {
    /// All fields, in the order in which the index keeps them.
    pub const ALL: [Self; FIELDS] = [
        Self::Name,
        Self::Description,
        Self::Hints,
        Self::Tools,
        Self::Body,
    ];

    /// The name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Hints => "hints",
            Self::Tools => "tools",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that led to a hit, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Matched {
    /// Where.
    pub field: Field,
    /// The word of the query in lower case, or the indexed word that stood in for a misspelt one.
    pub term: String,
}

/// The place that one way of searching gave a hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArmRank {
    /// The way of searching, such as `lexical`.
    pub arm: &'static str,
    /// The place, from 1.
    pub rank: usize,
}

/// A skill that answers the query.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// The document's id.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// Never rises along the list, always finite; comparable within one answer only. 0 when browsing.
    pub score: f64,
    /// 0..=1: how much of what was asked this skill speaks of, weighted by how telling each word is.
    /// 1 for an exact name or tool name, and when browsing.
    pub confidence: f64,
    /// Whether the query is its name, its id or the name of one of its tools.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// Why it is here, by field and then by word.
    pub matched: Vec<Matched>,
    /// The places the ways of searching gave it; empty when browsing.
    pub arms: Vec<ArmRank>,
}

impl Hit {
    /// A hit of a query that asks for everything.
    pub(crate) fn browsed(entry: &Entry) -> Self {
        Self {
            id: entry.id.clone(),
            name: entry.name.clone(),
            score: 0.0,
            confidence: 1.0,
            named: false,
            matched: Vec::new(),
            arms: Vec::new(),
        }
    }
}

/// The answer to a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchAnswer {
    /// Best first; ties by name, then by id.
    pub hits: Vec<Hit>,
    /// How many documents match and pass the filter, the ones beyond the limit included.
    pub total: usize,
    /// What the reader should know of how the answer came about.
    pub notes: Vec<Note>,
}

/// A remark on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// The query was longer than what is read of one.
    QueryCut {
        /// How many characters were read.
        kept: usize,
        /// How many there were.
        given: usize,
    },
    /// The query is not blank, but holds stop words and signs alone.
    NoSearchableTerm,
    /// No hit is likely to be what is looked for; those that come nearest are in the answer all the same.
    NothingFits,
    /// A way of searching could not take part.
    ArmMissing {
        /// Which.
        arm: &'static str,
        /// Why, and what to do about it.
        reason: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QueryCut { kept, given } => write!(
                f,
                "the query has {given} characters, only the first {kept} were read"
            ),
            Self::NoSearchableTerm => f.write_str(
                "the query holds no word to search for; leave it empty to list everything",
            ),
            Self::NothingFits => f.write_str(
                "no skill seems to answer this query; the nearest are listed, so check before loading one",
            ),
            Self::ArmMissing { arm, reason } => write!(f, "searched without {arm}: {reason}"),
        }
    }
}
