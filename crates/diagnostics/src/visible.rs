//! Texts of strangers on a terminal: what cannot be seen, or would turn the line around, is written out.

use std::borrow::Cow;

/// The text with control and direction characters escaped; line ends and tabs are left.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\r' | '\t'))
}

/// The name of a file, on one line.
pub(crate) fn visible_name(name: &str) -> Cow<'_, str> {
    escaped(name, |_| false)
}

fn escaped(text: &str, is_left: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_odd = |c: char| (c.is_control() && !is_left(c)) || turns_the_line(c);
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_odd(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn turns_the_line(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_reaches_the_terminal_as_a_command() {
        assert_eq!(
            visible("a\u{1b}[31m\0\n\u{202e}灯"),
            "a\\u{1b}[31m\\u{0}\n\\u{202e}灯"
        );
        assert_eq!(visible_name("a\nb\u{9b}c"), "a\\nb\\u{9b}c");
        assert!(matches!(visible("plain — 灯光\tx"), Cow::Borrowed(_)));
    }
}
