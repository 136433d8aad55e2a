//! What can be read of a text of which a part is no YAML, so that one broken line hides nothing else.

use std::ops::Range;

use super::{Fault, FaultKind, unprintable};

/// So many broken parts are told; a text with more is none that anybody meant as YAML.
const MOST_BROKEN: usize = 8;

/// A text with blanks in place of its broken parts.
#[derive(Debug)]
pub(crate) struct Salvaged {
    /// As long as the original.
    pub(crate) rest: String,
    /// Each broken part with what is wrong with it.
    pub(crate) broken: Vec<(Range<usize>, Fault)>,
}

/// Takes the broken ones of these parts of a text out of it, `fault` being what was found first. `whole` tells what is still
/// wrong with the rest, and `alone` what is wrong with the lines of a part, which begin at a place of the text. `None`
/// where the rest cannot be told from what is broken.
pub(crate) fn salvage(
    (text, base): (&str, usize),
    mut parts: Vec<Range<usize>>,
    fault: &Fault,
    whole: impl Fn(&str) -> Option<Fault>,
    alone: impl Fn(&str, usize) -> Option<Fault>,
) -> Option<Salvaged> {
    // A character that may stand nowhere is told alone: what it does to the text around it, nobody knows.
    if unprintable(text, base).is_some() {
        return None;
    }
    let alone = |part: &Range<usize>| alone(text.get(part.clone())?, base + part.start);
    let mut rest = text.to_owned();
    let mut broken = Vec::new();
    let mut fault = fault.clone();
    while broken.len() < MOST_BROKEN {
        if fault.kind != FaultKind::Invalid {
            return None;
        }
        let at = fault.span.start.checked_sub(base)?;
        let own = parts.iter().position(|part| part.contains(&at));
        let is_there = own.and_then(|own| alone(parts.get(own)?));
        // The place of a fault may lie in another part than its cause.
        let (number, told) = match (own, is_there) {
            (Some(own), Some(_)) => (own, fault),
            _ => parts
                .iter()
                .enumerate()
                .find_map(|(number, part)| Some((number, alone(part)?)))?,
        };
        let part = parts.remove(number);
        let lines = text.get(part.clone())?;
        rest.replace_range(part.clone(), &blanks(lines));
        broken.push((part, told));
        match whole(&rest) {
            None => return Some(Salvaged { rest, broken }),
            Some(next) => fault = next,
        }
    }
    None
}

/// As many blanks and line ends. An entry of a list stays one, so that those behind it keep their numbers.
fn blanks(lines: &str) -> String {
    let dash = lines
        .find(|c| c != ' ')
        .filter(|_| lines.trim_start().starts_with('-'));
    let blank = |(at, byte)| match byte {
        b'\n' => '\n',
        _ if dash == Some(at) => '-',
        _ => ' ',
    };
    lines.bytes().enumerate().map(blank).collect()
}
