//! Base64 that turns out to be hostile.

use std::ops::Range;

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
    let mut at = 0;
    while let Some(range) = run(examined.raw.as_bytes(), at) {
        at = range.end;
        if let Some(run) = examined.raw.get(range.clone())
            && let Some(text) = decoded(run)
            && hostile::is_in(&Spots::new(&text), &text)
        {
            hits.push(Hit {
                range,
                severity: Severity::Error,
                message: "decoded, the text instructs a model or runs what must not be run",
                help: "remove it; what a skill says it can say in the open",
            });
        }
    }
}

/// The next run of letters of base64, from an offset on, that is long enough.
pub(crate) fn run(bytes: &[u8], mut at: usize) -> Option<Range<usize>> {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    loop {
        let window = bytes.get(at..at + SHORTEST)?;
        // From behind: where one byte is no part, no run that is long enough begins before it.
        if let Some(last) = window.iter().rposition(|byte| !is_part(*byte)) {
            at += last + 1;
            continue;
        }
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| !is_part(*byte));
        return Some(at..at + length.unwrap_or(rest.len()));
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
