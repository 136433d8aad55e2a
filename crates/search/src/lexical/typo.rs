//! An automaton for words that are a few edits away from a misspelt one.

use fst::Automaton;

/// The longest word that is looked for with edits, in bytes.
const LONGEST: usize = 24;

/// Words up to this many letters are taken to have one slip at most.
const SURE: usize = 6;

/// Accepts words within a distance (insertion, deletion, substitution and swap of neighbours each
/// count 1) that begin with the same byte, or with the first two swapped.
///
/// fst's own Levenshtein automaton knows no swaps, the most usual slip of the hand, and builds its
/// whole table before the first step; this one computes a row of the edit matrix for each step.
pub(super) struct Typo<'a> {
    word: &'a [u8],
    distance: u8,
}

/// Two rows of the edit matrix and the byte between them.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    last: [u8; LONGEST + 1],
    current: [u8; LONGEST + 1],
    byte: u8,
    first: u8,
    length: u8,
}

impl<'a> Typo<'a> {
    /// `None` for words that are too short or too long to guess, or that hold digits.
    pub(super) fn new(word: &'a str) -> Option<Self> {
        let letters = word.chars().count();
        if letters < 4 || word.len() > LONGEST || word.chars().any(char::is_numeric) {
            return None;
        }
        Some(Self {
            word: word.as_bytes(),
            distance: if letters <= SURE { 1 } else { 2 },
        })
    }

    /// The distance of a word, if it is within reach.
    pub(super) fn distance(&self, other: &str) -> Option<u8> {
        let mut rows = self.start();
        for byte in other.bytes() {
            rows = self.accept(&rows, byte);
        }
        rows.current
            .get(self.word.len())
            .copied()
            .filter(|distance| *distance <= self.distance)
    }
}

impl Automaton for Typo<'_> {
    type State = Rows;

    fn start(&self) -> Rows {
        let mut current = [0; LONGEST + 1];
        for (place, cell) in (0..).zip(&mut current) {
            *cell = place;
        }
        Rows {
            last: current,
            current,
            byte: 0,
            first: 0,
            length: 0,
        }
    }

    fn is_match(&self, rows: &Rows) -> bool {
        rows.current
            .get(self.word.len())
            .is_some_and(|distance| *distance <= self.distance)
    }

    fn can_match(&self, rows: &Rows) -> bool {
        let begins_alike = match (self.word, rows.length) {
            ([first, second, ..], 1) => rows.first == *first || rows.first == *second,
            ([first, ..], 2) => rows.first == *first || rows.byte == *first,
            _ => true,
        };
        begins_alike
            && rows
                .current
                .iter()
                .take(self.word.len() + 1)
                .any(|distance| *distance <= self.distance)
    }

    fn accept(&self, rows: &Rows, byte: u8) -> Rows {
        let mut next = [u8::MAX; LONGEST + 1];
        let mut left = rows.length.saturating_add(1);
        let mut before = 0_u8;
        if let Some(cell) = next.first_mut() {
            *cell = left;
        }
        let above = rows.current.iter().zip(rows.current.iter().skip(1));
        let cells = self.word.iter().zip(above).zip(next.iter_mut().skip(1));
        // The cell two rows up and two columns left, for swaps: it lags one column behind.
        let mut swap = rows.last.iter();
        let mut first = true;
        for ((&letter, (&diagonal, &up)), cell) in cells {
            let mut best = diagonal
                .saturating_add(u8::from(letter != byte))
                .min(up.saturating_add(1))
                .min(left.saturating_add(1));
            if !first
                && let Some(&corner) = swap.next()
                && rows.length > 0
                && letter == rows.byte
                && before == byte
            {
                best = best.min(corner.saturating_add(1));
            }
            first = false;
            *cell = best;
            left = best;
            before = letter;
        }
        Rows {
            last: rows.current,
            current: next,
            byte,
            first: if rows.length == 0 { byte } else { rows.first },
            length: rows.length.saturating_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_slip_counts_one() {
        let distance =
            |word: &str, other: &str| Typo::new(word).and_then(|typo| typo.distance(other));
        assert_eq!(distance("sphere", "sphere"), Some(0));
        assert_eq!(distance("shpere", "sphere"), Some(1));
        assert_eq!(distance("spheer", "sphere"), Some(1));
        assert_eq!(distance("sphre", "sphere"), Some(1));
        assert_eq!(distance("spherre", "sphere"), Some(1));
        assert_eq!(distance("sphare", "sphere"), Some(1));
        assert_eq!(distance("spahre", "sphere"), None);
        assert_eq!(distance("animtoin", "animation"), Some(2));
        assert_eq!(distance("ligth", "light"), Some(1));
        assert_eq!(distance("ligth", "lights"), None);
        assert_eq!(distance("abcdefgh", "xbcdefgz"), Some(2));
        assert_eq!(distance("abc", "abd"), None);
        assert_eq!(distance("mp4x", "mp4y"), None);
    }

    #[test]
    fn the_first_letter_is_taken_for_right() {
        let words = ["light", "might", "night"];
        let set = fst::Set::from_iter(words).unwrap();
        let found = |word| {
            let stream = set.search(Typo::new(word).unwrap());
            fst::IntoStreamer::into_stream(stream).into_strs().unwrap()
        };
        assert_eq!(found("ligth"), ["light"]);
        assert_eq!(found("ilght"), ["light"]);
        assert!(found("xight").is_empty());
    }
}
