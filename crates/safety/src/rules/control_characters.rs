//! Control characters: commands to a terminal, and what no text needs.

use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::CONTROL_CHARACTERS,
    find,
    patterns: &[],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    // Of control characters the first byte is one of few, and rare.
    let is_odd = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=31 | 127) || *byte == 0xC2;
    let bytes = examined.raw.as_bytes();
    let odd = bytes.iter().enumerate().filter(|(_, byte)| is_odd(byte));
    for (at, _) in odd {
        let Some(c) = examined.raw.get(at..).and_then(|rest| rest.chars().next()) else {
            continue;
        };
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
