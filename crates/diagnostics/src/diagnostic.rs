//! The finding itself.

use std::fmt;

use serde::Serialize;

use crate::visible::visible;
use crate::{Code, Location, Severity};

/// A place with a word on what it has to do with the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Where.
    pub location: Location,
    /// What is there; may be empty for the first label, whose message is the finding's.
    pub message: String,
}

/// One finding.
///
/// The message says what was found, the labels where, `help` the cure. The first label is the
/// place that matters; the others explain it (both lines of a duplicate key, for instance).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Which kind of finding.
    pub code: Code,
    /// How grave it is here; the same code can be an error in strict and a warning in lenient mode.
    pub severity: Severity,
    /// What was found and what was expected; a lower-case fragment without a full stop.
    pub message: String,
    /// Where, most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// The cure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding without a place yet.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// An information.
    pub fn info(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Info, message)
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, location: Location, message: impl Into<String>) -> Self {
        self.labels.push(Label {
            location,
            message: message.into(),
        });
        self
    }

    /// Sets the cure.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place that matters most, if there is one.
    pub fn location(&self) -> Option<&Location> {
        self.labels.first().map(|label| &label.location)
    }

    /// The same finding with every file name put below `prefix`.
    ///
    /// A command line shows files as its user named them; findings carry paths below the root.
    #[must_use]
    pub fn below(mut self, prefix: &str) -> Self {
        for label in &mut self.labels {
            label.location.file =
                format!("{}/{}", prefix.trim_end_matches('/'), label.location.file);
        }
        self
    }
}

impl fmt::Display for Diagnostic {
    /// The concise form: `file:line:column: severity[code]: message (help)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        let message = visible(&self.message);
        write!(f, "{}[{}]: {message}", self.severity, self.code)?;
        if let Some(help) = &self.help {
            write!(f, " ({})", visible(help))?;
        }
        Ok(())
    }
}

/// Whether any finding is an error.
pub fn has_errors<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> bool {
    worst(diagnostics) == Some(Severity::Error)
}

/// The gravest severity among the findings.
pub fn worst<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Option<Severity> {
    diagnostics
        .into_iter()
        .map(|finding| finding.severity)
        .max()
}
