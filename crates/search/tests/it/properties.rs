//! What holds for every text.

use metier_search::{SkillDocument, SkillIndex, analyse};
use proptest::prelude::*;

use crate::fixture::{ask, index, skill, studio};

const WORDS: &[&str] = &[
    "farm",
    "queue",
    "queues",
    "polygon",
    "spheres",
    "make_sphere",
    "makeSphere",
    "mp4",
    "球体",
    "材质贴图",
    "histroy",
    "rend",
    "the",
    "start",
    "FBX",
    "unheard",
    "リギング",
    "c++",
];

fn documents() -> impl Strategy<Value = Vec<SkillDocument>> {
    let text =
        prop::collection::vec(prop::sample::select(WORDS), 0..8).prop_map(|words| words.join(" "));
    prop::collection::vec((0..12_u8, text), 0..12).prop_map(|documents| {
        documents
            .into_iter()
            .map(|(number, text)| skill(&format!("skill-{number}"), &text))
            .collect()
    })
}

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(WORDS), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_analysed_and_searched(text in "\\PC*|.*", other in any::<String>()) {
        for token in analyse(&text) {
            prop_assert!(!token.surface.is_empty() && !token.term().is_empty());
        }
        let mut documents = studio();
        documents.push(SkillDocument { id: "odd".into(), name: text.clone(), body: other.clone(), ..Default::default() });
        let index = index(documents);
        for text in [&text, &other] {
            let answer = ask(&index, text);
            prop_assert!(answer.hits.len() <= answer.total);
            for hit in &answer.hits {
                prop_assert!(hit.score.is_finite() && (0.0..=1.0).contains(&hit.confidence));
            }
            prop_assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }

    #[test]
    fn a_text_finds_itself(text in "[a-zA-Z0-9 _-]{0,40}") {
        let searchable = analyse(&text).iter().any(|token| !token.term().is_empty());
        let index = index(vec![skill("other", "farm"), skill("wanted", &text)]);
        let answer = ask(&index, &text);
        prop_assert_eq!(searchable, !text.trim().is_empty() && answer.hits.iter().any(|hit| hit.id == "wanted"));
    }

    #[test]
    fn the_order_of_words_changes_nothing(documents in documents(), words in words(), seed in any::<prop::sample::Index>()) {
        let index = index(documents);
        let mut turned = words.clone();
        if !turned.is_empty() {
            let place = seed.index(turned.len());
            turned.rotate_left(place);
        }
        turned.reverse();
        prop_assert_eq!(ask(&index, &words.join(" . ")), ask(&index, &turned.join(" . ")));
    }

    #[test]
    fn the_way_in_changes_nothing(documents in documents(), guests in documents(), words in words()) {
        let batch = index(documents.clone());
        let mut stream = index(guests.clone());
        for document in documents.clone() {
            stream.index(vec![document]);
        }
        for guest in guests {
            if documents.iter().all(|document| document.id != guest.id) {
                stream.remove(&guest.id);
            }
        }
        let text = words.join(" ");
        prop_assert_eq!(ask(&batch, &text), ask(&stream, &text));
        prop_assert_eq!(batch.len(), stream.len());
    }

    #[test]
    fn a_skill_of_other_words_moves_no_score(
        documents in documents(),
        words in words(),
        one in prop::collection::vec("[qxz]{9,12}", 6),
        other in prop::collection::vec("[qxz]{9,12}", 6),
    ) {
        // Both fillers are as long: how many skills there are and how long they are on average stay as they were.
        let with = |filler: &[String]| {
            let mut documents = documents.clone();
            documents.push(skill("zz-filler", &filler.join(" ")));
            ask(&index(documents), &words.join(" "))
                .hits
                .into_iter()
                .filter(|hit| hit.id != "zz-filler")
                .map(|hit| (hit.id, hit.score.to_bits(), hit.confidence.to_bits()))
                .collect::<Vec<_>>()
        };
        prop_assert_eq!(with(&one), with(&other));
    }

    #[test]
    fn a_guess_is_never_above_the_word(word in "[b-z]{4,8}", place in 1..4_usize) {
        let mut near = word.clone();
        near.replace_range(place..=place, "a");
        prop_assume!(analyse(&near).iter().all(|token| analyse(&word).iter().all(|other| other.term() != token.term())));
        prop_assume!(!analyse(&word).is_empty());
        let index = index(vec![skill("1-near", &near), skill("2-exact", &word)]);
        let answer = ask(&index, &word);
        prop_assert_eq!(answer.hits[0].id.as_str(), "2-exact");
    }
}
