//! Renderers: one finding, many forms.

mod concise;
mod full;
mod json;

pub use concise::concise;
pub use full::{Sources, full};
pub use json::json_lines;
