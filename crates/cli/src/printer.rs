//! Data on stdout, talk on stderr.

use std::fmt::Write as _;
use std::io::{Error, ErrorKind, Write};
use std::sync::OnceLock;

use metier::HookDeny;
use serde_json::json;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::Failure;
use crate::wrapping::wrapped;

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
    /// A line of data for people. Whatever an author wrote into it stays on this line and steers nothing.
    pub(crate) fn data(self, line: &str) {
        self.text(&format!("{}\n", one_line(line)));
    }

    /// Several lines of data for people, which end themselves.
    pub(crate) fn lines(self, text: &str) {
        self.text(&harmless(text));
    }

    /// Rows of data for reading over, their columns side by side: on a terminal no wider than it is.
    pub(crate) fn overview(self, rows: &[Vec<String>]) {
        for line in fitted(rows, self.width()) {
            self.data(&line);
        }
    }

    /// The same below a heading, as lines of talk.
    pub(crate) fn say_overview(self, rows: &[Vec<String>]) {
        for line in indented(
            rows,
            columns(terminal_size::terminal_size_of(std::io::stderr())),
        ) {
            self.say(&line);
        }
    }

    /// How many columns the terminal has; a pipe or a file has no end.
    pub(crate) fn width(self) -> usize {
        columns(terminal_size::terminal_size_of(std::io::stdout()))
    }

    /// Text that ends its own lines, as it is: our own, or what a program reads.
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

    /// A long line of talk: on a terminal no wider than it is.
    pub(crate) fn say_prose(self, line: &str) {
        let most = columns(terminal_size::terminal_size_of(std::io::stderr()));
        for line in wrapped(line, 2, most) {
            self.say(&line);
        }
    }

    /// Rows of data, their columns side by side.
    pub(crate) fn rows(self, rows: &[Vec<String>]) {
        for line in table(rows) {
            self.data(&line);
        }
    }

    /// A search that a policy refused, to programs as the tools say it.
    pub(crate) fn denied_search(self, deny: &HookDeny, as_json: bool) -> Failure {
        if as_json {
            let mut facts = json!({"code": "denied", "reason": deny.reason});
            if let (Some(facts), Some(hint)) = (facts.as_object_mut(), &deny.hint) {
                facts.insert("hint".to_owned(), hint.as_str().into());
            }
            self.json(&facts);
        }
        self.say(&format!("error: the search was denied by policy: {deny}"));
        Failure::Answered
    }

    /// A value as indented JSON.
    pub(crate) fn json(self, value: &serde_json::Value) {
        let mut text = String::new();
        for c in format!("{value:#}").chars() {
            if steers(c) {
                // Outside of texts JSON holds none of them, and inside it has this spelling for each.
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            } else {
                text.push(c);
            }
        }
        text.push('\n');
        self.text(&text);
    }
}

fn columns(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    size.map(|(width, _)| usize::from(width.0))
        .filter(|width| *width > 0)
        .unwrap_or(usize::MAX)
}

/// Rows below a heading, cut to a width.
pub(crate) fn indented(rows: &[Vec<String>], most: usize) -> Vec<String> {
    let lines = fitted(rows, most.saturating_sub(2)).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}

/// What stands between two columns.
const GAP: usize = 2;
/// A column is not cut shorter than this.
const NARROWEST: usize = 12;

/// A cell is filled up to this width and no further: one long cell would make every row as long.
const FILLED: usize = 100;

/// Columns side by side, each as wide as its widest cell.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    fitted(rows, usize::MAX)
}

/// The same, cut to a width: the last column first, then whichever is the widest.
fn fitted(rows: &[Vec<String>], most: usize) -> Vec<String> {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..columns).map(width).collect();
    narrow(&mut widths, most);
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| {
                let cell = cut(cell, *width);
                let blanks = (*width).min(FILLED).saturating_sub(cell.width());
                // Not by a width in the format, which is limited to 16 bits.
                format!("{cell}{}", " ".repeat(blanks))
            });
            let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
            line.trim_end().to_owned()
        })
        .collect()
}

fn narrow(widths: &mut [usize], most: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let excess = |widths: &[usize]| {
        let whole = widths.iter().sum::<usize>().saturating_add(gaps);
        whole.saturating_sub(most)
    };
    let shrink = |width: &mut usize, by: usize| {
        *width = (*width).min(width.saturating_sub(by).max(NARROWEST));
    };
    let by = excess(widths);
    if let Some(last) = widths.last_mut() {
        shrink(last, by);
    }
    let by = excess(widths);
    if let Some(widest) = widths.iter_mut().max() {
        shrink(widest, by);
    }
}

/// At most so many columns of a terminal on one line, with a mark where it was cut.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

/// The same for a text that is one line already.
fn cut(line: &str, most: usize) -> String {
    if line.width() <= most {
        return line.to_owned();
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
pub(crate) fn harmless(text: &str) -> String {
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

/// The same on one line.
fn one_line(text: &str) -> String {
    harmless(&text.replace("\r\n", " ").replace(['\n', '\t'], " "))
}

fn steers(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
        let cells = ["\u{7}a\nb", "c"].map(ToOwned::to_owned).to_vec();
        let plain = ["abc", "c"].map(ToOwned::to_owned).to_vec();
        assert_eq!(table(&[cells, plain]), ["\\u{7}a b  c", "abc       c"]);
    }

    #[test]
    fn the_last_column_gives_way_first() {
        let row = |cells: [&str; 3]| cells.map(ToOwned::to_owned).to_vec();
        let rows = [
            row(["light", "3", "Sets the lights of a shot, one by one"]),
            row(["灯", "1", "short"]),
        ];
        assert_eq!(
            fitted(&rows, 30),
            ["light  3  Sets the lights of …", "灯     1  short"]
        );
        assert_eq!(fitted(&rows, usize::MAX), table(&rows));
        let rows = [row([
            "light",
            "A rather long text in the middle",
            "and a long end",
        ])];
        assert_eq!(fitted(&rows, 34), ["light  A rather lon…  and a long …"]);
        // Below a heading there is less room.
        assert_eq!(indented(&rows, 34), ["  light  A rather lo…  and a long …"]);
        // What cannot fit is cut as far as it makes sense.
        assert_eq!(fitted(&rows, 1), ["light  A rather lo…  and a long …"]);
    }
}
