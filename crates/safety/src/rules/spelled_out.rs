//! An order to drop instructions whose letters or words are set apart: `i g n o r e`, `ignore, all, previous, instructions`.

use std::ops::Range;

use crate::pattern::{Anchor, Pattern};
use crate::rule::Examined;

/// Letters of a word, one at a time.
pub(super) static LETTERS: Pattern = Pattern::near(
    r"\b(?:i[\x20.,*/|-]g[\x20.,*/|-]n[\x20.,*/|-]o|d[\x20.,*/|-]i[\x20.,*/|-]s[\x20.,*/|-]r|f[\x20.,*/|-]o[\x20.,*/|-]r[\x20.,*/|-]g)(?:[\t-\r\x20.,*/|-]{1,5}[a-z]\b){6,120}(?:[\t-\r\x20.,*/|-]{1,5}[a-z]{2,14}\b){0,3}",
    &[Anchor::new(
        &[
            "i g n o", "i.g.n.o", "i-g-n-o", "i,g,n,o", "i*g*n*o", "i/g/n/o", "i|g|n|o", "d i s r",
            "d.i.s.r", "d-i-s-r", "d,i,s,r", "d*i*s*r", "d/i/s/r", "d|i|s|r", "f o r g", "f.o.r.g",
            "f-o-r-g", "f,o,r,g", "f*o*r*g", "f/o/r/g", "f|o|r|g",
        ],
        2,
        400,
    )],
);

/// Words, with marks between them.
pub(super) static WORDS: Pattern = Pattern::near(
    r"\b(?:ignore|disregard|forget)(?:[\x20]{0,2}[.,;:|/+=&\x7E-]{1,3}[\t-\r\x20]{0,2}[a-z]{2,14}\b){2,8}",
    &[Anchor::new(
        &["|ignore|", "|disregard|", "|forget|"],
        2,
        160,
    )],
);

/// The order itself, in letters alone.
static ORDER: Pattern = Pattern::new(
    r"^(?:ignore|disregard|forget)(?:all|any|every|of|the|these|those|your|my|and|other)*(?:previous|prior|earlier|above|preceding|your|system)(?:all|of|the|your|and|system|safety)*(?:instructions?|systemprompt|guidelines|guardrails)",
);

static ORDER_OF_THREE: Pattern = Pattern::new(
    r"^(?:ignore|disregard|forget)(?:previous|prior|earlier|above|preceding|your|system)(?:instructions?|systemprompt|guidelines|guardrails)",
);

/// Where the order is given in one of these ways, and whether without a doubt: of three words it may be a list of words
/// that somebody looks for.
pub(super) fn places<'p>(
    examined: &'p Examined<'_>,
) -> impl Iterator<Item = (Range<usize>, bool)> + 'p {
    static SPELLED: [&Pattern; 1] = [&LETTERS];
    static APART: [&Pattern; 1] = [&WORDS];
    let spelled = examined.places(&SPELLED).map(|range| (range, true));
    let apart = examined
        .places(&APART)
        .filter(|range| are_set_apart(examined.text().get(range.clone()).unwrap_or_default()))
        .map(|range| (range, false));
    spelled.chain(apart).filter_map(|(range, is_spelled)| {
        let found = examined.text().get(range.clone()).unwrap_or_default();
        let letters: String = found.chars().filter(char::is_ascii_alphabetic).collect();
        let is_clear = is_spelled || !ORDER_OF_THREE.is_in(&letters);
        (ORDER.is_in(&letters) && examined.is_meant(&range)).then_some((range, is_clear))
    })
}

/// Whether one mark stands between all of the words: a sentence has blanks between them, a name no blanks behind its marks.
fn are_set_apart(found: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let mut gaps = found.split(is_letter).filter(|gap| !gap.is_empty());
    let Some(first) = gaps.next() else {
        return false;
    };
    let is_of_names = first.len() == 1 && matches!(first, "-" | "." | "/" | ":" | "=" | "+" | "&");
    // Behind the order a sentence may go on.
    let alike = gaps.take_while(|gap| gap.trim() == first.trim()).count();
    !is_of_names && alike >= 1
}
