//! Paths as they stand in URIs.

use std::fmt::Write as _;

/// A path as it stands in a URI: everything but plain characters and `/` is escaped.
///
/// ```
/// assert_eq!(metier_skill_model::encode_uri_path("a b/c.md"), "a%20b/c.md");
/// ```
pub fn encode_uri_path(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// A segment of a URI's path without its escapes; `None` when one is broken or no text comes out.
///
/// ```
/// use metier_skill_model::decode_uri_segment;
///
/// assert_eq!(decode_uri_segment("a%20b").as_deref(), Some("a b"));
/// assert_eq!(decode_uri_segment("%2"), None);
/// ```
pub fn decode_uri_segment(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next()?.as_bytes());
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
