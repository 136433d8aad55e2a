//! Paths of a client's workspace, resolved so that none escapes.
