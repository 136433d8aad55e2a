//! What a host can do against what a tool needs.
//!
//! A host declares its capabilities once (`usd`, `scene.mutate`, `filesystem.read`); a tool lists
//! those it cannot work without. [`CapabilitySet::gate`] stands between them, before arguments are
//! looked at and before anything runs.
//!
//! # Rules
//!
//! - Names match whole and in their exact case. Dots carry no meaning: `scene` does not grant
//!   `scene.read`, and `scene.read` does not satisfy a need for `scene`.
//! - Nothing declared means that every need is missing; an empty declaration and none at all are the same.
//! - On both sides names are trimmed, blank ones dropped, and each counts once; the order given is kept.
//! - A [near miss](CapabilitySet::near_miss) is advice for people and never grants anything.
//!
//! # Limits
//!
//! There is no list of known names: hosts and tools agree on them. The crate knows no protocol; who
//! answers a call turns a [`CapabilityMissing`] into an error of theirs.
//!
//! # Example
//!
//! ```
//! use metier_capability::CapabilitySet;
//!
//! let host = CapabilitySet::new(["usd", "scene.read"]);
//! let needs = ["usd", "scene.mutate", "filesystem.write"].map(String::from);
//!
//! assert_eq!(host.check(&needs), ["scene.mutate", "filesystem.write"]);
//! assert_eq!(
//!     host.gate("caps__import_usd", &needs).unwrap_err().to_string(),
//!     "capability_missing: tool 'caps__import_usd' requires scene.mutate, filesystem.write",
//! );
//! assert_eq!(host.near_miss("USD"), Some("usd"));
//! ```

mod names;
mod refusal;
mod set;

pub use names::{clean, union};
pub use refusal::CapabilityMissing;
pub use set::CapabilitySet;
