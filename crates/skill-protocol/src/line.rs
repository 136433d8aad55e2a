//! Text of strangers as a reader sees it: whole, or as one line.

use std::borrow::Cow;

use metier_safety::is_invisible;

/// The text without what no reader sees: control characters but for line ends and tabs, and whatever hides or turns text
/// or has no width. What belongs to the character before it stays: the joints of emoji and of scripts that need them, and
/// the choice between text and picture behind an emoji.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_control(c) && !is_invisible(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        if is_plain(c) || before.is_some_and(|before| belongs(before, c, chars.peek().copied())) {
            shown.push(c);
            before = Some(c);
        }
    }
    Cow::Owned(shown)
}

/// The text on one line: blanks run together, and nothing that no reader sees.
/// At most `most` characters, the mark of the cut included.
pub fn line(text: &str, most: usize) -> String {
    let mut plain = String::with_capacity(text.len().min(most * 4 + 4));
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let word = visible(word);
        if word.is_empty() {
            continue;
        }
        if length > 0 {
            plain.push(' ');
            length += 1;
        }
        for c in word.chars() {
            plain.push(c);
            length += 1;
        }
        if length > most {
            break;
        }
    }
    cut(&plain, most)
}

/// At most so many characters, the mark of the cut included.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    let mut kept = kept.trim_end().to_owned();
    if most > 0 {
        kept.push('…');
    }
    kept
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether a character that has no width of its own belongs to the one before it.
fn belongs(before: char, c: char, after: Option<char>) -> bool {
    match c {
        // Keycaps are a digit, the choice and a frame.
        '\u{FE0E}' | '\u{FE0F}' => {
            is_picture(before) || is_key(before) && after == Some('\u{20E3}')
        }
        '\u{200C}' | '\u{200D}' => {
            let is_joined = |c: char| is_picture(c) || c == '\u{FE0F}' || joins(c);
            is_joined(before) && after.is_some_and(is_joined)
        }
        _ => false,
    }
}

const fn is_key(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9')
}

/// Symbols and emoji, as far as they can be shown in two ways.
const fn is_picture(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}'..='\u{20FF}' | '\u{2100}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}'
        | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Scripts whose letters are joined or kept apart by characters of no width: from Arabic to Myanmar, Khmer, Mongolian.
const fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109F}' | '\u{1780}'..='\u{18AF}') && !is_mark_of_direction(c)
}

const fn is_mark_of_direction(c: char) -> bool {
    c == '\u{61C}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_no_longer() {
        assert_eq!(
            line(" a\n\n- b:\tc\u{202e}d\u{1b}[31m ", 99),
            "a - b: cd [31m"
        );
        assert_eq!(line("灯光设置", 3), "灯光…");
        assert_eq!(line("abc", 3), "abc");
        assert_eq!(line("abc", 0), "");
    }

    #[test]
    fn what_a_reader_sees_stays_and_nothing_else() {
        for kept in [
            "plain\n\ttext",
            "❤\u{FE0F} and 1\u{FE0F}\u{20E3}",
            "👩\u{200D}🚀",
            "🏳\u{FE0F}\u{200D}🌈",
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "灯光",
        ] {
            assert_eq!(visible(kept), kept);
        }
        for (hidden, seen) in [
            ("a\u{FE0F}b\u{FE0E}c", "abc"),
            ("1\u{FE0F}2", "12"),
            ("a\u{200B}\u{2060}b\u{AD}c\u{FEFF}", "abc"),
            ("a\u{200D}b", "ab"),
            ("❤\u{FE0F}\u{FE0F}\u{FE0E}", "❤\u{FE0F}"),
            ("x\u{E0041}\u{E007F}\u{E0100}y", "xy"),
            ("\u{202E}turned\u{2069}", "turned"),
            ("a\u{1b}[31m\u{7}b", "a[31mb"),
            ("\u{3164}a\u{115F}", "a"),
        ] {
            assert_eq!(visible(hidden), seen, "{hidden:?}");
        }
    }
}
