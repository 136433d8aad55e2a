//! The names of tools as MCP clients see them.
//!
//! A tool has a *canonical* name, made of the skill's and its own, and a *wire* name, which is the
//! canonical one unless a client would refuse it: providers accept `[A-Za-z0-9_-]{1,64}` and drop
//! the whole list over one name outside of it.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The five discovery tools that are always listed, in their order.
pub const CORE_TOOLS: [&str; 5] = [
    "list_skills",
    "get_skill_info",
    "load_skill",
    "unload_skill",
    "search_skills",
];

/// The tools that are listed while a loaded skill has groups.
pub const GROUP_TOOLS: [&str; 2] = ["activate_tool_group", "deactivate_tool_group"];

/// The tools by which the skills' texts come before a model.
pub const TEXT_TOOLS: [&str; 4] = [
    "read_skill_file",
    "skills_listing",
    "discover_skills",
    "skill",
];

/// What the name of the stub of an unloaded skill begins with.
pub const STUB_PREFIX: &str = "__skill__";

const LONGEST: usize = 64;
/// An underscore and eight hexadecimal digits.
const HASH_TAIL: usize = 9;

/// Skill name and tool name with `-` turned into `_`, joined by two underscores.
///
/// A tool name that holds `__` already is canonical as it stands, so authors can write
/// `maya_geometry__create_sphere` themselves.
pub fn canonical_name(skill: &str, tool: &str) -> String {
    if tool.contains("__") {
        return tool.to_owned();
    }
    let letters = skill.chars().chain("__".chars()).chain(tool.chars());
    let mut name = String::with_capacity(skill.len() + 2 + tool.len());
    name.extend(letters.map(|c| if c == '-' { '_' } else { c }));
    name
}

/// The name that travels: the canonical one where clients accept it, otherwise a mapped one.
///
/// Each run of other characters becomes one `_`, the edges are trimmed, the rest is cut to 55
/// characters and ends with `_` and the first eight hexadecimal digits of the SHA-256 of the
/// canonical name, so that two names never meet and the mapping is the same in every run.
pub fn wire_name(canonical: &str) -> String {
    if is_wire_safe(canonical) {
        return canonical.to_owned();
    }
    with_hash(canonical, canonical, LONGEST - HASH_TAIL)
}

/// The name of the stub that stands for an unloaded skill: `__skill__NAME`.
///
/// A skill name that clients would refuse is mapped like a tool's, behind the prefix.
pub fn stub_name(skill: &str) -> String {
    let canonical = format!("{STUB_PREFIX}{skill}");
    if is_wire_safe(&canonical) {
        return canonical;
    }
    let tail = with_hash(skill, &canonical, LONGEST - HASH_TAIL - STUB_PREFIX.len());
    format!("{STUB_PREFIX}{tail}")
}

/// Whether clients accept the name as it is: 1 to 64 of `A-Z a-z 0-9 _ -`.
pub fn is_wire_safe(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_wire_char)
}

/// Whether a skill's tool may not have this canonical name: it would take the place of a core
/// tool, a group tool, one for texts or a stub.
pub fn is_reserved(canonical: &str) -> bool {
    canonical.starts_with(STUB_PREFIX)
        || CORE_TOOLS.contains(&canonical)
        || GROUP_TOOLS.contains(&canonical)
        || TEXT_TOOLS.contains(&canonical)
}

fn is_wire_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn with_hash(shown: &str, hashed: &str, room: usize) -> String {
    let mut mapped = String::with_capacity(shown.len());
    let mut in_run = false;
    for c in shown.chars() {
        if is_wire_char(c) {
            mapped.push(c);
        } else if !in_run {
            mapped.push('_');
        }
        in_run = !is_wire_char(c);
    }
    // Only ASCII is left, so a byte is a character.
    let kept: String = mapped.trim_matches('_').chars().take(room).collect();
    let digest = Sha256::digest(hashed.as_bytes());
    let mut hash = String::with_capacity(HASH_TAIL);
    for byte in digest.iter().take(4) {
        // Writing to a String cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    if kept.is_empty() {
        hash
    } else {
        format!("{kept}_{hash}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn canonical_names() {
        assert_eq!(
            canonical_name("maya-geometry", "create-sphere"),
            "maya_geometry__create_sphere"
        );
        assert_eq!(canonical_name("a", "x__y"), "x__y");
        assert_eq!(canonical_name("charset", "__x"), "__x");
    }

    #[test]
    fn wire_names_of_the_field() {
        for (tool, wire) in [
            ("create/sphere", "charset__create_sphere_9b0ecaaf"),
            ("create sphere", "charset__create_sphere_cb600c31"),
            ("创建", "charset_e4b703dd"),
            ("a.b", "charset__a_b_b9da75e3"),
            ("__x", "__x"),
            ("fine_one", "charset__fine_one"),
        ] {
            assert_eq!(wire_name(&canonical_name("charset", tool)), wire);
        }
        assert_eq!(
            wire_name(&canonical_name("灯光检查", "run")),
            "run_805a576d"
        );
    }

    #[test]
    fn stubs_keep_their_prefix() {
        assert_eq!(stub_name("maya-geometry"), "__skill__maya-geometry");
        let mapped = stub_name("灯光检查");
        assert!(
            mapped.starts_with(STUB_PREFIX) && is_wire_safe(&mapped),
            "{mapped}"
        );
        let long = stub_name(&"x".repeat(80));
        assert_eq!(long.len(), LONGEST);
        assert!(is_wire_safe(&long));
    }

    #[test]
    fn reserved_names() {
        assert!(is_reserved("load_skill"));
        assert!(is_reserved("__skill__shadow"));
        assert!(is_reserved("activate_tool_group"));
        assert!(is_reserved("read_skill_file"));
        assert!(!is_reserved("shadow__load_skill"));
    }

    proptest! {
        #[test]
        fn every_name_is_accepted_by_clients(skill in ".{0,90}", tool in ".{0,90}") {
            let canonical = canonical_name(&skill, &tool);
            prop_assert!(is_wire_safe(&wire_name(&canonical)));
            prop_assert!(is_wire_safe(&stub_name(&skill)));
            prop_assert_eq!(wire_name(&canonical), wire_name(&canonical));
        }
    }
}
