//! SKILL.md: where its front matter is, and what it says.

mod client_fields;
mod client_rules;
mod dcc_fields;
mod depends;
mod depends_file;
mod fields;
mod front_matter;
mod misplaced;
mod recover;
mod salvage;
mod split;

pub(crate) use client_rules::hold_to_client_rules;
pub(crate) use dcc_fields::MOST_ALIASES;
pub(crate) use depends::Dependency;
pub(crate) use depends_file::read_depends_file;
pub(crate) use fields::{PathKey, misspelt, read_fields};
pub use front_matter::front_matter_of;
pub(crate) use misplaced::{NESTED_TOOLS, misplaced_spellings};
use recover::parse_recovering;
pub(crate) use salvage::{Room, parse_salvaging};
pub use split::body_of;
pub(crate) use split::{FRONT_MATTER_LIMIT, Split, guess_name, keys_below, split};
