//! A file as its readers decode it, and the way back to its bytes.

use std::borrow::Cow;

/// The text of a file: shells of Windows write UTF-16 behind a mark, and what is no text is replaced.
pub(super) struct Decoded<'a> {
    bytes: &'a [u8],
    pub(super) text: Cow<'a, str>,
    is_utf16: bool,
}

impl<'a> Decoded<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let units = |of: fn([u8; 2]) -> u16| {
            let (pairs, _) = bytes.as_chunks();
            let units: Vec<u16> = pairs.iter().skip(1).map(|pair| of(*pair)).collect();
            Cow::Owned(String::from_utf16_lossy(&units))
        };
        let (text, is_utf16) = match bytes {
            [0xFF, 0xFE, ..] => (units(u16::from_le_bytes), true),
            [0xFE, 0xFF, ..] => (units(u16::from_be_bytes), true),
            _ => (String::from_utf8_lossy(bytes), false),
        };
        Self {
            bytes,
            text,
            is_utf16,
        }
    }

    /// Whether the offsets of the text are not those of the file.
    pub(super) fn is_made(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Which byte of the file an offset of the text is.
    pub(super) fn byte(&self, offset: usize) -> usize {
        if self.is_utf16 {
            let before = self.text.get(..offset).unwrap_or(&self.text);
            return 2 + 2 * before.encode_utf16().count();
        }
        let (mut in_text, mut in_file) = (0, 0);
        for chunk in self.bytes.utf8_chunks() {
            let valid = chunk.valid().len();
            if offset <= in_text + valid {
                return in_file + (offset - in_text);
            }
            in_text += valid;
            in_file += valid;
            if !chunk.invalid().is_empty() {
                in_text += char::REPLACEMENT_CHARACTER.len_utf8();
                in_file += chunk.invalid().len();
            }
            if offset < in_text {
                return in_file;
            }
        }
        in_file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_its_byte() {
        for (bytes, expected) in [
            (&b"a\x04"[..], 1),
            (b"f\xA6\xA7# \x04>L", 5),
            ("\u{540D}\u{4}".as_bytes(), 3),
            (b"\xFF\xFE\x0Dn\x3D\xD8\x00\xDE\x04\x00", 8),
            (b"\xE5\x90\x04", 2),
        ] {
            let decoded = Decoded::new(bytes);
            let at = decoded.text.find('\u{4}').unwrap();
            assert_eq!(decoded.byte(at), expected, "{bytes:?}");
            assert_eq!(decoded.byte(decoded.text.len()), bytes.len(), "{bytes:?}");
        }
    }
}
