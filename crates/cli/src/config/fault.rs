//! What is wrong with a setting.

use std::fmt;

use serde::Serialize;

/// A setting that cannot be used: where it stands, what is wrong, and the cure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// `metier.toml:3:1`, the name of a variable or of an option.
    pub(crate) place: String,
    pub(crate) message: String,
    pub(crate) cure: String,
    /// Whether the setting is right and only this process lacks what it names.
    #[serde(skip)]
    pub(crate) is_of_process: bool,
}

impl Fault {
    pub(crate) fn new(
        place: impl Into<String>,
        message: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
            cure: cure.into(),
            is_of_process: false,
        }
    }

    /// The same setting would do where the process has what it names.
    pub(crate) fn of_process(self) -> Self {
        Self {
            is_of_process: true,
            ..self
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.message, self.cure)
    }
}
