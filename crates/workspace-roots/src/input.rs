//! What a text means, by its letters alone. The file system is not asked here.

use crate::error::{EscapeReason, WorkspaceResolveError};
use crate::percent::decode;

/// Whose way of writing paths a `file:` URI is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    Posix,
    Windows,
}

impl Platform {
    /// The platform this program runs on.
    pub(crate) const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else {
        Self::Posix
    };
}

/// A text, told apart by its form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input<'a> {
    /// What follows `workspace:`, still encoded.
    Workspace(&'a str),
    /// A plain path below the first root.
    Relative(&'a str),
    /// A path that stays as it is.
    Absolute(String),
}

/// Tells what a text means.
///
/// Both platforms' absolute paths are absolute on either, so a path is never glued to a root by one
/// server and passed on by another.
pub(crate) fn parse(input: &str, platform: Platform) -> Result<Input<'_>, WorkspaceResolveError> {
    let escapes = |reason| WorkspaceResolveError::Escapes {
        input: input.to_owned(),
        reason,
    };
    // Blanks around a URI are never part of it, but a file's name may have them.
    let trimmed = input.trim();
    if trimmed.is_empty() {
        return Err(WorkspaceResolveError::Empty);
    }
    if input.contains('\0') {
        return Err(escapes(EscapeReason::Nul));
    }
    if is_absolute(input) {
        return Ok(Input::Absolute(input.to_owned()));
    }
    // `C:x` and `\x` depend on a current drive; joined to a root they would replace it on Windows.
    if drive(trimmed).is_some() || input.starts_with('\\') {
        return Err(escapes(EscapeReason::Drive));
    }
    let Some((scheme, rest)) = scheme(trimmed) else {
        return Ok(Input::Relative(input));
    };
    match scheme.as_str() {
        "workspace" => Ok(Input::Workspace(rest)),
        "file" => file_path(rest, input, platform).map(Input::Absolute),
        _ => Err(WorkspaceResolveError::UnsupportedScheme {
            input: input.to_owned(),
            scheme,
        }),
    }
}

/// The path of a root's URI. Only `file:` URIs have one.
pub(crate) fn root_path(uri: &str, platform: Platform) -> Result<String, WorkspaceResolveError> {
    let trimmed = uri.trim();
    if trimmed.is_empty() {
        return Err(WorkspaceResolveError::Empty);
    }
    match scheme(trimmed) {
        Some((scheme, rest)) if scheme == "file" => file_path(rest, uri, platform),
        Some((scheme, _)) => Err(WorkspaceResolveError::UnsupportedScheme {
            input: uri.to_owned(),
            scheme,
        }),
        None => Err(WorkspaceResolveError::NotAbsolute {
            input: uri.to_owned(),
        }),
    }
}

/// The drive letter that a text starts with, when a colon follows it.
pub(crate) fn drive(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    (chars.next() == Some(':')).then_some(letter)
}

fn is_absolute(text: &str) -> bool {
    let after_drive = || text.get(2..).unwrap_or_default();
    text.starts_with('/')
        || text.starts_with("\\\\")
        || (drive(text).is_some() && after_drive().starts_with(['/', '\\']))
}

/// The scheme in lower case and what follows its colon. A single letter is a drive, never a scheme.
fn scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let letters = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (letters && scheme.len() > 1).then(|| (scheme.to_ascii_lowercase(), rest))
}

/// The path of a `file:` URI, given what follows the colon.
fn file_path(rest: &str, input: &str, platform: Platform) -> Result<String, WorkspaceResolveError> {
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(WorkspaceResolveError::UnsupportedHost {
                    input: input.to_owned(),
                    host: host.to_owned(),
                });
            }
            path
        }
        None => rest,
    };
    if path.is_empty() {
        return Err(WorkspaceResolveError::Empty);
    }
    if !path.starts_with('/') {
        return Err(WorkspaceResolveError::NotAbsolute {
            input: input.to_owned(),
        });
    }
    let path = decode(path, input)?;
    Ok(match platform {
        Platform::Posix => path,
        Platform::Windows => windows_path(&path),
    })
}

