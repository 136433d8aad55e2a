//! The cascade: stages, fallbacks that are named, and what vanishes.

use futures_util::FutureExt;
use metier_search::{FusedIndex, LexicalSkillIndex, SkillIndex};
use metier_skill_protocol::{
    Cascade, DiscoverRequest, Discovery, DiscoveryAnswer, Note, PendingSelection, QualityCounters,
    QualityEvent, ScriptedSelector, SelectorError, SkillEntry, Stage, discover,
};

use crate::{House, skill};

fn house() -> (House, FusedIndex) {
    let mut skills = vec![
        skill(
            "maya-geometry",
            "Makes polygon spheres, cubes and cylinders.",
        ),
        skill(
            "maya-rigging",
            "Builds joints and binds skin for characters.",
        ),
        skill("render-queue", "Sends frames to the render farm."),
        skill("pdf-fill", "Fills the fields of PDF forms."),
        skill("code-review", "Reviews changes of code."),
    ];
    skills.extend((0..5).map(|n| {
        skill(
            &format!("filler-{n}"),
            &format!("Handles the filler number {n} of a list."),
        )
    }));
    let house = House::new(skills);
    let mut index = FusedIndex::new();
    index.index(house.book.entries().map(SkillEntry::document).collect());
    (house, index)
}

fn names(answer: &DiscoveryAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.name.as_str()).collect()
}

fn answered(discovery: Discovery) -> DiscoveryAnswer {
    match discovery {
        Discovery::Answered(answer) => answer,
        Discovery::Asks(pending) => panic!("asks {:?}", pending.candidates().len()),
    }
}

fn pending(discovery: Discovery) -> PendingSelection {
    match discovery {
        Discovery::Asks(pending) => pending,
        Discovery::Answered(answer) => panic!("answers {answer:?}"),
    }
}

#[test]
fn a_name_is_found_directly() {
    let (house, index) = house();
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    for query in [
        "select:pdf-fill",
        "SELECT: pdf_fill",
        "/pdf-fill",
        "PDF Fill",
        "user:pdf-fill",
        "/pdf",
        "select:pdf",
        "pdf-f",
    ] {
        let answer = answered(cascade.begin(&DiscoverRequest::new(query)));
        assert_eq!(
            (names(&answer), answer.stage),
            (vec!["pdf-fill"], Stage::Direct),
            "{query}"
        );
    }
    let failed = answered(cascade.begin(&DiscoverRequest::new("select:render the frames")));
    assert_eq!(
        (failed.hits.len(), failed.notes),
        (0, vec![Note::NoSuchSkill])
    );
    let empty = answered(cascade.begin(&DiscoverRequest::new("  ")));
    assert_eq!(empty.notes, [Note::EmptyQuery]);
}

#[test]
fn a_plain_word_that_begins_a_name_is_searched_for() {
    let (house, index) = house();
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    for query in ["pdf", "p", "render", "frames", "code rev"] {
        let answer = answered(cascade.begin(&DiscoverRequest::new(query)));
        assert_ne!(answer.stage, Stage::Direct, "{query}");
    }
    // The others that speak of it are found beside the one whose name it begins.
    let house = House::new(vec![
        skill("frame-ranges", "Writes ranges of frames."),
        skill("image-sequence", "Finds frames that are missing."),
    ]);
    let mut index = FusedIndex::new();
    let documents = house.book.entries().map(SkillEntry::document);
    index.index(documents.collect());
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    let answer = answered(cascade.begin(&DiscoverRequest::new("frame")));
    let mut found = names(&answer);
    found.sort_unstable();
    assert_eq!(found, ["frame-ranges", "image-sequence"]);
}

#[test]
fn the_order_of_words_does_not_matter_and_chinese_works() {
    let (house, index) = house();
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    for query in [
        "code review",
        "review code",
        "review the changes of the code",
    ] {
        let answer = answered(cascade.begin(&DiscoverRequest::new(query)));
        assert_eq!(names(&answer)[0], "code-review", "{query}");
    }
    let answer = answered(cascade.begin(&DiscoverRequest::new("把帧发送到渲染农场")));
    assert_eq!(names(&answer)[0], "render-queue");
}

#[test]
fn a_missing_index_is_named_and_words_alone_work() {
    let (house, _) = house();
    let mut words = LexicalSkillIndex::new();
    words.index(house.book.entries().map(SkillEntry::document).collect());
    let cascade = Cascade::new(house.view()).with_lexical(&words);
    let answer = answered(cascade.begin(&DiscoverRequest::new("bind the skin of a hero")));
    assert_eq!(names(&answer)[0], "maya-rigging");
    assert!(answer.notes.iter().any(|note| matches!(
        note,
        Note::StageMissing {
            stage: Stage::Hybrid,
            ..
        }
    )));
}

