//! The index follows what is put in and taken out.

use metier_search::{LexicalSkillIndex, SkillIndex};

use crate::fixture::{ask, index, names, queries, skill, studio};

#[test]
fn an_edit_replaces_the_old_words() {
    let mut index = index(studio());
    index.index(vec![skill("solver", "cloth")]);
    assert_eq!(names(&ask(&index, "cloth")), ["solver"]);
    index.index(vec![skill("solver", "granules")]);
    assert_eq!(names(&ask(&index, "granules")), ["solver"]);
    assert!(ask(&index, "cloth").hits.is_empty());
    assert_eq!(index.len(), 9);
}

#[test]
fn what_is_removed_is_gone_everywhere() {
    let mut index = index(studio());
    assert!(index.remove("studio/poly-kit"));
    assert!(!index.remove("studio/poly-kit"));
    assert!(!index.remove("unheard-of"));
    for text in ["poly-kit", "make_sphere", "polygon", "球体", ""] {
        assert!(!names(&ask(&index, text)).contains(&"poly-kit"), "{text:?}");
    }
    assert_eq!(index.len(), 7);
}

#[test]
fn any_index_can_stand_behind_the_trait() {
    let mut index: Box<dyn SkillIndex> = Box::new(LexicalSkillIndex::default());
    index.index(studio());
    let answer = index.search_text("farm-queue", 1).unwrap();
    assert_eq!((names(&answer), answer.total), (vec!["farm-queue"], 2));
}

#[test]
fn of_two_documents_with_one_id_the_later_counts() {
    let index = index(vec![skill("a", "first"), skill("a", "second")]);
    assert_eq!(index.len(), 1);
    assert_eq!(names(&ask(&index, "second")), ["a"]);
    assert!(ask(&index, "first").hits.is_empty());
}

#[test]
fn a_clone_is_a_snapshot() {
    let old = index(studio());
    let mut new = old.clone();
    new.remove("studio/farm-queue");
    new.index(vec![skill("cloth", "")]);
    assert_eq!(names(&ask(&old, "farm-queue"))[0], "farm-queue");
    assert!(ask(&old, "cloth").hits.is_empty());
    assert_eq!(names(&ask(&new, "farm-queue")), ["padded"]);
}

#[test]
fn many_small_changes_answer_as_one_batch() {
    let mut filler: Vec<_> = (0..60)
        .map(|number| {
            skill(
                &format!("filler-{number:02}"),
                &format!("word{} farm polygon", number % 7),
            )
        })
        .collect();
    filler.extend(studio());
    let batch = index(filler.clone());
    let mut stream = LexicalSkillIndex::new();
    for document in filler.iter().rev() {
        stream.index(vec![skill(&document.id, "an older text about polygons")]);
        stream.index(vec![document.clone()]);
        stream.index(vec![skill("guest", "farm polygon queue 球体")]);
        stream.remove("guest");
    }
    assert_eq!(stream.len(), batch.len());
    for (query, _) in queries() {
        assert_eq!(ask(&stream, &query), ask(&batch, &query), "{query:?}");
    }
}
