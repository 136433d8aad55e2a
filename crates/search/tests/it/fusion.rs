//! Several ways of searching together.

use std::sync::Arc;

use metier_search::{
    ArmRank, Embedder, EmbedderError, Filter, FusedIndex, HashedEmbedder, InMemoryVectorStore,
    LexicalSkillIndex, Note, Query, RrfFusionIndex, SearchError, SkillDocument, SkillIndex,
    VectorSkillIndex, Weights,
};

use proptest::prelude::*;

use crate::fixture::{names, queries, skill, studio};

fn rrf() -> RrfFusionIndex {
    RrfFusionIndex::new()
        .register("lex", LexicalSkillIndex::new())
        .register("vec", VectorSkillIndex::new())
}

fn all() -> Vec<(&'static str, Box<dyn SkillIndex>)> {
    let coded = VectorSkillIndex::with(HashedEmbedder::new(), InMemoryVectorStore::coded(256));
    vec![
        ("lexical", Box::new(LexicalSkillIndex::new())),
        ("vector", Box::new(VectorSkillIndex::new())),
        ("coded", Box::new(coded)),
        (
            "weighed",
            Box::new(VectorSkillIndex::with_embedder(HashedEmbedder::weighed())),
        ),
        ("rrf", Box::new(rrf())),
        ("fused", Box::new(FusedIndex::new())),
    ]
}

