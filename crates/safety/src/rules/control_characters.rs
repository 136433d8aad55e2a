//! Control characters: commands to a terminal, and what no text needs.

use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::CONTROL_CHARACTERS,
    triggers: &[],
    find,
    #[cfg(test)]
    patterns: &[],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    let bytes = examined.raw.as_bytes();
    for (at, c) in examined.raw.char_indices() {
        let is_return = c == '\r' && matches!(bytes.get(at + 1), Some(b'\n' | b'\r') | None);
        if !c.is_control() || matches!(c, '\n' | '\t' | '\u{C}' | '\u{85}') || is_return {
            continue;
        }
        let message = match c {
            // A return in the middle of a line lets its rest overwrite its beginning on a terminal.
            '\r' if examined.raw.contains('\n') => "a carriage return in the middle of a line",
            '\r' => continue,
            '\u{1B}' | '\u{9B}' => "a terminal escape sequence",
            _ => "a control character",
        };
        hits.push(Hit {
            range: at..at + c.len_utf8(),
            severity: Severity::Warning,
            message,
            help: "remove the character; in a script write it as an escape",
        });
    }
}