/// `/C:/proj` as `C:\proj`, and `/C:` as `C:\`.
fn windows_path(path: &str) -> String {
    let path = path
        .strip_prefix('/')
        .filter(|rest| drive(rest).is_some())
        .unwrap_or(path)
        .replace('/', "\\");
    if path.len() == 2 && drive(&path).is_some() {
        return path + "\\";
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_is_absolute_everywhere() {
        for platform in [Platform::Posix, Platform::Windows] {
            for text in [
                "/abs/scene.ma",
                "C:\\Users\\me\\x.max",
                "c:/x",
                "\\\\server\\share\\x",
                "\\\\?\\C:\\x",
                "//x",
                "/a/../b",
                "/%2e%2e/x",
                "/ends with a blank ",
            ] {
                assert_eq!(parse(text, platform), Ok(Input::Absolute(text.into())));
            }
        }
    }

    #[test]
    fn forms_of_the_workspace_scheme() {
        for (text, rest) in [
            ("workspace://a", "//a"),
            ("WORKSPACE:/a", "/a"),
            ("Workspace:///a", "///a"),
            (" workspace://a ", "//a"),
            ("workspace:", ""),
        ] {
            assert_eq!(parse(text, Platform::HERE), Ok(Input::Workspace(rest)));
        }
    }

    #[test]
    fn plain_paths() {
        for text in [
            "a/b",
            "../x",
            "~/a",
            "./take:1.usd",
            "shot_1:2",
            " a",
            "1:2",
            "球:x",
        ] {
            assert_eq!(parse(text, Platform::HERE), Ok(Input::Relative(text)));
        }
    }

    #[test]
    fn what_is_refused_by_its_letters() {
        for text in [
            "C:x",
            "c:",
            "\\x",
            " C:\\x",
            "a\0b",
            "/a\0b",
            "workspace://a\0",
        ] {
            assert!(
                matches!(
                    parse(text, Platform::HERE),
                    Err(WorkspaceResolveError::Escapes { .. })
                ),
                "{text:?}"
            );
        }
        for text in ["http://x.invalid/a", "HTTP:x", "take:1.usd", " s3://b"] {
            assert!(
                matches!(
                    parse(text, Platform::HERE),
                    Err(WorkspaceResolveError::UnsupportedScheme { .. })
                ),
                "{text:?}"
            );
        }
        for text in ["", " ", "\t\n", "file:", "file://", "file://localhost"] {
            assert_eq!(
                parse(text, Platform::HERE),
                Err(WorkspaceResolveError::Empty),
                "{text:?}"
            );
        }
    }

    #[test]
    fn file_uris_on_both_platforms() {
        for (uri, posix, windows) in [
            (
                "file:///projects/My%20Hero",
                "/projects/My Hero",
                "\\projects\\My Hero",
            ),
            ("file://localhost/p", "/p", "\\p"),
            ("FILE://LOCALHOST/p", "/p", "\\p"),
            ("file:/p/x", "/p/x", "\\p\\x"),
            ("file:///C%3A/proj", "/C:/proj", "C:\\proj"),
            ("file:///c:/proj", "/c:/proj", "c:\\proj"),
            ("file:///C:", "/C:", "C:\\"),
            (
                "file:////server/share",
                "//server/share",
                "\\\\server\\share",
            ),
            ("file:///100%2525", "/100%25", "\\100%25"),
        ] {
            assert_eq!(root_path(uri, Platform::Posix).as_deref(), Ok(posix));
            assert_eq!(root_path(uri, Platform::Windows).as_deref(), Ok(windows));
        }
    }

    #[test]
    fn roots_that_do_not_count() {
        use WorkspaceResolveError as E;
        let fault = |uri| root_path(uri, Platform::HERE).unwrap_err();
        assert!(
            matches!(fault("file://other-host/share/x"), E::UnsupportedHost { host, .. } if host == "other-host")
        );
        assert!(matches!(fault("file://C:/x"), E::UnsupportedHost { .. }));
        assert!(
            matches!(fault("editor-remote://box/x"), E::UnsupportedScheme { scheme, .. } if scheme == "editor-remote")
        );
        assert!(matches!(fault("/projects/hero"), E::NotAbsolute { .. }));
        assert!(matches!(fault("file:p/x"), E::NotAbsolute { .. }));
        assert!(matches!(fault("file:///a%zz"), E::BadEscape { .. }));
        assert!(matches!(fault("file:///a%2fb"), E::Escapes { .. }));
        assert_eq!(fault(" "), E::Empty);
    }
}
