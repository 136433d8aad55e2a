//! Text of strangers as one line.

/// The text on one line: blanks run together, and neither control characters nor any that hide or turn text.
/// At most `most` characters, the mark of the cut included.
pub fn line(text: &str, most: usize) -> String {
    let mut plain = String::with_capacity(text.len().min(most * 4 + 4));
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let mut shown = word.chars().filter(|c| !is_hidden(*c)).peekable();
        if shown.peek().is_none() {
            continue;
        }
        if length > 0 {
            plain.push(' ');
            length += 1;
        }
        for c in shown {
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

fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E01EF}'
    )
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
}
