//! `skill://` URIs: taken apart so that nothing leaves a skill, and put together.

use metier_skill_model::decode_uri_segment;
pub use metier_skill_model::encode_uri_path as encode_skill_path;

/// The longest URI that is looked at: the longest path of a system with each byte escaped, and more.
const LONGEST: usize = 16 * 1024;

/// The decoded segments of a `skill://` URI. One that could mean anything but a visible file or
/// folder below a skill is refused, whatever lies there.
///
/// ```
/// assert_eq!(metier_catalog::parse_skill_uri("skill://bake/a%20b.md"), Ok(vec!["bake".into(), "a b.md".into()]));
/// assert!(metier_catalog::parse_skill_uri("skill://bake/%2e%2e/other").is_err());
/// ```
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse_skill_uri(uri: &str) -> Result<Vec<String>, String> {
    if uri.len() > LONGEST {
        return Err(format!("the URI is longer than {LONGEST} bytes"));
    }
    let (scheme, rest) = uri
        .split_once("://")
        .ok_or("expected skill://NAME/PATH".to_owned())?;
    if !scheme.eq_ignore_ascii_case("skill") {
        return Err("expected skill://NAME/PATH".to_owned());
    }
    if rest.contains(['?', '#']) {
        return Err("a skill's URI has neither query nor fragment".to_owned());
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    rest.split('/').map(segment).collect()
}

fn segment(text: &str) -> Result<String, String> {
    let decoded =
        decode_uri_segment(text).ok_or_else(|| format!("{text:?} has a broken escape"))?;
    let bad = decoded.is_empty()
        || decoded.starts_with('.')
        || decoded.contains(['/', '\\', '\0'])
        || decoded.chars().any(char::is_control);
    if bad {
        return Err(format!(
            "{text:?} is no name of a file or folder that is served"
        ));
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_can_be_a_visible_file_is_taken() {
        assert_eq!(
            parse_skill_uri("skill://a/b%20c/d.md").unwrap(),
            ["a", "b c", "d.md"]
        );
        assert_eq!(parse_skill_uri("SKILL://a/").unwrap(), ["a"]);
        for uri in [
            "",
            "skill:a/SKILL.md",
            "file:///etc/passwd",
            "skill://",
            "skill://a//b",
            "skill://a/../b",
            "skill://a/%2e%2e/b",
            "skill://a/%2E./b",
            "skill://a/b%2fc",
            "skill://a/b%5Cc",
            "skill://a/b\\c",
            "skill://a/%00",
            "skill://a/.git/config",
            "skill://a/%2egit",
            "skill://a/b?x",
            "skill://a/b#x",
            "skill://a/%",
            "skill://a/%+1",
            "skill://a/%ff",
            "skill://a/%zz",
        ] {
            assert!(parse_skill_uri(uri).is_err(), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn what_is_put_together_comes_apart_the_same(path in "[^/\\\\.\\p{C}][^/\\\\\\p{C}]{0,20}(/[^/\\\\.\\p{C}][^/\\\\\\p{C}]{0,20}){0,3}") {
            let uri = format!("skill://x/{}", encode_skill_path(&path));
            prop_assert!(uri.is_ascii());
            let segments = parse_skill_uri(&uri).unwrap();
            prop_assert_eq!(segments[1..].join("/"), path);
        }

        #[test]
        fn no_text_makes_it_panic_or_climb(text in "\\PC*") {
            if let Ok(segments) = parse_skill_uri(&format!("skill://{text}")) {
                prop_assert!(segments.iter().all(|segment| !segment.is_empty() && segment != ".."));
            }
        }
    }
}
