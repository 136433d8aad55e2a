//! A word of Latin letters in which some are of another script and look alike.

use metier_diagnostics::Severity;

use crate::codes;
use crate::letters::look_alike;
use crate::part::Part;
use crate::rule::{Examined, Hit, Rule};

pub(super) static RULE: Rule = Rule {
    code: codes::LOOK_ALIKE_LETTERS,
    find,
    patterns: &[],
};

fn find(examined: &Examined<'_>, hits: &mut Vec<Hit>) {
    if !examined.folded.has_look_alikes()
        || !(examined.part.is_prose() || examined.part == Part::FileName)
    {
        return;
    }
    let mut start = None;
    for (at, c) in examined
        .raw
        .char_indices()
        .chain([(examined.raw.len(), ' ')])
    {
        match (start, c.is_alphabetic()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                if examined.raw.get(from..at).is_some_and(is_mixed) {
                    hits.push(Hit {
                        range: from..at,
                        severity: Severity::Warning,
                        message: "a word mixes Latin letters with look-alikes of another script",
                        help: "write the word in one script",
                    });
                }
            }
            _ => {}
        }
    }
}

/// Whether look-alikes stand inside a Latin word: with Latin letters on both sides, so that neither an
/// ending (`PDFом`) nor a unit (`Δt`) counts.
fn is_mixed(word: &str) -> bool {
    let is_latin = |c: char| c.is_ascii_alphabetic();
    let latin = word.chars().filter(|c| is_latin(*c)).count();
    let mut others = word.chars().filter(|c| !is_latin(*c)).peekable();
    if latin < 2 || others.peek().is_none() || !others.all(|c| look_alike(c).is_some()) {
        return false;
    }
    let first = word.chars().position(|c| !is_latin(c)).unwrap_or(0);
    word.chars().skip(first).any(is_latin) && (first > 0 || word.chars().count() > 3)
}
