//! Data on stdout, talk on stderr.

use std::io::Write;

/// Writes where it belongs. A reader that went away (`metier list | head`) is no error.
#[derive(Clone, Copy)]
pub(crate) struct Printer;

#[expect(
    clippy::unused_self,
    reason = "a command gets its printer handed in, so that it writes nowhere else"
)]
impl Printer {
    /// A line of data.
    pub(crate) fn data(self, line: &str) {
        let mut out = std::io::stdout().lock();
        // There is nobody left to tell when the reader is gone.
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }

    /// Text that ends its own lines.
    pub(crate) fn text(self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Whether colour reaches a person: a terminal, and nobody asked for none.
    pub(crate) fn color(self) -> bool {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        !refused && std::io::IsTerminal::is_terminal(&std::io::stdout())
    }

    /// A line of talk.
    pub(crate) fn say(self, line: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{}", harmless(line));
    }

    /// A value as indented JSON.
    pub(crate) fn json(self, value: &serde_json::Value) {
        self.data(&format!("{value:#}"));
    }
}

/// Columns side by side, each as wide as its widest cell, the last one open.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            harmless(line.trim_end())
        })
        .collect()
}

/// At most so many characters on one line, with a mark where it was cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let mut short: String = line.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The text with every character written out that would steer a terminal or turn the writing
/// direction: a skill's words are a stranger's.
fn harmless(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// `1 skill`, `2 skills`.
pub(crate) fn count(number: usize, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_words_do_not_steer_the_terminal() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\n灯"),
            "a\\u{1b}[31mb\\u{202e}c\n灯"
        );
        assert_eq!(table(&[vec!["\u{7}".to_owned()]]), ["\\u{7}"]);
    }
}
