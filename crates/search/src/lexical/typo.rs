//! An automaton for words that are a few edits away from a misspelt one.

use fst::Automaton;

/// The longest word that is looked for with edits, in bytes.
const LONGEST: usize = 24;

/// Words up to this many letters are taken to have one slip at most.
const SURE: usize = 6;

/// Edits beyond this many are all the same.
const REACH: usize = 2;

/// Cells of a row that can lie within reach: the diagonal and [`REACH`] to each side.
const BAND: usize = 2 * REACH + 1;

/// A cell out of reach.
const FAR: u8 = 3;

/// Accepts words within a distance (insertion, deletion, substitution and swap of neighbours each
/// count 1) that begin with the same byte, or with the first two swapped.
///
/// fst's own Levenshtein automaton knows no swaps, the most usual slip of the hand, and builds its
/// whole table before the first step; this one computes the few cells of the edit matrix that matter.
pub(super) struct Typo<'a> {
    word: &'a [u8],
    distance: u8,
}

/// Two rows of the edit matrix, each around its diagonal, and the byte between them.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    last: [u8; BAND],
    current: [u8; BAND],
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
        self.whole(&rows)
    }

    /// The cell of the whole word.
    fn whole(&self, rows: &Rows) -> Option<u8> {
        let place = (self.word.len() + REACH).checked_sub(usize::from(rows.length))?;
        rows.current
            .get(place)
            .copied()
            .filter(|distance| *distance <= self.distance)
    }
}

impl Automaton for Typo<'_> {
    type State = Rows;

    fn start(&self) -> Rows {
        Rows {
            last: [FAR; BAND],
            // Columns -2 and -1 do not exist; 0, 1 and 2 cost that many deletions.
            current: [FAR, FAR, 0, 1, 2],
            byte: 0,
            first: 0,
            length: 0,
        }
    }

    fn is_match(&self, rows: &Rows) -> bool {
        self.whole(rows).is_some()
    }

    fn can_match(&self, rows: &Rows) -> bool {
        let begins_alike = match (self.word, rows.length) {
            ([first, second, ..], 1) => rows.first == *first || rows.first == *second,
            ([first, ..], 2) => rows.first == *first || rows.byte == *first,
            _ => true,
        };
        begins_alike && rows.current.iter().any(|cell| *cell <= self.distance)
    }

    fn accept(&self, rows: &Rows, byte: u8) -> Rows {
        let length = rows.length.saturating_add(1);
        let mut next = [FAR; BAND];
        let mut left = FAR;
        // Cell k of row r is column r + k - REACH. Seen from there, the cell before both the byte and
        // the letter is cell k of the row above, the one before the byte cell k + 1, and the one
        // before the last two of each is cell k two rows above.
        let above = rows.current.iter().skip(1).chain([&FAR]);
        let cells = next
            .iter_mut()
            .zip(rows.current.iter().zip(above).zip(rows.last));
        for (place, (cell, ((&diagonal, &up), corner))) in cells.enumerate() {
            let Some(column) = (usize::from(length) + place).checked_sub(REACH) else {
                continue;
            };
            let best = match column.checked_sub(1) {
                None => length,
                Some(column) => {
                    let Some(&letter) = self.word.get(column) else {
                        continue;
                    };
                    let before = column
                        .checked_sub(1)
                        .and_then(|column| self.word.get(column));
                    let swapped = rows.length > 0 && letter == rows.byte && before == Some(&byte);
                    let swap = if swapped { corner + 1 } else { FAR };
                    (diagonal + u8::from(letter != byte))
                        .min(up + 1)
                        .min(left + 1)
                        .min(swap)
                }
            };
            *cell = best.min(FAR);
            left = *cell;
        }
        Rows {
            last: rows.current,
            current: next,
            byte,
            first: if rows.length == 0 { byte } else { rows.first },
            length,
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
    fn the_band_finds_what_the_whole_matrix_finds() {
        // Optimal string alignment, written out.
        let whole = |a: &[u8], b: &[u8]| {
            let mut rows = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
            for i in 0..=a.len() {
                for j in 0..=b.len() {
                    rows[i][j] = if i == 0 || j == 0 {
                        i + j
                    } else {
                        let same = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        same.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
                    };
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        rows[i][j] = rows[i][j].min(rows[i - 2][j - 2] + 1);
                    }
                }
            }
            rows[a.len()][b.len()]
        };
        let word = "abcabcab";
        let typo = Typo::new(word).unwrap();
        // Every way to write three letters over the word, and to leave out up to three at the end.
        for place in 0..6 {
            for letters in 0..27 {
                for end in 5..=8 {
                    let mut other = word.as_bytes().to_vec();
                    for (offset, power) in [1, 3, 9].into_iter().enumerate() {
                        other[place + offset] = b"abc"[letters / power % 3];
                    }
                    other.truncate(end);
                    let expected = whole(word.as_bytes(), &other);
                    let found = typo.distance(str::from_utf8(&other).unwrap());
                    assert_eq!(found.map(usize::from), (expected <= 2).then_some(expected));
                }
            }
        }
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
