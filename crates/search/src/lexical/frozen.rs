//! With the statistics held still, a document that has nothing to do with a query moves nobody's score.

use proptest::prelude::*;

use super::{LexicalSkillIndex, Part, build};
use crate::document::SkillDocument;
use crate::index::SkillIndex;
use crate::query::Query;

const WORDS: [&str; 8] = [
    "farm",
    "queue",
    "polygon",
    "spheres",
    "球体",
    "材质",
    "make_sphere",
    "histroy",
];

fn document(id: &str, text: &str) -> SkillDocument {
    SkillDocument {
        id: id.to_owned(),
        name: id.to_owned(),
        description: text.to_owned(),
        ..SkillDocument::default()
    }
}

impl LexicalSkillIndex {
    /// Adds a segment and leaves the number of documents and the lengths of fields as they were.
    fn with_frozen_statistics(&self, documents: Vec<SkillDocument>) -> Self {
        let mut more = self.clone();
        more.parts
            .push(Part::new(build::segment(documents, &self.weights)));
        more
    }
}

fn scores(index: &LexicalSkillIndex, text: &str) -> Vec<(String, u64)> {
    let answer = index.search(&Query::new(text, 100)).unwrap();
    let scored = answer.hits.into_iter();
    scored.map(|hit| (hit.id, hit.score.to_bits())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stranger_moves_no_score(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::select(&WORDS[..]), 1..9), 1..9),
        asked in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..5),
        strangers in prop::collection::vec("(0[0-9]{3} ){1,30}", 1..4),
    ) {
        let mut index = LexicalSkillIndex::new();
        index.index(texts.iter().enumerate().map(|(number, words)| document(&format!("s{number}"), &words.join(" "))).collect());
        let strangers = strangers.iter().enumerate().map(|(number, text)| document(&format!("0{number}"), text)).collect();
        let more = index.with_frozen_statistics(strangers);
        let query = asked.join(" ");
        let before = scores(&index, &query);
        prop_assert!(!before.is_empty() || !texts.iter().flatten().any(|word| asked.contains(word)));
        prop_assert_eq!(before, scores(&more, &query));
    }
}

#[test]
fn a_document_with_the_word_does_move_it() {
    let mut index = LexicalSkillIndex::new();
    index.index(vec![document("one", "farm queue"), document("two", "farm")]);
    let more = index.with_frozen_statistics(vec![document("three", "farm farm")]);
    assert_ne!(scores(&index, "farm")[0], scores(&more, "farm")[0]);
}
