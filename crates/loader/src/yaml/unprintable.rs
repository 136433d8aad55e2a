//! Characters that YAML does not know.

use super::{Fault, FaultKind};

/// The first character of a text that may not stand in YAML, escaped in double quotes aside: most controls, half
/// characters, and two that are none.
///
/// A parser that meets one says something else, or nothing about where it is: the character cannot be seen.
pub(crate) fn unprintable(text: &str, base: usize) -> Option<Fault> {
    let (at, found) = text.char_indices().find(|(_, c)| !is_printable(*c))?;
    let place = base + at..base + at + found.len_utf8();
    let code = u32::from(found);
    let escape = if code < 0x100 {
        format!("\\x{code:02X}")
    } else {
        format!("\\u{code:04X}")
    };
    Some(
        Fault::new(
            FaultKind::Invalid,
            place,
            format!("not valid YAML: the character U+{code:04X} here may not stand in it"),
        )
        .cured_by(format!(
            "remove it, or write `{escape}` for it inside double quotes"
        )),
    )
}

/// The production `c-printable` of YAML 1.2.
fn is_printable(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_at_its_place() {
        for (text, place, code) in [
            ("a: x\u{1B}y", 4..5, "U+001B"),
            ("名: \"x\0y\"", 7..8, "U+0000"),
            ("a: \u{7F}", 3..4, "U+007F"),
            ("a: \u{9C}", 3..5, "U+009C"),
            ("a: \u{FFFE}", 3..6, "U+FFFE"),
        ] {
            let fault = unprintable(text, 0).unwrap();
            assert_eq!(fault.span, place, "{text:?}");
            assert!(fault.message.contains(code), "{}", fault.message);
        }
        assert_eq!(unprintable("a: \u{85}\u{2028}\u{FEFF}😀\t\r\n", 0), None);
    }
}
