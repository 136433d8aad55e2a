//! Control characters: commands to a terminal, and what no text needs.

use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::CONTROL_CHARACTERS,
    find,
    patterns: &[],
};

/// So many bytes are looked at together.
const BLOCK: usize = 256;

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    // Of control characters the first byte is one of few, and rare: most blocks hold none.
    let is_odd = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=31 | 127) || *byte == 0xC2;
    let blocks = examined.raw.as_bytes().chunks(BLOCK).enumerate();
    let odd = blocks
        .filter(|(_, block)| block.iter().fold(false, |odd, byte| odd | is_odd(byte)))
        .flat_map(|(number, block)| {
            let places = block.iter().enumerate();
            places
                .filter(|(_, byte)| is_odd(byte))
                .map(move |(at, _)| number * BLOCK + at)
        });
    for at in odd {
        let rest = examined.raw.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
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
