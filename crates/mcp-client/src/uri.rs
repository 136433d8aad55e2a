//! URIs of skills and their files: which file of a skill one means, if it means one at all.
//!
//! A URI is never resolved here; whatever its scheme, its bytes come from the server that named it.

use metier_skill_model::{decode_uri_segment, encode_uri_path};
use metier_skill_protocol::one_line;

/// The name of the entry file.
pub(crate) const SKILL_FILE: &str = "SKILL.md";
/// The longest URI that is looked at.
const LONGEST: usize = 4096;

/// The part of a SKILL.md's URI up to and with the last `/`, and the name of the skill's folder.
pub(crate) fn root_and_name(uri: &str) -> Option<(&str, String)> {
    if !is_plain(uri) {
        return None;
    }
    let (_, path) = uri.split_once("://")?;
    let root = uri.strip_suffix(SKILL_FILE)?;
    let path = path.strip_suffix(SKILL_FILE)?.strip_suffix('/')?;
    let segments: Option<Vec<String>> = path.split('/').map(segment).collect();
    Some((root, segments?.pop()?))
}

/// The path below the root that a file's URI means; `None` when it lies elsewhere or could mean anything else.
pub(crate) fn path_below(root: &str, uri: &str) -> Option<String> {
    if !is_plain(uri) {
        return None;
    }
    let rest = uri.strip_prefix(root)?;
    let segments: Option<Vec<String>> = rest.split('/').map(segment).collect();
    Some(segments?.join("/"))
}

/// The URI of a path below a root.
pub(crate) fn uri_below(root: &str, path: &str) -> String {
    format!("{root}{}", encode_uri_path(path))
}

/// Neither blanks nor characters that hide or steer, which would be shown to people as part of a name.
fn is_plain(uri: &str) -> bool {
    uri.len() <= LONGEST && !uri.contains(['?', '#', '\\', ' ']) && one_line(uri, LONGEST) == uri
}

fn segment(text: &str) -> Option<String> {
    let decoded = decode_uri_segment(text)?;
    let bad = decoded.is_empty()
        || decoded == "."
        || decoded == ".."
        || decoded.contains(['/', '\\'])
        || decoded.chars().any(char::is_control);
    (!bad).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_skill_file_has_a_root_and_a_name() {
        let found = root_and_name("skill://a/b%20c/SKILL.md");
        assert_eq!(found, Some(("skill://a/b%20c/", "b c".to_owned())));
        assert_eq!(root_and_name("lib://x/SKILL.md").unwrap().1, "x");
        for uri in [
            "SKILL.md",
            "skill://SKILL.md",
            "skill:///SKILL.md",
            "skill://a/skill.md",
            "skill://a/../SKILL.md",
            "skill://a/%2e%2E/SKILL.md",
            "skill://a//SKILL.md",
            "skill://a/SKILL.md?x",
            "skill://a/SKILL.md#x",
            "skill://a b/SKILL.md",
            "skill://a\u{200b}b/c/SKILL.md",
            "skill://a\u{202e}b/c/SKILL.md",
            "skill://a\\b/SKILL.md",
            "skill://a/b%2fc/SKILL.md",
            "skill://%/SKILL.md",
        ] {
            assert_eq!(root_and_name(uri), None, "{uri}");
        }
    }

    #[test]
    fn a_file_lies_below_its_root_or_is_none() {
        let root = "skill://a/";
        assert_eq!(
            path_below(root, "skill://a/x/y%20z.md").unwrap(),
            "x/y z.md"
        );
        for uri in [
            "skill://a/",
            "skill://b/x",
            "skill://a/../b/x",
            "skill://a/x/%2e%2e/y",
            "skill://a/x//y",
        ] {
            assert_eq!(path_below(root, uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn no_uri_climbs(text in "\\PC{0,40}") {
            if let Some(path) = path_below("skill://a/", &format!("skill://a/{text}")) {
                prop_assert!(!path.starts_with('/'));
                prop_assert!(path.split('/').all(|part| !part.is_empty() && part != ".."));
                prop_assert_eq!(path_below("skill://a/", &uri_below("skill://a/", &path)).unwrap(), path);
            }
        }
    }
}
