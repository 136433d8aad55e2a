//! What kind of finding it is, and how grave.

use std::fmt;

use serde::{Serialize, Serializer};

/// A stable name for one kind of finding.
///
/// The `id` (`MT103`) never changes its meaning and is never used again once retired; the `name`
/// is for people (`front-matter-not-closed`). Each crate lists its own codes in one `codes.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code {
    /// Two letters and three digits; the first digit tells the crate.
    pub id: &'static str,
    /// Words in kebab-case, for people and for file names of the rule pages.
    pub name: &'static str,
    /// One sentence that says what the rule is about.
    pub summary: &'static str,
    /// The rest of the rule's page as Markdown: what it does, why that is bad, an example, and what
    /// to write instead. Empty where a code has no page.
    pub explanation: &'static str,
}

impl Code {
    /// A code; `const`, so that a crate's table of codes is a list of constants.
    pub const fn new(id: &'static str, name: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            name,
            summary,
            explanation: "",
        }
    }

    /// The same code with the rest of its page.
    #[must_use]
    pub const fn explained(mut self, explanation: &'static str) -> Self {
        self.explanation = explanation;
        self
    }

    /// The page of the rule as Markdown: id and name, the summary, the explanation.
    pub fn page(&self) -> String {
        let head = format!("# {} `{}`\n\n{}\n", self.id, self.name, self.summary);
        let rest = self.explanation.trim();
        if rest.is_empty() {
            head
        } else {
            format!("{head}\n{rest}\n")
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

/// How grave a finding is. Ordered: an error is greater than a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Info,
    /// Something was repaired, ignored or will surprise.
    Warning,
    /// Something could not be used; in strict mode the whole skill.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}
