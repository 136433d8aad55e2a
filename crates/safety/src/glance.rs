//! A first look at a text, which is all that nearly every text needs.

use crate::rules::encoded_run;
use crate::spots::may_match;

/// Whether it is certain that no rule finds anything in a text, whatever part of a skill it is: it is plain ASCII, hides
/// nothing, and no pattern has a place in it. `false` says nothing.
///
/// What a text is put between makes no difference, so many texts can be looked at as one; and what is certain of a text is
/// certain of each piece of it that neither begins nor ends inside a word.
pub fn is_clean(text: &str) -> bool {
    is_plain(text)
        && !text.contains("<!--")
        && encoded_run(text.as_bytes(), 0).is_none()
        && !may_match(text)
}

/// So many bytes are looked at together.
const BLOCK: usize = 256;

/// Printable ASCII and the blanks that rules pass over.
fn is_plain(text: &str) -> bool {
    let is_odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0xC);
    let mut blocks = text.as_bytes().chunks(BLOCK);
    !blocks.any(|block| block.iter().fold(false, |odd, byte| odd | is_odd(byte)))
}
