//! Typed lifecycle events, ordered handlers, veto.
