//! Roots as a client sends them.

use std::fmt;

use crate::error::{WorkspaceResolveError, shown};

/// One root as a client sends it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClientRoot {
    /// Its URI; only `file:` URIs can be used.
    pub uri: String,
    /// What the client calls it.
    pub name: Option<String>,
}

impl ClientRoot {
    /// A root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
        }
    }
}

/// A root that cannot be used, kept so that it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableRoot {
    /// The root as sent.
    pub root: ClientRoot,
    /// Why it does not count.
    pub reason: WorkspaceResolveError,
}

/// What was sent, and what a root is.
impl fmt::Display for UnusableRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            // Of an argument more would be accepted than of a root.
            WorkspaceResolveError::UnsupportedScheme { .. } | WorkspaceResolveError::Empty => {
                write!(
                    f,
                    "'{}' is no file: URI; expected file:///PATH",
                    shown(&self.root.uri)
                )
            }
            reason => reason.fmt(f),
        }
    }
}
