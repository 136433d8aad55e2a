//! The same question gets the same answer.

use crate::fixture::{ask, index, names, queries, skill, studio};

#[test]
fn equal_scores_are_in_the_order_of_names_whatever_came_first() {
    let documents =
        || ["delta", "alpha", "charlie", "bravo"].map(|name| skill(name, "export usd layers"));
    let mut backwards = documents();
    backwards.reverse();
    for documents in [documents(), backwards] {
        let index = index(documents.to_vec());
        for _ in 0..20 {
            assert_eq!(
                names(&ask(&index, "usd layers")),
                ["alpha", "bravo", "charlie", "delta"]
            );
        }
    }
}

#[test]
fn the_order_of_documents_changes_nothing() {
    let forwards = index(studio());
    let mut documents = studio();
    documents.reverse();
    let backwards = index(documents);
    for (query, _) in queries() {
        assert_eq!(ask(&forwards, &query), ask(&backwards, &query), "{query:?}");
    }
}

#[test]
fn a_hit_is_written_like_this() {
    let answer = ask(&index(studio()), "farm");
    insta::assert_json_snapshot!(answer.hits[0], {".score" => "[score]"}, @r#"
    {
      "id": "studio/farm-queue",
      "name": "farm-queue",
      "score": "[score]",
      "confidence": 1.0,
      "matched": [
        {
          "field": "name",
          "term": "farm"
        },
        {
          "field": "description",
          "term": "farm"
        },
        {
          "field": "hints",
          "term": "farm"
        }
      ],
      "arms": [
        {
          "arm": "lexical",
          "rank": 1
        }
      ]
    }
    "#);
}
