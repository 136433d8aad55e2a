//! Queries that ask nothing, or too much.

use metier_search::{Note, Query, SearchError, SkillIndex};

use crate::fixture::{ask, index, names, studio};

#[test]
fn a_blank_query_lists_everything_by_name() {
    let index = index(studio());
    for text in ["", "   ", "\t\n\u{3000}"] {
        let answer = index.search(&Query::new(text, 3)).unwrap();
        assert_eq!(
            names(&answer),
            ["art-notes", "farm-queue", "history-sweep"],
            "{text:?}"
        );
        assert_eq!(answer.total, 8);
        assert!(answer.notes.is_empty());
    }
}

#[test]
fn a_query_without_a_word_finds_nothing_and_says_so() {
    let index = index(studio());
    for text in [
        "the of and",
        ".*[(",
        "---",
        "\u{0}\u{7}",
        "👨‍👩‍👧",
        "\"'`",
        "を",
    ] {
        let answer = ask(&index, text);
        assert!(answer.hits.is_empty(), "{text:?}");
        assert_eq!(answer.notes, [Note::NoSearchableTerm], "{text:?}");
    }
    let answer = ask(&index, "qqqunheardof");
    assert!(answer.hits.is_empty() && answer.notes.is_empty());
}

#[test]
fn a_long_query_is_cut_with_a_note() {
    let index = index(studio());
    let answer = ask(&index, &"x".repeat(100_000));
    assert_eq!(
        answer.notes,
        [Note::QueryCut {
            kept: 2_000,
            given: 100_000
        }]
    );
    insta::assert_snapshot!(answer.notes[0], @"the query has 100000 characters, only the first 2000 were read");
    let answer = ask(&index, &format!("{}farm", "球体".repeat(1_000)));
    assert_eq!(names(&answer)[0], "poly-kit");
    assert!(!names(&answer).contains(&"farm-queue"));
    assert!(ask(&index, &"farm ".repeat(400)).notes.is_empty());
}

#[test]
fn limits_out_of_range_are_refused_or_lowered() {
    let index = index(studio());
    let error = index.search(&Query::new("farm", 0)).unwrap_err();
    assert_eq!(error, SearchError::LimitOutOfRange { limit: 0 });
    insta::assert_snapshot!(error, @"limit 0 is out of range: ask for 1 to 100 hits");
    assert!(index.search(&Query::new("", 0)).is_err());
    assert_eq!(
        index
            .search(&Query::new("", usize::MAX))
            .unwrap()
            .hits
            .len(),
        8
    );
    let many = (0..150)
        .map(|number| crate::fixture::skill(&format!("skill-{number:03}"), "usd"))
        .collect();
    let answer = crate::fixture::index(many)
        .search(&Query::new("usd", 1_000))
        .unwrap();
    assert_eq!((answer.hits.len(), answer.total), (100, 150));
}

#[test]
fn an_empty_index_answers() {
    let index = index(Vec::new());
    assert!(index.is_empty());
    assert!(ask(&index, "farm").hits.is_empty());
    assert!(ask(&index, "").hits.is_empty());
}
