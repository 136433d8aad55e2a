//! Many words looked for in one pass: a set of three letters from each word tells where it is worth to compare.
//!
//! An automaton over as many words takes longer to build than a command needs for all else, and holds a megabyte. This
//! takes microseconds, and a step through a text is a look at a table that fits into the nearest cache.

use std::ops::Range;

/// Kinds of bytes: letters whatever their case, and what may stand between them.
const CLASSES: u32 = 64;
const BITS: u32 = 6;
/// Three classes in a row.
const KEYS: u32 = CLASSES * CLASSES * CLASSES;

/// How many words of memory hold a bit for each.
const SEEN: usize = KEYS as usize / 64;

/// How often a letter stands in a text, more or less.
const LETTERS: [u64; 26] = [
    80, 15, 30, 40, 120, 20, 20, 50, 70, 2, 8, 40, 25, 70, 75, 22, 1, 60, 65, 90, 30, 10, 15, 3,
    18, 1,
];

/// A word to look for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// In small letters; at least two bytes.
    pub(crate) text: &'static str,
    /// No letter, digit or underscore stands before it.
    pub(crate) begins: bool,
    /// None stands behind it.
    pub(crate) ends: bool,
}

/// Words, and where to look for each.
pub(crate) struct Words {
    list: Vec<Word>,
    /// One bit for each key that is looked for.
    seen: Box<[u64]>,
    /// The key of each word, and how many bytes of the word stand before it; sorted by key.
    places: Vec<(u32, usize, usize)>,
}

impl Words {
    pub(crate) fn new(words: Vec<Word>) -> Self {
        let mut seen = vec![0_u64; SEEN].into_boxed_slice();
        let mut places = Vec::with_capacity(words.len());
        for (number, word) in words.iter().enumerate() {
            for (key, before) in keys(word.text.as_bytes()) {
                if let Some(bits) = seen.get_mut(key as usize / 64) {
                    *bits |= 1 << (key % 64);
                }
                places.push((key, number, before));
            }
        }
        places.sort_unstable();
        Self {
            list: words,
            seen,
            places,
        }
    }

    /// Every place of every word in a text, one inside another as well. They come by the place of three of their letters.
    pub(crate) fn find<'w, 't>(&'w self, text: &'t str) -> Found<'w, 't> {
        Found {
            words: self,
            text: text.as_bytes(),
            key: 0,
            at: 0,
            candidates: &[],
        }
    }
}

/// The places of words in a text.
pub(crate) struct Found<'w, 't> {
    words: &'w Words,
    text: &'t [u8],
    /// The classes of the last three bytes.
    key: u32,
    /// How many bytes were taken.
    at: usize,
    /// Words that may stand around the last three bytes.
    candidates: &'w [(u32, usize, usize)],
}