#[test]
fn every_labelled_query_has_its_skill_first() {
    for mut index in [
        Box::new(rrf()) as Box<dyn SkillIndex>,
        Box::new(FusedIndex::new()),
    ] {
        index.index(studio());
        let mut wrong = Vec::new();
        for (query, first) in queries() {
            let answer = index.search_text(&query, 10).unwrap();
            let place = names(&answer)
                .iter()
                .position(|name| *name == first.as_str());
            if place.is_none_or(|place| place > 2) {
                wrong.push(format!("{query:?} wants {first}: {:?}", names(&answer)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn the_way_in_and_the_order_of_words_change_nothing() {
    for ((name, mut batch), (_, mut stream)) in all().into_iter().zip(all()) {
        batch.index(studio());
        stream.index(vec![skill("guest", "polygon farm notes")]);
        let mut documents = studio();
        documents.reverse();
        for document in documents {
            stream.index(vec![document]);
        }
        assert!(stream.remove("guest") && !stream.remove("guest"), "{name}");
        assert_eq!(batch.len(), stream.len(), "{name}");
        for (text, turned) in [
            ("polygon meshes", "meshes polygon"),
            ("farm", "farm"),
            ("渲染 材质", "材质 渲染"),
            ("", ""),
            ("how to send a job", "job a send to how"),
        ] {
            let answer = batch.search_text(text, 10).unwrap();
            assert_eq!(
                answer,
                stream.search_text(text, 10).unwrap(),
                "{name} {text:?}"
            );
            assert_eq!(
                names(&answer),
                names(&batch.search_text(turned, 10).unwrap()),
                "{name} {text:?}"
            );
        }
    }
}

#[test]
fn a_name_goes_first_everywhere_and_filters_still_filter() {
    for (name, mut index) in all() {
        index.index(studio());
        let answer = index.search_text(" Farm-QUEUE ", 10).unwrap();
        assert_eq!(names(&answer)[0], "farm-queue", "{name}");
        assert!(answer.hits[0].named, "{name}");
        let worst = |_: &str| 0.0;
        let no_farm = |id: &str| !id.contains("farm");
        let query = Query::new("farm-queue", 10)
            .with_quality(&worst)
            .with_filter(Filter::with_predicate(&no_farm));
        let answer = index.search(&query).unwrap();
        assert!(!names(&answer).contains(&"farm-queue"), "{name}");
        assert!(
            answer
                .hits
                .windows(2)
                .all(|pair| pair[0].score >= pair[1].score),
            "{name}"
        );
    }
}

#[test]
fn empty_odd_and_long_queries_are_answered_by_all() {
    for (name, mut index) in all() {
        assert!(index.is_empty());
        assert!(
            index.search_text("sphere", 3).unwrap().hits.is_empty(),
            "{name}"
        );
        index.index(studio());
        let browsed = index.search_text("  ", 100).unwrap();
        assert_eq!(
            (browsed.hits.len(), browsed.total),
            (studio().len(), studio().len()),
            "{name}"
        );
        let nothing = index.search_text("the of .*[(", 3).unwrap();
        assert!(nothing.hits.is_empty(), "{name}");
        assert_eq!(nothing.notes, [Note::NoSearchableTerm], "{name}");
        let long = index.search_text(&"farm ".repeat(20_000), 3).unwrap();
        assert!(
            long.notes
                .iter()
                .any(|note| matches!(note, Note::QueryCut { kept: 2_000, .. }))
        );
        assert!(long.hits.iter().all(|hit| hit.score.is_finite()), "{name}");
        assert_eq!(
            index.search_text("farm", 0).unwrap_err(),
            SearchError::LimitOutOfRange { limit: 0 }
        );
    }
}

#[test]
fn what_is_meant_is_found_without_its_words() {
    let mut index = FusedIndex::new();
    index.index(vec![
        skill("invoices", "Write invoices and track who has paid"),
        skill("terrain", "Sculpt mountains and valleys for a game level"),
    ]);
    for (query, first) in [
        ("send a bill to my customer", "invoices"),
        ("landscape with hills", "terrain"),
        ("发票", "invoices"),
        ("地形", "terrain"),
        ("請求書", "invoices"),
        ("송장", "invoices"),
    ] {
        let answer = index.search_text(query, 5).unwrap();
        assert_eq!(names(&answer).first(), Some(&first), "{query}");
    }
}

#[test]
fn hits_tell_the_places_that_each_arm_gave() {
    let mut index = FusedIndex::new();
    index.index(studio());
    let answer = index.search_text("polygon mesh", 10).unwrap();
    let arms: Vec<(&str, usize)> = answer.hits[0]
        .arms
        .iter()
        .map(|ArmRank { arm, rank, .. }| (*arm, *rank))
        .collect();
    assert_eq!(arms, [("lexical", 1), ("semantic", 1)]);
    assert!(!answer.hits[0].matched.is_empty());
}

#[test]
fn a_low_layer_ranks_below_on_an_equal_match() {
    for (name, mut index) in all() {
        let mut documents = vec![skill("aa", "export usd"), skill("bb", "export usd")];
        documents[0].layer = Some("infrastructure".into());
        index.index(documents);
        assert_eq!(
            names(&index.search_text("usd export", 5).unwrap()),
            ["bb", "aa"],
            "{name}"
        );
    }
}

#[test]
fn a_query_that_nothing_answers_is_told_so() {
    let mut index = FusedIndex::new();
    index.index(studio());
    let answer = index
        .search_text("bathe the cat in the garden pond", 5)
        .unwrap();
    let told = answer.hits.is_empty() || answer.notes.contains(&Note::NothingFits);
    assert!(told, "{answer:?}");
    let sure = index.search_text("polygon mesh", 5).unwrap();
    assert!(
        sure.notes.is_empty() && sure.hits[0].confidence > 0.5,
        "{sure:?}"
    );
}

/// Fails when a text holds its word.
#[derive(Debug)]
struct Fragile(&'static str);

impl Embedder for Fragile {
    fn dims(&self) -> usize {
        16
    }

    fn fingerprint(&self) -> String {
        "fragile".into()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        if texts.iter().any(|text| text.contains(self.0)) {
            return Err(EmbedderError::new("the model is gone", "bring it back"));
        }
        HashedEmbedder::with_dims(16).embed(texts)
    }
}

#[test]
fn a_failing_arm_is_named_and_the_rest_answers() {
    let of_models = |word| FusedIndex::new().with_model("model", Arc::new(Fragile(word)));
    let missing = |answer: &metier_search::SearchAnswer, arm: &str| {
        answer.notes.iter().any(|note| {
            matches!(note, Note::ArmMissing { arm: named, reason } if *named == arm && reason.contains("bring it back"))
        })
    };
    let mut index = of_models("polygon");
    index.index(studio());
    let answer = index.search_text("jobs for the farm", 3).unwrap();
    assert_eq!(names(&answer)[0], "farm-queue");
    assert!(missing(&answer, "model"), "{:?}", answer.notes);

    // What a changed skill said before must not go on speaking for it.
    let mut index = of_models("broken");
    index.index(vec![skill("one", "sphere")]);
    index.index(vec![skill("one", "broken")]);
    let answer = index.search_text("sphere", 3).unwrap();
    assert!(
        missing(&answer, "model") && answer.hits.is_empty(),
        "{answer:?}"
    );

    let mut index = of_models("wrong word");
    index.index(studio());
    assert_eq!(index.search_text("jobs for the farm", 3).unwrap().notes, []);
    let answer = index.search_text("wrong word jobs farm", 3).unwrap();
    assert_eq!(names(&answer)[0], "farm-queue");
    assert!(missing(&answer, "model"), "{:?}", answer.notes);

    let mut index = VectorSkillIndex::with_embedder(Fragile("farm"));
    index.index(vec![SkillDocument::default()]);
    let answer = index.search_text("farm", 3).unwrap();
    assert!(
        answer.hits.is_empty() && missing(&answer, "vector"),
        "{:?}",
        answer.notes
    );
}

#[test]
fn a_clone_does_not_see_later_changes() {
    let mut index = FusedIndex::new();
    index.index(studio());
    let before = index.clone();
    index.index(vec![skill("farm-two", "jobs for a farm of wind wheels")]);
    index.remove("studio/farm-queue");
    let ids = |index: &FusedIndex| -> Vec<String> {
        let answer = index.search_text("jobs for the farm", 10).unwrap();
        answer.hits.into_iter().map(|hit| hit.id).collect()
    };
    assert_eq!(ids(&before)[0], "studio/farm-queue");
    assert!(!ids(&index).contains(&"studio/farm-queue".to_owned()));
    assert_eq!(ids(&index)[0], "farm-two");
}

#[test]
fn weights_of_zero_leave_an_arm_out() {
    let mut weights = Weights::DEFAULT;
    weights.semantic = 0.0;
    let mut index = FusedIndex::with_weights(weights);
    index.index(studio());
    let answer = index.search_text("farm", 3).unwrap();
    assert!(answer.hits.iter().all(|hit| hit.arms.len() == 1));
    let mut rrf = RrfFusionIndex::new()
        .register("lex", LexicalSkillIndex::new())
        .register_weighted("vec", VectorSkillIndex::new(), f64::NAN);
    rrf.index(studio());
    assert_eq!(
        names(&rrf.search_text("farm jobs", 3).unwrap())[0],
        "farm-queue"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC*|.*|[渲染绑定モデル렌더a-z ]{0,40}", limit in 1..200_usize) {
        let mut documents = studio();
        documents.push(SkillDocument { id: "odd".into(), name: text.clone(), description: text.clone(), ..Default::default() });
        let mut index = FusedIndex::new();
        index.index(documents);
        let answer = index.search_text(&text, limit).unwrap();
        prop_assert!(answer.hits.len() <= answer.total && answer.hits.len() <= limit);
        for hit in &answer.hits {
            prop_assert!(hit.score.is_finite() && (0.0..=1.0).contains(&hit.confidence), "{:?}", hit);
        }
        prop_assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        prop_assert_eq!(&answer, &index.search_text(&text, limit).unwrap());
    }
}
