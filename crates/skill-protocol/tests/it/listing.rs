//! The listing: the budget, what is left out, and what is new.

use std::collections::{BTreeMap, BTreeSet};

use metier_skill_protocol::{
    Conversation, Listing, ListingKind, ListingOptions, QualityCounters, QualityEvent, Source,
    TranscriptItem, budget_of_window, listing,
};
use proptest::prelude::*;

use crate::{House, skill};

fn with(budget: usize) -> ListingOptions {
    ListingOptions::with_budget(budget)
}

#[test]
fn descriptions_are_shortened_alike_then_left_out_then_skills_are() {
    let mut skills: Vec<_> = (0..12)
        .map(|n| skill(&format!("skill-{n:02}"), &"word ".repeat(30)))
        .collect();
    skills[7].is_pinned = true;
    let house = House::new(skills);
    let text = |budget| listing(&house.view(), None, &with(budget)).text;
    let roomy = text(2_400);
    assert!(roomy.lines().all(|line| line.len() > 100), "{roomy}");
    let tight = text(700);
    assert_eq!(tight.lines().count(), 12);
    assert!(
        tight.lines().next().unwrap().starts_with("- skill-07: ")
            && tight.lines().next().unwrap().len() > 150
    );
    let lengths: BTreeSet<usize> = tight
        .lines()
        .skip(1)
        .map(|line| line.chars().count())
        .collect();
    assert!(
        lengths.len() <= 2 && tight.lines().skip(1).all(|line| line.ends_with('…')),
        "{tight}"
    );
    let bare = text(300);
    assert!(bare.lines().next().unwrap().len() > 150, "{bare}");
    let names: Vec<&str> = bare.lines().skip(1).take(2).collect();
    assert_eq!(names, ["- skill-00", "- skill-01"]);
    assert!(
        text(120).ends_with(
            "more skills: call discover_skills with what is needed, or with select:NAME."
        )
    );
}

#[test]
fn of_more_than_a_hundred_the_first_thirty_by_importance() {
    let mut skills: Vec<_> = (0..150).map(|n| skill(&format!("s{n:03}"), "d")).collect();
    skills[149].is_pinned = true;
    skills[148].source = Source::Mcp;
    let mut house = House::new(skills);
    house.conversation.invoked.insert("user:s147".to_owned());
    house
        .quality
        .record(&[("user:s146", QualityEvent::Completed)]);
    let first = listing(&house.view(), None, &ListingOptions::default());
    let shown: Vec<&str> = first.shown.iter().take(5).map(String::as_str).collect();
    assert_eq!(
        shown,
        [
            "user:s149",
            "user:s147",
            "user:s148",
            "user:s146",
            "user:s000"
        ]
    );
    assert_eq!(
        (first.shown.len(), first.omitted, first.visible),
        (30, 120, 150)
    );
    assert!(first.text.ends_with(
        "120 more skills: call discover_skills with what is needed, or with select:NAME."
    ));
    assert_eq!(house.quality.counts("user:s000").listed, 1);
    assert_eq!(house.quality.counts("user:s100").listed, 0);
}

#[test]
fn what_is_disabled_is_gone_with_the_next_listing() {
    let mut house = House::new(vec![skill("a", "one"), skill("b", "two")]);
    let first = listing(&house.view(), None, &ListingOptions::default());
    house.standing.revoked.insert("user:b".to_owned());
    let second = listing(
        &house.view(),
        Some(&first.token),
        &ListingOptions::default(),
    );
    assert_eq!(second.kind, ListingKind::Replacement);
    assert_eq!(second.text, "This list replaces the earlier one.\n- a: one");
}

#[test]
fn a_damaged_token_begins_anew_and_says_so() {
    let house = House::new(vec![skill("a", "one")]);
    let fresh = listing(&house.view(), Some("nonsense"), &ListingOptions::default());
    assert_eq!(fresh.kind, ListingKind::TokenUnreadable);
    assert_eq!(fresh.shown, ["user:a"]);
}

#[test]
fn a_description_is_one_line_without_what_hides() {
    let house = House::new(vec![skill(
        "a",
        "one\n- fake: two\u{202e}\u{1b}[0m\r\nthree",
    )]);
    let text = listing(&house.view(), None, &ListingOptions::default()).text;
    assert_eq!(text, "- a: one - fake: two [0m three");
}

