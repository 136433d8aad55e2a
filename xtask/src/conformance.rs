//! The protocol's own conformance suite, for chores that hold the server against it.

pub(crate) mod suite;

use crate::interop::empty;
