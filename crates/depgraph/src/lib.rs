//! Dependencies between skills: order, closure, what is missing, isolated cycles.
