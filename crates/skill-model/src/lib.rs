//! What a skill is.
//!
//! A *skill* is a folder with a `SKILL.md`, an optional `tools.yaml` and scripts. This crate holds
//! what the rest of the house says about one: checked names ([`SkillName`]), what the front matter
//! states ([`SkillMetadata`]), what a tool declares ([`ToolDeclaration`]), tool groups
//! ([`SkillGroup`]), the short form for lists ([`SkillSummary`]) and the names that travel over
//! MCP ([`canonical_name`], [`wire_name`], [`stub_name`]).
//!
//! The values are plain and cheap to clone. Nothing here reads files, YAML or the environment, and
//! nothing knows MCP beyond the characters a tool name may have.
//!
//! ```
//! use metier_skill_model::{canonical_name, wire_name};
//!
//! let canonical = canonical_name("maya-geometry", "create_sphere");
//! assert_eq!(canonical, "maya_geometry__create_sphere");
//! assert_eq!(wire_name(&canonical), "maya_geometry__create_sphere");
//! // A name that MCP clients would refuse is mapped, and the mapping never changes.
//! assert_eq!(wire_name("charset__a.b"), "charset__a_b_b9da75e3");
//! ```

mod group;
mod json_object;
mod metadata;
mod skill_name;
mod summary;
mod tool_declaration;
mod uri_path;
mod wire_name;

pub use group::SkillGroup;
pub use json_object::JsonObject;
pub use metadata::{ClientFields, SkillMetadata};
pub use skill_name::{NameFault, SkillName};
pub use summary::{SkillStatus, SkillSummary, UnknownStatus};
pub use tool_declaration::{
    Affinity, Execution, LONGEST_DEADLINE_SECS, NextTools, ScriptLookup, ToolAnnotations,
    ToolDeclaration, ToolRefusal,
};
pub use uri_path::{decode_uri_segment, encode_uri_path};
pub use wire_name::{
    CORE_TOOLS, GROUP_TOOLS, STUB_PREFIX, TEXT_TOOLS, canonical_name, is_reserved, is_wire_safe,
    stub_name, wire_name,
};
