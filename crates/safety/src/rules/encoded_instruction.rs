//! Base64 that turns out to be hostile.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use metier_diagnostics::Severity;

use crate::codes;
use crate::rule::{Examined, Hit, Rule};
use crate::rules::hostile;
use crate::spots::Spots;

pub(super) static RULE: Rule = Rule {
    code: codes::ENCODED_INSTRUCTION,
    find,
    patterns: &[],
};

/// Shorter ones say too little to be told from a word.
const SHORTEST: usize = 32;

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let mut at = 0;
    let bytes = examined.raw.as_bytes();
    while let Some(window) = bytes.get(at..at + SHORTEST) {
        // From behind: where one byte is no part, no run that is long enough begins before it.
        if let Some(last) = window.iter().rposition(|byte| !is_part(*byte)) {
            at += last + 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| !is_part(*byte))
            .unwrap_or(rest.len());
        if let Some(run) = examined.raw.get(at..at + length)
            && let Some(text) = decoded(run)
            && hostile::is_in(&Spots::new(&text), &text)
        {
            hits.push(Hit {
                range: at..at + length,
                severity: Severity::Error,
                message: "decoded, the text instructs a model or runs what must not be run",
                help: "remove it; what a skill says it can say in the open",
            });
        }
        at += length;
    }
}

/// The text that a run of base64 stands for, if it is one.
fn decoded(run: &str) -> Option<String> {
    let plain = run.replace('-', "+").replace('_', "/");
    let whole = plain.len() - usize::from(plain.len() % 4 == 1);
    let bytes = STANDARD_NO_PAD
        .decode(plain.get(..whole)?)
        .ok()
        .or_else(|| {
            STANDARD_NO_PAD
                .decode(plain.get(..plain.len() - plain.len() % 4)?)
                .ok()
        })?;
    let text = String::from_utf8(bytes).ok()?;
    let odd = text
        .chars()
        .filter(|c| c.is_control() && !c.is_whitespace())
        .count();
    (odd * 20 <= text.len()).then_some(text)
}
