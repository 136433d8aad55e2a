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
    // The end of the lines that were looked at together.
    let mut joined = 0;
    while let Some(mut range) = run(examined.raw.as_bytes(), at) {
        let mut is_hostile = false;
        if range.start >= joined {
            joined = wrapped_end(examined.raw, range.end);
            let whole = range.start..joined;
            if whole != range && is_hostile_in(examined.raw, &whole) {
                (range, is_hostile) = (whole, true);
            } else {
                let starts = wrapped_starts(examined.raw, range.start);
                let mut wholes = starts.map(|start| start..joined);
                if let Some(whole) = wholes.find(|whole| is_hostile_in(examined.raw, whole)) {
                    (range, is_hostile) = (whole, true);
                }
            }
        }
        at = range.end;
        if is_hostile || is_hostile_in(examined.raw, &range) {
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

fn is_hostile_in(text: &str, range: &Range<usize>) -> bool {
    let run = text.get(range.clone()).unwrap_or_default();
    let run: String = run.split_ascii_whitespace().collect();
    decoded(&run).is_some_and(|text| hostile::is_in(&Spots::new(&text), &text))
}

/// Where a run ends that goes on in the next lines, as programs wrap it.
fn wrapped_end(text: &str, mut end: usize) -> usize {
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let line = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))
            .map(|line| line.trim_start_matches([' ', '\t']));
        let Some(line) = line else {
            return end;
        };
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        let length = line.bytes().take_while(|byte| is_part(byte)).count();
        let behind = line.get(length..).unwrap_or_default();
        let behind = behind.trim_start_matches('=');
        if length == 0 || !(behind.is_empty() || behind.starts_with(['\n', '\r', '"', '\'', '`'])) {
            return end;
        }
        end = text.len() - line.len() + length;
    }
}

/// So many short lines before a run are taken for its beginning.
const MOST_LINES_BEFORE: usize = 4;

/// Where a run may begin already, in the lines before it that are too short to be runs themselves. Which of them belong to
/// it nobody knows, so each is tried.
fn wrapped_starts(text: &str, run: usize) -> impl Iterator<Item = usize> {
    let mut next = start_before(text, run);
    std::iter::from_fn(move || {
        let start = next?;
        next = start_before(text, start);
        Some(start)
    })
    .take(MOST_LINES_BEFORE)
}

/// Where the letters begin that end the line before, if nothing else stands between them and an offset.
fn start_before(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?.trim_end_matches([' ', '\t']);
    let line = before.strip_suffix('\n')?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let letters = line.bytes().rev().take(SHORTEST).take_while(is_part);
    let length = letters.count();
    (1..SHORTEST).contains(&length).then(|| line.len() - length)
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
