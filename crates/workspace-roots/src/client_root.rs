//! Roots as a client sends them.

use crate::error::WorkspaceResolveError;

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
