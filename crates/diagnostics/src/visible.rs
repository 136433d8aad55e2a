//! Texts of strangers on a terminal: what cannot be seen, or would turn the line around, is written out.

use std::borrow::Cow;

/// The text with control and direction characters escaped; line ends and tabs are left.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_left = |c| matches!(c, '\n' | '\r' | '\t');
    escaped(text, |c| {
        (c.is_control() && !is_left(c)) || turns_the_line(c)
    })
}

/// The name of a file, or what is said of it, as findings, lists and the log write it: on one line, with every character
/// escaped that is not seen or steers a terminal (`\n`, `\u{1b}`).
pub fn visible_name(name: &str) -> Cow<'_, str> {
    escaped(name, |c| c.is_control() || is_invisible(c))
}

fn escaped(text: &str, is_odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_odd) {
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

/// Whether the character takes no place on the screen: what Unicode calls ignorable by default, assigned or not, and the
/// marks around notes between lines.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Whether a character of a source line needs a mark in its place: controls of eight bits, which a terminal may obey, and what
/// takes no place. The renderer has signs for the others, and joiners are part of what honest text shows.
pub(crate) fn is_hidden_in_source(c: char) -> bool {
    let joins = matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{180B}'..='\u{180F}' | '\u{34F}');
    matches!(c, '\u{80}'..='\u{9F}') || is_invisible(c) && !joins && !turns_the_line(c)
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
        assert_eq!(visible_name("a\u{200b}b灯"), "a\\u{200b}b灯");
        let hidden: Vec<char> = "\u{9b}\u{200b}\u{feff}\u{ad}\u{e0041}a灯\u{200d}\u{fe0f}\t"
            .chars()
            .filter(|c| is_hidden_in_source(*c))
            .collect();
        assert_eq!(
            hidden,
            ['\u{9b}', '\u{200b}', '\u{feff}', '\u{ad}', '\u{e0041}']
        );
        assert!(matches!(visible("plain — 灯光\tx"), Cow::Borrowed(_)));
    }
}