#[test]
fn what_is_disabled_is_gone_from_every_stage() {
    let (mut house, index) = house();
    house
        .standing
        .disabled
        .insert("user:render-queue".to_owned());
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    for query in [
        "select:render-queue",
        "render-queue",
        "send frames to the render farm",
    ] {
        let answer = answered(cascade.begin(&DiscoverRequest::new(query)));
        assert!(!names(&answer).contains(&"render-queue"), "{query}");
    }
}

#[test]
fn bad_experience_takes_from_suggestions_and_not_from_names() {
    let (house, index) = house();
    for event in [
        QualityEvent::Applied,
        QualityEvent::FellBack,
        QualityEvent::FellBack,
    ] {
        house.quality.record(&[("user:render-queue", event)]);
    }
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    let answer = answered(cascade.begin(&DiscoverRequest::new("frames for the farm please")));
    assert!(!names(&answer).contains(&"render-queue"));
    assert!(
        answer
            .notes
            .iter()
            .any(|note| matches!(note, Note::DroppedByExperience { count: 1, .. }))
    );
    let answer = answered(cascade.begin(&DiscoverRequest::new("render-queue")));
    assert_eq!(names(&answer), ["render-queue"]);
}

#[test]
fn what_was_seen_can_be_left_out() {
    let (mut house, index) = house();
    house
        .conversation
        .discovered
        .insert("user:render-queue".to_owned());
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    let mut request = DiscoverRequest::new("frames for the farm please");
    assert!(names(&answered(cascade.begin(&request))).contains(&"render-queue"));
    request.exclude_seen = true;
    assert!(!names(&answered(cascade.begin(&request))).contains(&"render-queue"));
}

const VAGUE: &str = "make something for the hero character in some scene";

#[test]
fn a_selector_chooses_among_the_offered_and_every_fallback_is_named() {
    let (house, index) = house();
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    let request = DiscoverRequest::new(VAGUE).with_selector();
    let said = |said: Result<&str, SelectorError>| {
        let selector = ScriptedSelector::new([said.map(str::to_owned)]);
        discover(&cascade, &request, Some(&selector))
            .now_or_never()
            .unwrap()
    };
    let plain = discover(&cascade, &request, None).now_or_never().unwrap();
    assert!(plain.stage == Stage::Hybrid && !plain.hits.is_empty());

    let chosen = said(Ok(
        "```json\n{\"brief_plan\": \"Rig it.\", \"skills\": [\"user:maya-rigging\", \"nope\"]}\n```",
    ));
    assert_eq!(
        (names(&chosen), chosen.stage),
        (vec!["maya-rigging"], Stage::Select)
    );
    assert_eq!(chosen.plan.as_deref(), Some("Rig it."));
    assert!(chosen.notes.contains(&Note::SelectorStrayed { count: 1 }));

    let none = said(Ok(
        "{\"brief_plan\": \"No skill is needed.\", \"skills\": []}",
    ));
    assert_eq!((none.hits.len(), none.stage), (0, Stage::Select));
    assert!(
        none.notes
            .iter()
            .any(|note| matches!(note, Note::SelectorChoseNone { .. }))
    );

    let unreadable = said(Ok("I would rather not say."));
    assert_eq!(unreadable.hits, plain.hits);
    assert!(
        unreadable
            .notes
            .iter()
            .any(|note| matches!(note, Note::SelectorUnreadable { .. }))
    );

    for error in [SelectorError::TimedOut, SelectorError::Declined] {
        let failed = said(Err(error.clone()));
        assert_eq!(failed.hits, plain.hits);
        let note = Note::SelectorFailed {
            selector: "scripted".to_owned(),
            error,
        };
        assert!(failed.notes.contains(&note));
    }
}

#[test]
fn a_question_can_be_put_away_and_taken_up_after_a_change() {
    let (mut house, index) = house();
    let request = DiscoverRequest::new(VAGUE).with_selector();
    let asked = pending(
        Cascade::new(house.view())
            .with_hybrid(&index)
            .begin(&request),
    );
    let kept: PendingSelection =
        serde_json::from_str(&serde_json::to_string(&asked).unwrap()).unwrap();
    assert_eq!(kept.prompt(), asked.prompt());
    house
        .standing
        .revoked
        .insert("user:maya-rigging".to_owned());
    let cascade = Cascade::new(house.view()).with_hybrid(&index);
    let answer = cascade.resume(
        kept,
        "client",
        Ok("{\"skills\": [\"user:maya-rigging\", \"user:maya-geometry\"]}"),
    );
    assert_eq!(names(&answer), ["maya-geometry"]);
}
