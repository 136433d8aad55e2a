//! A small studio's skills.

use metier_search::{LexicalSkillIndex, Query, SearchAnswer, SkillDocument, SkillIndex};
use serde_json::Value;

pub(crate) fn studio() -> Vec<SkillDocument> {
    serde_json::from_str(include_str!("../fixtures/studio.json")).unwrap()
}

/// Queries with the name that must come first.
pub(crate) fn queries() -> Vec<(String, String)> {
    let queries: Vec<Value> =
        serde_json::from_str(include_str!("../fixtures/queries.json")).unwrap();
    let text = |query: &Value, key: &str| query[key].as_str().unwrap().to_owned();
    queries
        .iter()
        .map(|query| (text(query, "query"), text(query, "first")))
        .collect()
}

pub(crate) fn index(documents: Vec<SkillDocument>) -> LexicalSkillIndex {
    let mut index = LexicalSkillIndex::new();
    index.index(documents);
    index
}

pub(crate) fn skill(name: &str, description: &str) -> SkillDocument {
    SkillDocument {
        id: name.into(),
        name: name.into(),
        description: description.into(),
        ..SkillDocument::default()
    }
}

pub(crate) fn ask(index: &LexicalSkillIndex, text: &str) -> SearchAnswer {
    index.search(&Query::new(text, 100)).unwrap()
}

pub(crate) fn names(answer: &SearchAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.name.as_str()).collect()
}
