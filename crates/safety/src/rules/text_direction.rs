//! Characters that turn the direction of the text.

use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::TEXT_DIRECTION,
    find,
    patterns: &[],
};

const HELP: &str = "remove the characters, or close each isolate on its own line; overrides have no honest use here";

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.folded.has_unseen() {
        return;
    }
    let mut open: Vec<(usize, char)> = Vec::new();
    let unclosed = |open: &mut Vec<(usize, char)>, hits: &mut Vec<Hit>| {
        hits.extend(open.drain(..).map(|(at, c)| Hit {
            range: at..at + c.len_utf8(),
            severity: Severity::Warning,
            message: "the direction of the text is changed and not changed back on the line",
            help: HELP,
        }));
    };
    for (at, c) in examined.raw.char_indices() {
        match c {
            '\u{202D}' | '\u{202E}' => hits.push(Hit {
                range: at..at + c.len_utf8(),
                severity: Severity::Error,
                message: "the direction of the text is overridden: it reads otherwise than it is",
                help: HELP,
            }),
            '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}' => open.push((at, c)),
            '\u{202C}' | '\u{2069}' => {
                open.pop();
            }
            '\n' => unclosed(&mut open, hits),
            _ => {}
        }
    }
    unclosed(&mut open, hits);
}
