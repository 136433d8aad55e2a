//! Paths of a client's workspace, resolved so that none escapes.

/// The folders a client works in.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceRoots {}
