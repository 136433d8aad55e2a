//! Percent-escapes, decoded exactly once.

use crate::error::{EscapeReason, WorkspaceResolveError};

/// The text with its escapes decoded. `input` is the whole text, for messages.
///
/// An escape never makes a separator or a NUL, so text that was split before decoding is split the
/// same way after it.
pub(crate) fn decode(text: &str, input: &str) -> Result<String, WorkspaceResolveError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
    for piece in pieces {
        let (byte, rest) = escape(piece).ok_or_else(|| WorkspaceResolveError::BadEscape {
            input: input.to_owned(),
            escape: std::iter::once('%').chain(piece.chars().take(2)).collect(),
        })?;
        let reason = match byte {
            b'/' | b'\\' => Some(EscapeReason::EncodedSeparator),
            0 => Some(EscapeReason::Nul),
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(WorkspaceResolveError::Escapes {
                input: input.to_owned(),
                reason,
            });
        }
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).map_err(|_| WorkspaceResolveError::NotUtf8 {
        input: input.to_owned(),
    })
}

/// The byte of the two digits that a piece after a percent sign starts with, and what follows them.
fn escape(piece: &str) -> Option<(u8, &str)> {
    let (digits, rest) = piece.split_at_checked(2)?;
    let mut values = digits.chars().map(|digit| digit.to_digit(16));
    let value = values.next()?? * 16 + values.next()??;
    Some((u8::try_from(value).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(text: &str) -> String {
        decode(text, text).unwrap()
    }

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(ok("my%20shot"), "my shot");
        assert_eq!(ok("100%25"), "100%");
        assert_eq!(ok("%2525"), "%25");
        assert_eq!(ok("%E7%90%83球"), "球球");
        assert_eq!(ok("%2E%2e"), "..");
        assert_eq!(ok(""), "");
    }

    #[test]
    fn broken_escapes_are_quoted() {
        for (text, quoted) in [
            ("bad%zz.usd", "%zz"),
            ("a%", "%"),
            ("a%2", "%2"),
            ("%球", "%球"),
            ("%+1", "%+1"),
        ] {
            assert_eq!(
                decode(text, text),
                Err(WorkspaceResolveError::BadEscape {
                    input: text.into(),
                    escape: quoted.into()
                }),
            );
        }
    }

    #[test]
    fn separators_nul_and_bytes_are_refused() {
        for text in ["a%2fb", "a%2Fb", "a%5cb", "a%00"] {
            assert!(
                matches!(
                    decode(text, text),
                    Err(WorkspaceResolveError::Escapes { .. })
                ),
                "{text}"
            );
        }
        for text in ["%ff", "%c0%af", "%E7%90"] {
            assert!(
                matches!(
                    decode(text, text),
                    Err(WorkspaceResolveError::NotUtf8 { .. })
                ),
                "{text}"
            );
        }
    }
}
