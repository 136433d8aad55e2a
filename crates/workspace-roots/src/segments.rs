//! The names of a path below a root.

use std::collections::BTreeSet;

use crate::error::{EscapeReason, WorkspaceResolveError};
use crate::input::drive;
use crate::percent::decode;

/// Where a path below a root leads, by its letters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// The names from the root on; none for the root itself.
    pub(crate) names: Vec<String>,
    /// The places that a `..` goes back from: a link there leads elsewhere, and the system would go back from where.
    pub(crate) left: BTreeSet<Vec<String>>,
}

/// Splits a path below a root into names without `.` and `..`.
///
/// Both slashes separate on every platform, so that a path means the same wherever it is read. With
/// `encoded`, each name is decoded once before it is looked at. `input` is the whole text, for messages.
pub(crate) fn below_root(
    path: &str,
    encoded: bool,
    input: &str,
) -> Result<Below, WorkspaceResolveError> {
    let escapes = |reason| WorkspaceResolveError::Escapes {
        input: input.to_owned(),
        reason,
    };
    let (mut names, mut left) = (Vec::new(), BTreeSet::new());
    for piece in path.split(['/', '\\']) {
        let name = if encoded {
            decode(piece, input)?
        } else {
            piece.to_owned()
        };
        if name.is_empty() || name == "." {
            continue;
        }
        if name == ".." {
            // A step above the root is refused at once: what comes back may come back elsewhere.
            if names.is_empty() {
                return Err(escapes(EscapeReason::Climbs));
            }
            left.insert(names.clone());
            names.pop();
            continue;
        }
        // Windows takes blanks and dots off the end of a name, which turns '.. ' into '..'.
        if name.trim_end_matches(['.', ' ']).is_empty() {
            return Err(escapes(EscapeReason::DotsAndBlanks));
        }
        // On Windows, joining a name that starts with a drive replaces the whole path.
        if drive(&name).is_some() {
            return Err(escapes(EscapeReason::Drive));
        }
        names.push(name);
    }
    Ok(Below { names, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(path: &str) -> Option<EscapeReason> {
        match below_root(path, true, path) {
            Err(WorkspaceResolveError::Escapes { reason, .. }) => Some(reason),
            _ => None,
        }
    }

    #[test]
    fn clean_names() {
        let names = |path| below_root(path, true, path).unwrap().names.join("|");
        assert_eq!(names("./a//b.usd"), "a|b.usd");
        assert_eq!(names("a/../b"), "b");
        assert_eq!(names("a\\b/c"), "a|b|c");
        assert_eq!(names("a/.."), "");
        assert_eq!(names("a./..b/c..d/.hidden/ e"), "a.|..b|c..d|.hidden| e");
        assert_eq!(names("%2e/a%20b"), "a b");
    }

    #[test]
    fn every_way_to_climb() {
        for path in [
            "..",
            "../x",
            "a/../../x",
            "..\\x",
            "a\\..\\..\\x",
            "%2e%2e/x",
            ".%2E/x",
            "../root/x",
            "./..",
            "//..",
        ] {
            assert_eq!(reason(path), Some(EscapeReason::Climbs), "{path}");
        }
    }

    #[test]
    fn names_that_windows_reads_otherwise() {
        for path in ["a/.. /x", "...", ". ", " ", "a/%20"] {
            assert_eq!(reason(path), Some(EscapeReason::DotsAndBlanks), "{path}");
        }
        for path in ["C:/x", "a/c:", "C%3A/x", "a/C:x"] {
            assert_eq!(reason(path), Some(EscapeReason::Drive), "{path}");
        }
    }

    #[test]
    fn plain_paths_are_not_decoded() {
        let names = |path| below_root(path, false, path).unwrap().names;
        assert_eq!(
            names("my%20shot/%2e%2e/bad%zz"),
            ["my%20shot", "%2e%2e", "bad%zz"]
        );
    }
}
