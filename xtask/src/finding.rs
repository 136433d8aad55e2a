//! One thing that is wrong, where, and how to mend it.

use std::fmt;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The file to edit, relative to the root of the repository.
    pub(crate) file: String,
    /// The line, counted from 1, when there is one.
    pub(crate) line: Option<usize>,
    pub(crate) what: String,
    pub(crate) cure: String,
}

impl Finding {
    pub(crate) fn new(
        file: impl Into<String>,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            line: None,
            what: what.into(),
            cure: cure.into(),
        }
    }

    pub(crate) fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        write!(formatter, ": {}; {}", self.what, self.cure)
    }
}
