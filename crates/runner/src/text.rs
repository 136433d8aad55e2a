//! Bytes of a script as text: cut at characters, colour codes removed, sizes for people.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Removes a byte order mark at the start and every terminal escape sequence.
///
/// Valid JSON holds no raw escape character, so this never changes a JSON value.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            kept.push(character);
            continue;
        }
        match characters.next() {
            // A control sequence ends at its first byte of `@` to `~`; colours are of this form.
            Some('[') => {
                while characters
                    .next()
                    .is_some_and(|next| !('@'..='~').contains(&next))
                {}
            }
            // An operating system command (titles, links) ends at BEL or at ESC and a backslash.
            Some(']') => {
                let mut after_escape = false;
                for next in characters.by_ref() {
                    if next == '\u{7}' || (after_escape && next == '\\') {
                        break;
                    }
                    after_escape = next == '\u{1b}';
                }
            }
            // A selection of a character set has one more byte.
            Some('(' | ')') => _ = characters.next(),
            _ => {}
        }
    }
    // A mark may stand behind the first colour code.
    match kept.strip_prefix('\u{feff}') {
        Some(rest) => Cow::Owned(rest.to_owned()),
        None => Cow::Owned(kept),
    }
}

/// The longest beginning of at most `limit` bytes that ends between characters.
pub(crate) fn head(bytes: &[u8], limit: usize) -> &[u8] {
    let mut end = limit.min(bytes.len());
    if end < bytes.len() {
        // Step back over at most three continuation bytes to the start of the cut character.
        for back in 0..=3.min(end) {
            let next = bytes.get(end - back).copied().unwrap_or_default();
            if next & 0xc0 != 0x80 {
                end -= back;
                break;
            }
        }
    }
    bytes.get(..end).unwrap_or_default()
}

/// The longest end of at most `limit` bytes that begins between characters.
pub(crate) fn tail(bytes: &[u8], limit: usize) -> &[u8] {
    let mut start = bytes.len().saturating_sub(limit);
    if start > 0 {
        for _ in 0..3 {
            match bytes.get(start) {
                Some(byte) if byte & 0xc0 == 0x80 => start += 1,
                _ => break,
            }
        }
    }
    bytes.get(start..).unwrap_or_default()
}

/// The bytes without a character at their end of which the rest never came.
pub(crate) fn whole(bytes: &[u8]) -> &[u8] {
    for back in 1..=3.min(bytes.len()) {
        let start = bytes.len() - back;
        let needs = match bytes.get(start) {
            Some(0xc2..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..=0xf4) => 4,
            Some(0x80..=0xbf) => continue,
            _ => 1,
        };
        return if needs > back {
            bytes.get(..start).unwrap_or_default()
        } else {
            bytes
        };
    }
    bytes
}

/// A text of at most about `limit` bytes: head and tail with a mark between them if it was longer.
pub(crate) fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let first = head(text.as_bytes(), limit / 2);
    let last = tail(text.as_bytes(), limit - limit / 2);
    let dropped = text.len().saturating_sub(first.len() + last.len());
    Cow::Owned(format!(
        "{}\n[… {dropped} bytes left out …]\n{}",
        String::from_utf8_lossy(first),
        String::from_utf8_lossy(last)
    ))
}

/// As [`size`], with the bytes where the unit is larger.
pub(crate) fn exact_size(bytes: usize) -> String {
    let short = size(bytes);
    if short.ends_with("bytes") {
        return short;
    }
    format!("{short} ({bytes} bytes)")
}

/// A size for people: `4 MiB`, `1.5 KiB`, `900 bytes`.
pub(crate) fn size(bytes: usize) -> String {
    let mut text = String::new();
    let (unit, name) = match bytes {
        0..1024 => (1, "bytes"),
        1024..1_048_576 => (1024, "KiB"),
        _ => (1_048_576, "MiB"),
    };
    let tenths = bytes.saturating_mul(10) / unit;
    _ = if tenths.is_multiple_of(10) {
        write!(text, "{} {name}", tenths / 10)
    } else {
        write!(text, "{}.{} {name}", tenths / 10, tenths % 10)
    };
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_character_that_never_ended_is_left_out() {
        for text in ["a", "é", "球", "🎬", ""] {
            assert_eq!(whole(text.as_bytes()), text.as_bytes());
            for end in 1..text.len() {
                let cut = [b"b", text.as_bytes().get(..end).unwrap()].concat();
                assert_eq!(whole(&cut), b"b", "{cut:?}");
            }
        }
        // What is no UTF-8 at all stays, and is told.
        assert_eq!(whole(b"\x80\x80\x80\x80"), b"\x80\x80\x80\x80");
        assert_eq!(whole(b"\xff"), b"\xff");
    }

    #[test]
    fn colour_codes_titles_and_marks_go() {
        assert_eq!(plain("\u{1b}[1;32mgreen\u{1b}[0m"), "green");
        assert_eq!(
            plain("\u{1b}]0;title\u{7}text\u{1b}]8;;x\u{1b}\\link"),
            "textlink"
        );
        assert_eq!(plain("\u{feff}text"), "text");
        assert_eq!(plain("\u{1b}[0m\u{feff}text"), "text");
        assert_eq!(plain("cut \u{1b}["), "cut ");
    }

    #[test]
    fn cuts_fall_between_characters() {
        let text = "球体".as_bytes();
        assert_eq!(head(text, 4), "球".as_bytes());
        assert_eq!(tail(text, 4), "体".as_bytes());
        assert_eq!(head(text, 2), b"");
        assert_eq!(tail(text, 6), text);
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size(900), "900 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(4 << 20), "4 MiB");
        assert_eq!(exact_size(900), "900 bytes");
        assert_eq!(exact_size(1536), "1.5 KiB (1536 bytes)");
    }

    proptest! {
        #[test]
        fn a_cut_of_a_text_is_text(text in ".*", limit in 0usize..64) {
            prop_assert!(std::str::from_utf8(head(text.as_bytes(), limit)).is_ok());
            prop_assert!(std::str::from_utf8(tail(text.as_bytes(), limit)).is_ok());
            prop_assert!(head(text.as_bytes(), limit).len() <= limit);
            prop_assert!(tail(text.as_bytes(), limit).len() <= limit);
        }

        #[test]
        fn any_bytes_are_cut(bytes: Vec<u8>, limit in 0usize..64) {
            prop_assert!(head(&bytes, limit).len() <= limit);
            prop_assert!(tail(&bytes, limit).len() <= limit);
        }
    }
}