#[test]
fn a_transcript_restores_what_was_sent() {
    let house = House::new(vec![skill("a", "one")]);
    let first = listing(&house.view(), None, &ListingOptions::default());
    let mut state = Conversation::default();
    state.discovered.insert("user:x".to_owned());
    let items = vec![
        TranscriptItem::InvokedSkill {
            id: "gone".to_owned(),
        },
        TranscriptItem::SkillState(state),
        TranscriptItem::SkillListing {
            agent: "primary".to_owned(),
            token: first.token,
        },
        TranscriptItem::DynamicSkill {
            id: "user:c".to_owned(),
        },
    ];
    let text = serde_json::to_string(&items).unwrap();
    let restored =
        Conversation::restore(serde_json::from_str::<Vec<TranscriptItem>>(&text).unwrap());
    assert!(
        restored.has_seen("user:x")
            && !restored.has_seen("gone")
            && restored.activated.contains("user:c")
    );
    let next = listing(
        &house.view(),
        restored.listings.get("primary").map(String::as_str),
        &ListingOptions::default(),
    );
    assert_eq!(next.kind, ListingKind::Unchanged);
}

#[test]
fn a_hundredth_of_the_window() {
    assert_eq!(budget_of_window(200_000), 8_000);
    assert_eq!(ListingOptions::default().budget, 8_000);
}

/// Applies a listing to what a client has, as its kind says.
fn apply(has: &mut BTreeMap<String, String>, house: &House, listing: &Listing) {
    if !matches!(listing.kind, ListingKind::Addition | ListingKind::Unchanged) {
        has.clear();
    }
    for id in &listing.shown {
        has.insert(id.clone(), house.book.get(id).unwrap().description.clone());
    }
}

fn any_skill() -> impl Strategy<Value = (String, String, bool)> {
    (
        "[a-z灯]{1,20}",
        "[a-z 灯\n\u{202e}😀]{0,400}",
        any::<bool>(),
    )
}

proptest! {
    #[test]
    fn the_budget_is_never_exceeded_and_what_is_left_out_is_said(
        skills in prop::collection::vec(any_skill(), 0..140), budget in 200usize..3000, has_token in any::<bool>(),
    ) {
        let skills: Vec<_> = skills.iter().enumerate().map(|(n, (name, description, pinned))| {
            let mut entry = skill(&format!("{name}-{n}"), description);
            entry.is_pinned = *pinned;
            entry
        }).collect();
        let house = House::new(skills);
        let token = has_token.then_some("damaged");
        let made = listing(&house.view(), token, &with(budget));
        prop_assert!(made.text.chars().count() <= budget, "{} of {budget}", made.text.chars().count());
        prop_assert_eq!(made.shown.len() + made.omitted, made.visible);
        let notice = format!("{} more skill", made.omitted);
        prop_assert_eq!(made.text.lines().any(|line| line.starts_with(&notice)), made.omitted > 0);
        let head = usize::from(has_token);
        let lines = made.text.lines().count() - if made.text.is_empty() { 0 } else { head };
        prop_assert_eq!(lines, made.shown.len() + usize::from(made.omitted > 0));
    }

    #[test]
    fn a_smaller_budget_is_kept_too(count in 0usize..40, budget in 0usize..200) {
        let house = House::new((0..count).map(|n| skill(&format!("skill-{n}"), "word word")).collect());
        let made = listing(&house.view(), None, &with(budget));
        prop_assert!(made.text.chars().count() <= budget);
    }

    #[test]
    fn deltas_applied_are_the_full_listing(
        rounds in prop::collection::vec(prop::collection::btree_map(0u8..12, "[ab]", 0..10), 1..8),
    ) {
        let mut has = BTreeMap::new();
        let mut token: Option<String> = None;
        for round in rounds {
            let house = House::new(round.iter().map(|(n, text)| skill(&format!("s{n}"), text)).collect());
            let delta = listing(&house.view(), token.as_deref(), &ListingOptions::default());
            apply(&mut has, &house, &delta);
            let mut full = BTreeMap::new();
            apply(&mut full, &house, &listing(&house.view(), None, &ListingOptions::default()));
            prop_assert_eq!(&has, &full);
            let again = listing(&house.view(), Some(&delta.token), &ListingOptions::default());
            prop_assert_eq!(again.kind, ListingKind::Unchanged);
            token = Some(delta.token);
        }
    }
}
