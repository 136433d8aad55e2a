//! Different codes of what a reader takes for the same character.

use unicode_normalization::UnicodeNormalization;

use super::simplified;

/// The characters of a text after NFKC, with Latin accents and traditional Chinese forms folded.
/// The case is kept: it tells where the parts of an identifier begin.
///
/// For a text that is not ASCII; ASCII is as it should be.
pub(super) fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.nfkc().map(|character| match character {
        '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => base(character),
        '\u{3400}'..='\u{9FFF}' => simplified::simplified(character),
        _ => character,
    })
}

/// The letter without its accents.
fn base(character: char) -> char {
    std::iter::once(character).nfd().next().unwrap_or(character)
}
