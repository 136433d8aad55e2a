//! Findings as data: what is wrong, where, why, and the cure; with renderers.
