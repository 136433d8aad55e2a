//! The life of every skill: one snapshot, the registry, the dispatcher, the way of a call.
