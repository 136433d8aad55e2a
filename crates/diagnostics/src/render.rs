//! Renderers: one finding, many forms.

mod concise;
mod full;
mod github;
mod json;
mod junit;
mod sarif;
mod texts;

pub use concise::concise;
pub use full::{Sources, full};
pub use github::github;
pub use json::json_lines;
pub use junit::junit;
pub use sarif::{SarifRun, sarif};
