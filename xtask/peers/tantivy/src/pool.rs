//! Documents and queries: real ones from files, or written ones with the word frequencies of real text.

use std::error::Error;
use std::fs;
use std::path::Path;

use metier_search::{SkillDocument, ToolDocument};
use serde::Deserialize;

/// English words, one entry a line, most telling first.
const WORDS: &str = include_str!("../../../../crates/search/data/synonyms.txt");

/// Skills and what is asked of them.
pub struct Pool {
    documents: Vec<SkillDocument>,
    pub queries: Vec<String>,
}

#[derive(Deserialize)]
struct LabelledQuery {
    query: String,
}

impl Pool {
    /// Reads files with one JSON object a line.
    pub fn read(documents: &Path, queries: &Path) -> Result<Self, Box<dyn Error>> {
        let documents = fs::read_to_string(documents)?
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        let queries = fs::read_to_string(queries)?
            .lines()
            .map(|line| serde_json::from_str(line).map(|read: LabelledQuery| read.query))
            .collect::<Result<_, _>>()?;
        Ok(Self { documents, queries })
    }

    /// Writes 2,000 documents and 300 queries of two to eight words; every tenth query has a slip of the hand.
    pub fn written() -> Self {
        let mut writer = Writer::new();
        let documents = (0..2_000).map(|number| writer.document(number)).collect();
        let queries = (0..300).map(|number| writer.query(number)).collect();
        Self { documents, queries }
    }

    /// So many documents. Those beyond the pool are copies with their words in another order.
    pub fn documents(&self, size: usize) -> Vec<SkillDocument> {
        let mut chance = Chance(1);
        let pool = self.documents.iter().cycle().take(size).enumerate();
        pool.map(|(number, document)| {
            let mut document = document.clone();
            if number >= self.documents.len() {
                let mut words: Vec<&str> = document.description.split_whitespace().collect();
                for place in (1..words.len()).rev() {
                    words.swap(place, chance.below(place + 1));
                }
                document.description = words.join(" ");
                document.id = format!("{}-{number}", document.id);
                document.name = format!("{}-{number}", document.name);
            }
            document
        })
        .collect()
    }
}

/// Writes texts in which the word of rank r stands about 1/r as often as the first (Zipf's law).
struct Writer {
    words: Vec<&'static str>,
    chance: Chance,
}

impl Writer {
    fn new() -> Self {
        let words = WORDS.split_whitespace().collect();
        Self {
            words,
            chance: Chance(7),
        }
    }

    fn word(&mut self) -> &'static str {
        // The logarithm of a Zipf-distributed rank is about uniform.
        let share = self.chance.share();
        let rank = (self.words.len() as f64).powf(share) as usize;
        // Ranks are dealt out over the list, which is alphabetical.
        self.words[(rank * 7_919) % self.words.len()]
    }

    fn text(&mut self, words: usize) -> String {
        (0..words)
            .map(|_| self.word())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn document(&mut self, number: usize) -> SkillDocument {
        let name = format!("{}-{}-{number}", self.word(), self.word());
        let tools = self.chance.below(9);
        let words = 12 + self.chance.below(40);
        SkillDocument {
            id: name.clone(),
            name,
            description: self.text(words),
            tags: (0..3).map(|_| self.word().to_owned()).collect(),
            tools: (0..tools)
                .map(|_| ToolDocument {
                    name: format!("{}_{}", self.word(), self.word()),
                    description: self.text(10),
                    ..ToolDocument::default()
                })
                .collect(),
            body: self.text(250),
            ..SkillDocument::default()
        }
    }

    fn query(&mut self, number: usize) -> String {
        let words = 2 + self.chance.below(7);
        let mut text = self.text(words);
        if number % 10 == 0 {
            let place = text.char_indices().nth(2).map_or(0, |(place, _)| place);
            text.insert(place, 'q');
        }
        text
    }
}

/// The same numbers in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 31) as f64
    }
}
