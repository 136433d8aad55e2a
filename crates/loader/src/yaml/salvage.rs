//! What can be read of a text of which a part is no YAML, so that one broken line hides nothing else.

use std::ops::Range;

use super::{Fault, FaultKind, unprintable};

/// So many broken parts are told; a text with more is none that anybody meant as YAML.
const MOST_BROKEN: usize = 32;

/// A text with blanks in place of its broken parts.
#[derive(Debug)]
pub(crate) struct Salvaged {
    /// As long as the original.
    pub(crate) rest: String,
    /// Each broken part with what is wrong with it; with nothing where it is whole, and means what stands in another.
    pub(crate) broken: Vec<(Range<usize>, Option<Fault>)>,
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
    // An alias means what stands in another part, so that it says nothing about a part by itself.
    let alone = |part: &Range<usize>| {
        let fault = alone(text.get(part.clone())?, base + part.start)?;
        let is_own = fault.kind == FaultKind::Invalid && !is_about_alias(&fault);
        is_own.then_some(fault)
    };
    let mut rest = text.to_owned();
    let mut broken: Vec<(Range<usize>, Option<Fault>)> = Vec::new();
    let mut fault = fault.clone();
    while broken.len() < MOST_BROKEN {
        if fault.kind != FaultKind::Invalid {
            return None;
        }
        let at = fault.span.start.checked_sub(base)?;
        let own = parts.iter().position(|part| part.contains(&at));
        let (number, told) = if is_about_alias(&fault) {
            let own = own?;
            let name = alias_at(text, at);
            let taken_out = broken.iter().filter_map(|(part, _)| text.get(part.clone()));
            let is_fine = name.is_some_and(|name| {
                taken_out
                    .flat_map(str::split_whitespace)
                    .any(|word| word.strip_prefix('&') == Some(name))
            });
            (own, (!is_fine).then_some(fault))
        } else {
            let is_there = own.and_then(|own| alone(parts.get(own)?));
            // The place of a fault may lie in another part than its cause.
            match (own, is_there) {
                (Some(own), Some(_)) => (own, Some(fault)),
                _ => parts
                    .iter()
                    .enumerate()
                    .find_map(|(number, part)| Some((number, Some(alone(part)?))))?,
            }
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

/// Whether an alias stands there for which there is no anchor.
fn is_about_alias(fault: &Fault) -> bool {
    fault.message.contains("anchor")
}

/// The name of the alias at or ahead of a place in its line.
fn alias_at(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let here = text.get(at..)?;
    let start = if here.starts_with('*') {
        at
    } else {
        line + text.get(line..at)?.rfind('*')?
    };
    let name = text.get(start + 1..)?;
    name.split([' ', '\t', '\n', ',', ']', '}', '[', '{'])
        .next()
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
