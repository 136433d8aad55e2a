//! An identifier as a whole and in its parts.

use super::{LONGEST_WORD, Sink, TokenKind, stop};

/// What a letter is to the boundaries inside an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Upper,
    Lower,
    Digit,
}

fn letter(character: char) -> Letter {
    if character.is_numeric() {
        Letter::Digit
    } else if character.is_uppercase() {
        Letter::Upper
    } else {
        Letter::Lower
    }
}

/// Hands out the tokens of a run of letters, digits and `_` (which stands for any separator).
pub(super) fn tokens(run: &str, group: usize, scratch: &mut String, sink: &mut Sink<'_>) {
    if is_plain(run) {
        word(run, TokenKind::Word, group, scratch, sink);
        return;
    }
    let mut segments = run.split('_').filter(|segment| !segment.is_empty());
    let whole_is_given = segments.nth(1).is_some();
    if whole_is_given {
        whole(run, group, scratch, sink);
    }
    for segment in run.split('_').filter(|segment| !segment.is_empty()) {
        let humps = humps(segment);
        if humps.len() > 1 && !whole_is_given {
            whole(segment, group, scratch, sink);
        }
        for hump in humps {
            with_digits(hump, group, scratch, sink);
        }
    }
}

/// Whether a run is one word without any question: small letters, the first perhaps a capital.
fn is_plain(run: &str) -> bool {
    let mut bytes = run.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_lowercase())
}

/// The parts of a camel-case word. The plural of an acronym (`UVs`) is one part.
fn humps(segment: &str) -> Vec<&str> {
    let letters: Vec<(usize, Letter)> = segment
        .char_indices()
        .map(|(start, character)| (start, letter(character)))
        .collect();
    let plural = letters.len() > 2
        && segment.ends_with('s')
        && letters
            .iter()
            .rev()
            .skip(1)
            .all(|(_, letter)| *letter == Letter::Upper);
    let mut cuts = vec![0];
    if !plural {
        for (place, pair) in letters.windows(2).enumerate() {
            let [(_, left), (start, right)] = pair else {
                continue;
            };
            let after = letters.get(place + 2).map(|(_, letter)| *letter);
            let begins = match (left, right) {
                (Letter::Lower | Letter::Digit, Letter::Upper) => {
                    // `3D` and `2FA` are one word each.
                    *left == Letter::Lower || after == Some(Letter::Lower)
                }
                (Letter::Upper, Letter::Upper) => after == Some(Letter::Lower),
                _ => false,
            };
            if begins {
                cuts.push(*start);
            }
        }
    }
    cuts.push(segment.len());
    cuts.windows(2)
        .filter_map(|cut| match cut {
            [from, to] => segment.get(*from..*to),
            _ => None,
        })
        .filter(|hump| !hump.is_empty())
        .collect()
}

/// A part and, when it mixes letters and digits, its pieces. Single letters are no pieces.
fn with_digits(part: &str, group: usize, scratch: &mut String, sink: &mut Sink<'_>) {
    word(part, TokenKind::Word, group, scratch, sink);
    let digits = part
        .chars()
        .filter(|character| character.is_numeric())
        .count();
    if digits == 0 || digits == part.chars().count() {
        return;
    }
    let mut start = 0;
    let mut previous = None;
    for (place, character) in part.char_indices().chain([(part.len(), ' ')]) {
        let is_digit = character.is_numeric();
        let ends = place == part.len() || previous.is_some_and(|previous| previous != is_digit);
        if ends && let Some(piece) = part.get(start..place) {
            if previous == Some(true) || piece.chars().nth(1).is_some() {
                word(piece, TokenKind::Piece, group, scratch, sink);
            }
            start = place;
        }
        previous = Some(is_digit);
    }
}

fn whole(run: &str, group: usize, scratch: &mut String, sink: &mut Sink<'_>) {
    lower(run, scratch);
    if scratch.chars().nth(LONGEST_WORD).is_none() {
        sink(scratch, TokenKind::Whole, group);
    }
}

fn word(part: &str, kind: TokenKind, group: usize, scratch: &mut String, sink: &mut Sink<'_>) {
    lower(part, scratch);
    if let Some((cut, _)) = scratch.char_indices().nth(LONGEST_WORD) {
        scratch.truncate(cut);
    }
    if !scratch.is_empty() && !stop::is_stop_word(scratch) {
        sink(scratch, kind, group);
    }
}

fn lower(text: &str, scratch: &mut String) {
    scratch.clear();
    if text.is_ascii() {
        scratch.extend(text.chars().filter(|letter| *letter != '_'));
        scratch.make_ascii_lowercase();
        return;
    }
    for character in text.chars().filter(|character| *character != '_') {
        scratch.extend(character.to_lowercase());
    }
}
