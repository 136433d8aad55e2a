//! Data on stdout, talk on stderr.

use std::io::{Error, ErrorKind, Write};
use std::sync::OnceLock;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Why standard output takes no more. Standard output is one for the whole process, so this is.
static FAULT: OnceLock<Error> = OnceLock::new();

/// Writes where it belongs, and nothing more to standard output once that has failed.
#[derive(Clone, Copy)]
pub(crate) struct Printer;

#[expect(
    clippy::unused_self,
    reason = "a command gets its printer handed in, so that it writes nowhere else"
)]
impl Printer {
    /// A line of data.
    pub(crate) fn data(self, line: &str) {
        self.text(&format!("{line}\n"));
    }

    /// Text that ends its own lines.
    pub(crate) fn text(self, text: &str) {
        if self.is_gone() {
            return;
        }
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // The first fault is kept; a second one can only come from another thread.
            let _ = FAULT.set(error);
        }
    }

    /// Whether nobody can be given data any more.
    pub(crate) fn is_gone(self) -> bool {
        FAULT.get().is_some()
    }

    /// Why data is lost that somebody waits for. A reader that has seen enough and went away
    /// (`metier list | head`) does not.
    pub(crate) fn lost(self) -> Option<String> {
        FAULT
            .get()
            .filter(|error| error.kind() != ErrorKind::BrokenPipe)
            .map(|error| format!("standard output cannot be written: {error}"))
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

    /// Rows of data, their columns side by side.
    pub(crate) fn rows(self, rows: &[Vec<String>]) {
        for line in table(rows) {
            self.data(&line);
        }
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
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                let blanks = width.saturating_sub(cell.width());
                format!("{cell}{:blanks$}", "")
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            harmless(line.trim_end())
        })
        .collect()
}

/// At most so many columns of a terminal on one line, with a mark where it was cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.width() <= most {
        return line;
    }
    let mut room = most.saturating_sub(1);
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    };
    let mut short: String = line.chars().take_while(fits).collect();
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
    fn columns_are_as_wide_as_they_look() {
        let rows = [("灯光", "1"), ("light", "2")];
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|(name, number)| vec![(*name).to_owned(), (*number).to_owned()])
            .collect();
        assert_eq!(table(&rows), ["灯光   1", "light  2"]);
        assert_eq!(clipped("灯光の設定", 7), "灯光の…");
        assert_eq!(clipped("灯光の設定", 10), "灯光の設定");
        assert_eq!(clipped("abcdef", 4), "abc…");
    }

    #[test]
    fn a_strangers_words_do_not_steer_the_terminal() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{202e}c\n灯"),
            "a\\u{1b}[31mb\\u{202e}c\n灯"
        );
        assert_eq!(table(&[vec!["\u{7}".to_owned()]]), ["\\u{7}"]);
    }
}
