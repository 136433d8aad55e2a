//! What discovery answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::selector::SelectorError;

/// The way by which a skill was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its name or id was given.
    Direct,
    /// By its words.
    Lexical,
    /// By words and meaning together.
    Hybrid,
    /// A selector chose it.
    Select,
}

impl Stage {
    /// The word used in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Lexical => "lexical",
            Self::Hybrid => "hybrid",
            Self::Select => "select",
        }
    }
}

/// A word of the query, and where the skill has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedWord {
    /// `name`, `description`, `hints`, `tools`, `body`.
    pub field: String,
    /// The word.
    pub term: String,
}

/// A skill that may be the right one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiscoveredSkill {
    /// Its id.
    pub id: String,
    /// Its name: hand it to the tool that activates skills.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// Which way found it.
    pub stage: Stage,
    /// Comparable within the answer alone.
    pub score: f64,
    /// 0 to 1: how likely it is what is looked for; absent where a selector says so without a number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// Why, by field and word.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub matched: Vec<MatchedWord>,
}

/// The answer of discovery. Never an error: what could not take part is named in the notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiscoveryAnswer {
    /// Best first.
    pub hits: Vec<DiscoveredSkill>,
    /// The way that decided.
    pub stage: Stage,
    /// What should be known of how the answer came about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<Note>,
    /// What a selector planned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan: Option<String>,
}

impl DiscoveryAnswer {
    pub(crate) fn new(stage: Stage) -> Self {
        Self {
            hits: Vec::new(),
            stage,
            notes: Vec::new(),
            plan: None,
        }
    }
}

/// A remark on an answer: what was left out or fell back, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// `select:` named no visible skill; it is never turned into a search.
    NoSuchSkill,
    /// The query is empty.
    EmptyQuery,
    /// A stage was passed over.
    StageMissing {
        /// Which.
        stage: Stage,
        /// Why.
        reason: String,
    },
    /// A remark of the search.
    Search {
        /// In words.
        text: String,
    },
    /// Nothing is likely to fit; the nearest are there all the same.
    NothingFits,
    /// Nothing fits, and there are no hits.
    NothingFound,
    /// The selector gave no answer, and what was found before it stands.
    SelectorFailed {
        /// Which.
        selector: String,
        /// Why.
        error: SelectorError,
    },
    /// The selector's answer holds no choice that can be read, and what was found before it stands.
    SelectorUnreadable {
        /// Which.
        selector: String,
    },
    /// The selector chose nothing: no skill fits the task.
    SelectorChoseNone {
        /// Which.
        selector: String,
    },
    /// The selector named skills that were not offered or are gone; they are left out.
    SelectorStrayed {
        /// How many.
        count: usize,
    },
    /// Skills with bad experience were left out of the suggestions; they load by name.
    DroppedByExperience {
        /// How many.
        count: usize,
    },
    /// Nobody but the caller can choose between the hits.
    CallerChooses,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchSkill => f.write_str(
                "no skill has this name; search for it in words instead of with `select:`",
            ),
            Self::EmptyQuery => f.write_str("say what is needed, or name a skill"),
            Self::StageMissing { stage, reason } => {
                write!(f, "without the stage {}: {reason}", stage.as_str())
            }
            Self::Search { text } => f.write_str(text),
            Self::NothingFits => f.write_str("no skill seems to fit; the nearest are listed"),
            Self::NothingFound => f.write_str(
                "no skill fits; say it in other words, or look at all of them with list_skills",
            ),
            Self::SelectorFailed { selector, error } => {
                write!(
                    f,
                    "the selector {selector} gave no answer ({error}); these are the hits of the search"
                )
            }
            Self::SelectorUnreadable { selector } => write!(
                f,
                "the answer of the selector {selector} could not be read; these are the hits of the search"
            ),
            Self::SelectorChoseNone { selector } => {
                write!(f, "the selector {selector} found that no skill fits")
            }
            Self::SelectorStrayed { count } => {
                write!(f, "the selector named {count} skills that were not offered")
            }
            Self::DroppedByExperience { count } => {
                let skills = if *count == 1 { "skill" } else { "skills" };
                write!(
                    f,
                    "{count} {skills} that failed before are left out; asked for by name they are there"
                )
            }
            Self::CallerChooses => f.write_str("choose among these by their descriptions"),
        }
    }
}