impl Iterator for Found<'_, '_> {
    type Item = (usize, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(((_, number, before), rest)) = self.candidates.split_first() {
                self.candidates = rest;
                if let Some(place) = self.compared(*number, *before) {
                    return Some((*number, place));
                }
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

impl Found<'_, '_> {
    /// Goes on to the next three bytes that words are known by; false at the end.
    fn advance(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        // Of a known length, so that no step asks whether it is inside. It always has this one.
        let Ok(seen) = <&[u64; SEEN]>::try_from(&*self.words.seen) else {
            return false;
        };
        let mut key = self.key;
        let known = rest.iter().position(|byte| {
            key = next_key(key, *byte);
            is_seen(seen, key)
        });
        if let Some(taken) = known {
            self.at += taken + 1;
        } else if self.at <= self.text.len() {
            // A word of two letters at the very end is seen one step behind it.
            self.at = self.text.len() + 1;
            key = next_key(key, b' ');
            if !is_seen(seen, key) {
                return false;
            }
        } else {
            return false;
        }
        self.key = key;
        let places = &self.words.places;
        let first = places.partition_point(|(other, ..)| *other < key);
        let behind = places.get(first..).unwrap_or_default();
        let count = behind.partition_point(|(other, ..)| *other == key);
        self.candidates = behind.get(..count).unwrap_or_default();
        true
    }

    /// The place of a word, if it stands where the last three bytes say.
    fn compared(&self, number: usize, before: usize) -> Option<Range<usize>> {
        let word = self.words.list.get(number)?;
        let start = self.at.checked_sub(3 + before)?;
        let end = start + word.text.len();
        let written = self.text.get(start..end)?;
        let is_inside = |at: Option<usize>| {
            at.and_then(|at| self.text.get(at))
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let stands_alone =
            !(word.begins && is_inside(start.checked_sub(1)) || word.ends && is_inside(Some(end)));
        (stands_alone && written.eq_ignore_ascii_case(word.text.as_bytes())).then_some(start..end)
    }
}

fn is_seen(seen: &[u64; SEEN], key: u32) -> bool {
    let bits = seen.get(key as usize / 64 % SEEN);
    bits.is_some_and(|bits| bits >> (key % 64) & 1 == 1)
}

fn next_key(key: u32, byte: u8) -> u32 {
    let class = CLASS_OF.get(usize::from(byte)).copied().unwrap_or_default();
    (key << BITS | u32::from(class)) & (KEYS - 1)
}

/// The rarest three bytes of a word with how many stand before them. A word of two is known by whatever follows.
fn keys(word: &[u8]) -> Vec<(u32, usize)> {
    let key = |bytes: &[u8]| bytes.iter().fold(0, |key, byte| next_key(key, *byte));
    if word.len() == 2 {
        let start = key(word) << BITS;
        return (0..CLASSES).map(|class| (start | class, 0)).collect();
    }
    let windows = word.windows(3).enumerate();
    let rarest =
        windows.min_by_key(|(_, bytes)| bytes.iter().map(|byte| frequency(*byte)).product::<u64>());
    rarest
        .map(|(before, bytes)| (key(bytes), before))
        .into_iter()
        .collect()
}

fn frequency(byte: u8) -> u64 {
    let letter = byte.to_ascii_lowercase().checked_sub(b'a');
    let letter = letter.and_then(|letter| LETTERS.get(usize::from(letter)));
    match byte {
        b' ' | b'\n' => 180,
        b'.' | b'0'..=b'9' | b'_' => 20,
        _ => letter.copied().unwrap_or(5),
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "made by the compiler, which would refuse an index outside"
)]
static CLASS_OF: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = class(byte);
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

const fn class(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' | b'_' => 26,
        b' ' | b'\n' | b'\r' | b'\t' => 27,
        b'.' => 28,
        b'-' => 29,
        b'/' => 30,
        b'"' | b'\'' => 31,
        b'<' => 32,
        b'[' => 33,
        b'(' => 34,
        0..0x80 => 35,
        _ => 36 + byte % 28,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: [(&str, bool, bool); 12] = [
        ("nc", true, true),
        ("<|", false, false),
        ("let", true, true),
        ("send", true, false),
        ("curl", false, true),
        ("not follow", false, false),
        (".ssh", false, false),
        ("忽略", false, false),
        ("гнорируй", false, false),
        ("aaa", false, false),
        ("aa", false, false),
        ("sender", false, false),
    ];

    fn words() -> Words {
        let word = |(text, begins, ends): (&'static str, bool, bool)| Word { text, begins, ends };
        Words::new(WORDS.map(word).to_vec())
    }

    /// The same, letter by letter.
    fn plainly(text: &str) -> Vec<(usize, Range<usize>)> {
        let bytes = text.as_bytes();
        let is_inside = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        };
        let mut found = Vec::new();
        for start in 0..bytes.len() {
            for (number, (word, begins, ends)) in WORDS.iter().enumerate() {
                let end = start + word.len();
                let is_there = bytes
                    .get(start..end)
                    .is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()));
                let stands =
                    !(*begins && is_inside(start.checked_sub(1)) || *ends && is_inside(Some(end)));
                if is_there && stands {
                    found.push((number, start..end));
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn every_word_is_found(
            pieces in prop::collection::vec(
                prop_oneof![
                    (0..WORDS.len(), any::<bool>()).prop_map(|(number, loud)| {
                        let word = WORDS[number].0;
                        if loud { word.to_uppercase() } else { word.to_owned() }
                    }),
                    "[ a-e_.<|忽略é\n]{0,3}",
                ],
                0..12,
            )
        ) {
            let text = pieces.concat();
            let mut found: Vec<_> = words().find(&text).collect();
            found.sort_by_key(|(number, place)| (place.start, *number));
            prop_assert_eq!(found, plainly(&text));
        }
    }
}
