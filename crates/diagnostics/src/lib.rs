//! Findings as data: what is wrong, where, why, and the cure.
//!
//! Broken input is not an error of the program. A reader returns what it could make of the
//! input together with a list of [`Diagnostic`]s, and whoever shows them chooses a renderer.
//! This crate knows nothing of skills: it holds the type, the places ([`Location`]), the codes
//! ([`Code`]) and, behind the feature `render`, the texts for people and machines.
//!
//! ```
//! use metier_diagnostics::{Code, Diagnostic, Location};
//!
//! const CLOSED: Code = Code::new("MT103", "front-matter-not-closed", "The front matter has no closing `---`.");
//!
//! let finding = Diagnostic::error(CLOSED, "front matter is not closed")
//!     .at(Location::line("bake/SKILL.md", 1), "opened here")
//!     .help("add a line `---` after the last key");
//! assert_eq!(
//!     finding.to_string(),
//!     "bake/SKILL.md:1:1: error[MT103]: front matter is not closed (add a line `---` after the last key)"
//! );
//! ```
//!
//! Limits: a diagnostic is plain text without markup; positions count lines and columns from 1,
//! columns in characters, byte spans from 0 as Rust ranges over the file as read.

mod code;
mod diagnostic;
mod location;
#[cfg(feature = "render")]
pub mod render;
mod visible;

pub use code::{Code, Severity};
pub use diagnostic::{Diagnostic, Label, has_errors, worst};
pub use location::{LineIndex, Location};
pub use visible::{is_invisible, visible_name};
