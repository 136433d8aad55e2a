//! Why a text is no path in the workspace.

use std::fmt;

use thiserror::Error;

/// What `resolve` accepts, for the end of a message.
const ACCEPTED: &str = "expected workspace://PATH, file:///PATH, an absolute path, or a path relative to the workspace";

/// Why a text could not be resolved. All of these are faults of the caller's argument.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WorkspaceResolveError {
    /// A workspace path, but the client has no usable root.
    #[error("no workspace roots")]
    NoRoots,
    /// There is no path in the text.
    #[error("empty path; {ACCEPTED}")]
    Empty,
    /// The path leads outside the workspace or could be read that way.
    #[error("'{}' leaves the workspace: {reason}", shown(input))]
    Escapes {
        /// The text as given.
        input: String,
        /// How it leaves.
        reason: EscapeReason,
    },
    /// A URI of another kind.
    #[error(
        "'{}' has the unsupported scheme '{}'; {ACCEPTED}",
        shown(input),
        shown(scheme)
    )]
    UnsupportedScheme {
        /// The text as given.
        input: String,
        /// The scheme, in lower case.
        scheme: String,
    },
    /// A `file:` URI on another machine.
    #[error(
        "'{}' is on the host '{}'; expected file:///PATH or file://localhost/PATH",
        shown(input),
        shown(host)
    )]
    UnsupportedHost {
        /// The text as given.
        input: String,
        /// The host.
        host: String,
    },
    /// A `file:` URI whose path does not start with a slash.
    #[error("'{}' is not absolute; expected file:///PATH", shown(input))]
    NotAbsolute {
        /// The text as given.
        input: String,
    },
    /// A percent sign without two hexadecimal digits.
    #[error(
        "'{}' has the broken escape '{}'; expected % and two hexadecimal digits, and %25 for a percent sign",
        shown(input),
        shown(escape)
    )]
    BadEscape {
        /// The text as given.
        input: String,
        /// The percent sign with what follows it.
        escape: String,
    },
    /// Escapes that decode to bytes which are not UTF-8.
    #[error("'{}' does not decode to UTF-8", shown(input))]
    NotUtf8 {
        /// The text as given.
        input: String,
    },
    /// The file system would not tell where the path leads.
    #[error("cannot tell where '{}' leads: {reason}", shown(input))]
    Unresolvable {
        /// The text as given.
        input: String,
        /// What the file system said.
        reason: String,
    },
}

/// How a path leaves the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EscapeReason {
    /// At some step `..` leads above the root; that a later step comes back does not help.
    Climbs,
    /// A link on the way leads out.
    Link,
    /// An absolute path in none of the roots; strict resolution only.
    OutsideRoots,
    /// A drive letter, or a leading backslash, where a path below the root is expected.
    Drive,
    /// A NUL.
    Nul,
    /// An encoded slash or backslash.
    EncodedSeparator,
    /// A name of dots and blanks that some systems read as `..`.
    DotsAndBlanks,
}

impl fmt::Display for EscapeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Climbs => "'..' leads above the root",
            Self::Link => "a link on the way leads out of it",
            Self::OutsideRoots => "the path is in none of the roots",
            Self::Drive => {
                "it names a drive or the top of one; write an absolute path such as C:\\x"
            }
            Self::Nul => "it contains a NUL",
            Self::EncodedSeparator => {
                "it contains an encoded slash or backslash; write a plain slash between names"
            }
            Self::DotsAndBlanks => {
                "a name of dots and blanks alone can be read as '..' on some systems"
            }
        })
    }
}

/// So much of a text is repeated, in characters.
const SHOWN: usize = 120;

/// The text with control characters made visible, so that a message stays on one line, and of a long one
/// only the beginning.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (n, c) in text.chars().enumerate() {
        if n == SHOWN {
            shown.push('…');
            break;
        }
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_does_not_grow_with_the_text() {
        let input = "é".repeat(1_000_000);
        let error = WorkspaceResolveError::UnsupportedScheme {
            scheme: input.clone(),
            input,
        };
        let text = error.to_string();
        assert!(text.len() < 800, "{}", text.len());
        assert!(text.contains('…'));
    }
}
