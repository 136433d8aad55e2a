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
    for (at, c) in examined.raw.char_indices() {
        // A carriage return alone ends lines as well, in YAML and in old files.
        if !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{C}' | '\u{85}') {
            continue;
        }
        let message = match c {
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
