//! Vectors from a table of words that is part of the program.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Embedder, EmbedderError, normalise};
use crate::analyser::{TokenKind, each_token, is_weak, term};
use crate::document::SkillDocument;
use crate::lexicon::glosses;
use crate::weights::Weights;

/// The table; see `data/README.md` for what it is made of.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::parse(include_bytes!("../../data/words.bin")).unwrap_or_default());

/// The first bytes of a table of this layout.
const MAGIC: &[u8; 8] = b"MTWORDS1";

/// What an occurrence counts by field: name, description, hints, tools. Bodies are left out: they
/// speak of too many things.
const FIELDS: [f32; 4] = [2.5, 1.0, 0.7, 0.3];

/// What a weak word of a query counts.
const WEAK: f32 = 0.5;

/// Embeds a text as the sum of the vectors of its words.
///
/// The words' vectors were fitted once, so that their sums come close to what a sentence model says
/// of the same texts; they need no model and no inference. English only: words of other scripts
/// are put into English by the glossary first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StaticEmbedder;

impl StaticEmbedder {
    /// The embedder of the table that is part of the program.
    pub fn new() -> Self {
        Self
    }

    /// How many words the table has.
    pub fn words() -> usize {
        TABLE.scales.len()
    }
}

/// The words of a text and what each counts. Words are looked up once for all texts of a batch.
#[derive(Default)]
struct Bags {
    known: HashMap<String, Option<usize>>,
    /// The words of the present text, in the order in which they come.
    found: Vec<(usize, f32)>,
}

impl Bags {
    fn gather(&mut self, text: &str, weight: f32, is_query: bool) {
        each_token(text, &mut |surface, kind, _| {
            if kind != TokenKind::Word {
                return;
            }
            let place = if let Some(place) = self.known.get(surface) {
                *place
            } else {
                let place = TABLE.find(&term(surface));
                self.known.insert(surface.to_owned(), place);
                place
            };
            let weight = if is_query && is_weak(surface) {
                weight * WEAK
            } else {
                weight
            };
            self.found.extend(place.map(|place| (place, weight)));
        });
    }

    /// The vector of the present text; the next one begins.
    fn vector(&mut self) -> Vec<f32> {
        // In the order of the words' places, so that the order of the words plays no part.
        self.found
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
        let mut vector = vec![0.0; TABLE.dims];
        for same in self.found.chunk_by(|a, b| a.0 == b.0) {
            let weight: f32 = same.iter().map(|(_, weight)| weight).sum();
            if let Some((place, _)) = same.first() {
                TABLE.add(&mut vector, *place, weight / (weight + 1.0));
            }
        }
        self.found.clear();
        normalise(&mut vector);
        vector
    }
}

impl Embedder for StaticEmbedder {
    fn dims(&self) -> usize {
        TABLE.dims
    }

    fn fingerprint(&self) -> String {
        format!("static-{}-{:016x}", TABLE.dims, TABLE.fingerprint)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut bags = Bags::default();
        let embed = |text: &&str| {
            bags.gather(text, 1.0, false);
            bags.vector()
        };
        Ok(texts.iter().map(embed).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedderError> {
        let mut bags = Bags::default();
        bags.gather(text, 1.0, true);
        if Weights::DEFAULT.glossary > 0.0 {
            for gloss in glosses(text) {
                bags.gather(gloss.meaning, 1.0, true);
            }
        }
        Ok(bags.vector())
    }

    fn knows(&self, term: &str) -> bool {
        TABLE.find(term).is_some()
    }

    fn embed_documents(
        &self,
        documents: &[&SkillDocument],
    ) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let mut bags = Bags::default();
        let embed = |document: &&SkillDocument| {
            let [name, description, hints, tools] = FIELDS;
            bags.gather(&document.name, name, false);
            bags.gather(&document.description, description, false);
            let more = [&document.when_to_use, &document.search_hint, &document.dcc];
            for text in more
                .into_iter()
                .chain(&document.tags)
                .chain(&document.search_aliases)
            {
                bags.gather(text, hints, false);
            }
            for tool in &document.tools {
                let texts = [&tool.name, &tool.description];
                for text in texts.into_iter().chain(&tool.aliases) {
                    bags.gather(text, tools, false);
                }
            }
            bags.vector()
        };
        Ok(documents.iter().map(embed).collect())
    }
}

/// Words and their vectors, one byte a number.
#[derive(Debug, Default)]
struct Table {
    dims: usize,
    /// The words, one after the other, in the order of their bytes.
    words: &'static str,
    /// Where each word ends.
    ends: Vec<u32>,
    /// What the numbers of each vector are multiplied with.
    scales: Vec<f32>,
    vectors: &'static [u8],
    fingerprint: u64,
}

impl Table {
    /// Layout: magic, then as little-endian u32 dimensions, words, bytes of the words; for each word
    /// its end (u32), for each its scale (f32), the words, the vectors (i8).
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (head, rest) = rest.split_at_checked(12)?;
        let mut numbers = u32s(head).map(|number| usize::try_from(number).unwrap_or_default());
        let (dims, count, length) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let (ends, rest) = rest.split_at_checked(count.checked_mul(4)?)?;
        let (scales, rest) = rest.split_at_checked(count.checked_mul(4)?)?;
        let (words, vectors) = rest.split_at_checked(length)?;
        if vectors.len() != count.checked_mul(dims)? {
            return None;
        }
        let fingerprint = bytes
            .iter()
            .step_by(61)
            .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
            });
        Some(Self {
            dims,
            words: str::from_utf8(words).ok()?,
            ends: u32s(ends).collect(),
            scales: u32s(scales).map(f32::from_bits).collect(),
            vectors,
            fingerprint,
        })
    }

    fn word(&self, place: usize) -> &str {
        let at = |place: usize| {
            self.ends
                .get(place)
                .and_then(|end| usize::try_from(*end).ok())
                .unwrap_or_default()
        };
        let start = place.checked_sub(1).map_or(0, at);
        self.words.get(start..at(place)).unwrap_or_default()
    }

    fn find(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn add(&self, vector: &mut [f32], place: usize, weight: f32) {
        let start = place * self.dims;
        let row = self
            .vectors
            .get(start..start + self.dims)
            .unwrap_or_default();
        let scale = self.scales.get(place).copied().unwrap_or_default() * weight;
        for (value, byte) in vector.iter_mut().zip(row) {
            *value += scale * f32::from(byte.cast_signed());
        }
    }
}

fn u32s(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|four| u32::from_le_bytes(*four))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        let (a, b) = (
            StaticEmbedder.embed_query(a).unwrap(),
            StaticEmbedder.embed(&[b]).unwrap(),
        );
        a.iter().zip(&b[0]).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn the_table_is_whole_and_in_order() {
        assert!(StaticEmbedder::words() > 10_000);
        for place in 1..StaticEmbedder::words() {
            assert!(TABLE.word(place - 1) < TABLE.word(place), "{place}");
        }
    }

    #[test]
    fn words_of_like_meaning_are_close() {
        assert!(likeness("picture", "an image or a photo") > likeness("picture", "contract") + 0.2);
        assert!(likeness("照片", "image") > likeness("照片", "contract"));
    }

    #[test]
    fn a_damaged_table_is_no_table() {
        assert!(Table::parse(b"").is_none());
        assert!(Table::parse(b"MTWORDS1\x01\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0").is_none());
        assert!(Table::parse(b"MTWORDS0\x01\0\0\0\0\0\0\0\0\0\0\0").is_none());
    }
}
