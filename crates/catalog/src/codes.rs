//! The findings that only a catalog can make: they are about more than one skill, or about how one is served.

use metier_diagnostics::Code;

/// A dependency has not been found.
pub const MISSING_DEPENDENCY: Code = Code::new(
    "MT501",
    "missing-dependency",
    "A skill needs another one that has not been found.",
)
.explained(include_str!("pages/MT501.md"));
/// The skill is part of a dependency cycle.
pub const DEPENDENCY_CYCLE: Code = Code::new(
    "MT502",
    "dependency-cycle",
    "Skills depend on each other in a circle.",
)
.explained(include_str!("pages/MT502.md"));
/// A dependency is part of a cycle.
pub const DEPENDS_ON_CYCLE: Code = Code::new(
    "MT503",
    "depends-on-cycle",
    "A skill needs another one that is part of a cycle.",
)
.explained(include_str!("pages/MT503.md"));
/// The name of a tool is taken by an earlier one.
pub const TOOL_NAME_TAKEN: Code = Code::new(
    "MT504",
    "tool-name-taken",
    "Two tools would have the same name on the wire.",
)
.explained(include_str!("pages/MT504.md"));
/// A required capability differs from a declared one in letter case alone.
pub const CAPABILITY_NEAR_MISS: Code = Code::new(
    "MT507",
    "capability-near-miss",
    "A required capability differs from a declared one in letter case or blanks alone.",
)
.explained(include_str!("pages/MT507.md"));
/// A skill came back and was not loaded again.
pub const KEPT_OUT: Code = Code::new(
    "MT508",
    "kept-out",
    "A loaded skill came back and a policy did not let it in again.",
)
.explained(include_str!("pages/MT508.md"));
/// A change of what is loaded is not on the disk.
pub const NOT_SAVED: Code = Code::new(
    "MT509",
    "not-saved",
    "A change of what is loaded is not on the server's disk yet.",
)
.explained(include_str!("pages/MT509.md"));
/// A SKILL.md lies inside another skill.
pub const NESTED_SKILL_FILE: Code = Code::new(
    "MT601",
    "nested-skill-file",
    "A SKILL.md lies inside another skill.",
)
.explained(include_str!("pages/MT601.md"));

/// Every code of this crate, in the order of its number.
pub const ALL: &[Code] = &[
    MISSING_DEPENDENCY,
    DEPENDENCY_CYCLE,
    DEPENDS_ON_CYCLE,
    TOOL_NAME_TAKEN,
    CAPABILITY_NEAR_MISS,
    KEPT_OUT,
    NOT_SAVED,
    NESTED_SKILL_FILE,
];
