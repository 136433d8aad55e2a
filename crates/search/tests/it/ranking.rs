//! What comes first, and why.

use metier_search::{Filter, Query, SkillDocument, SkillIndex, ToolDocument};

use crate::fixture::{ask, index, names, queries, skill, studio};

#[test]
fn every_labelled_query_has_its_skill_first() {
    let index = index(studio());
    let mut wrong = Vec::new();
    for (query, first) in queries() {
        let answer = ask(&index, &query);
        if names(&answer).first() != Some(&first.as_str()) {
            wrong.push(format!("{query:?} wants {first}: {:?}", names(&answer)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chinese_queries_do_not_all_give_the_same_list() {
    let index = index(studio());
    assert_ne!(names(&ask(&index, "材质")), names(&ask(&index, "导出")));
    assert!(names(&ask(&index, "会议")).is_empty());
}

#[test]
fn an_exact_name_goes_before_an_exact_tool_and_a_penalty_does_not_move_it() {
    let mut with_tool = skill("other", "sphere sphere sphere");
    with_tool.tools = vec![ToolDocument {
        name: "ball".into(),
        ..ToolDocument::default()
    }];
    let mut named = skill("Ball", "");
    named.layer = Some("example".into());
    let index = index(vec![with_tool, named, skill("zz", "ball ball ball")]);
    let worst = |id: &str| if id == "Ball" { -5.0 } else { f64::INFINITY };
    let answer = index
        .search(&Query::new(" ball", 10).with_quality(&worst))
        .unwrap();
    assert_eq!(names(&answer), ["Ball", "other", "zz"]);
    assert!(
        answer
            .hits
            .windows(2)
            .all(|pair| pair[0].score >= pair[1].score)
    );
    assert!((answer.hits[0].confidence - 1.0).abs() < f64::EPSILON);
}

#[test]
fn a_name_of_stop_words_can_be_called() {
    let index = index(vec![skill("how-to", "Recipes."), skill("history", "Past.")]);
    assert_eq!(names(&ask(&index, "how to")), ["how-to"]);
}

#[test]
fn low_layers_rank_below_on_an_equal_match() {
    let mut documents = vec![
        skill("a", "export usd"),
        skill("b", "export usd"),
        skill("c", "export usd"),
    ];
    documents[0].layer = Some("Infrastructure".into());
    documents[1].layer = Some("example".into());
    documents[2].layer = Some("domain".into());
    assert_eq!(
        names(&ask(&index(documents), "usd export")),
        ["c", "a", "b"]
    );
}

#[test]
fn quality_breaks_ties_within_its_bounds() {
    let index = index(vec![
        skill("a", "export usd"),
        skill("b", "export usd"),
        skill("c", "usd"),
    ]);
    let quality = |id: &str| match id {
        "b" => 1.05,
        "c" => 1000.0,
        _ => f64::NAN,
    };
    let answer = index
        .search(&Query::new("export usd", 10).with_quality(&quality))
        .unwrap();
    assert_eq!(names(&answer), ["b", "a", "c"]);
    assert!(answer.hits.iter().all(|hit| hit.score.is_finite()));
}

#[test]
fn quality_reaches_whoever_it_can_lift_into_the_list() {
    // Many equal scores fill the list before the favourite, the last by name, is looked at.
    let documents = (0..90).map(|number| skill(&format!("skill-{number:02}"), "export usd"));
    let index = index(documents.collect());
    let favourite = |id: &str| if id == "skill-89" { 1.02 } else { 1.0 };
    let answer = index
        .search(&Query::new("usd", 2).with_quality(&favourite))
        .unwrap();
    assert_eq!(names(&answer), ["skill-89", "skill-00"]);
}

#[test]
fn a_guess_never_outranks_the_word() {
    let index = index(vec![
        skill("near", "bevels lots of levels, levels, levels"),
        skill(
            "exact",
            "some other things and long talk of a bevel among all that is said here",
        ),
        skill("off", "revel revel revel"),
    ]);
    let answer = ask(&index, "bevel");
    assert_eq!(names(&answer), ["near", "exact"]);
    assert!(names(&ask(&index, "bevle")).contains(&"exact"));
}

#[test]
fn inner_letters_match_nothing() {
    let index = index(studio());
    assert!(ask(&index, "to so").hits.is_empty());
    assert!(!names(&ask(&index, "art")).contains(&"start-page"));
}

#[test]
fn hits_say_what_matched_where() {
    let answer = ask(&index(studio()), "bevle the meshes");
    let hit = &answer.hits[0];
    let matched: Vec<String> = hit
        .matched
        .iter()
        .map(|matched| format!("{}: {}", matched.field, matched.term))
        .collect();
    assert_eq!(hit.name, "poly-kit");
    assert_eq!(matched, ["description: meshes", "hints: bevel"]);
    assert_eq!((hit.arms[0].arm, hit.arms[0].rank), ("lexical", 1));
    assert!(hit.confidence > 0.8 && hit.confidence < 1.0);
}

#[test]
fn confidence_tells_a_part_from_the_whole() {
    let index = index(studio());
    let all = ask(&index, "polygon meshes").hits[0].confidence;
    let half = ask(&index, "polygon qqqunheardof").hits[0].confidence;
    assert!((all - 1.0).abs() < 1e-6, "{all}");
    assert!(half < 0.5, "{half}");
}

#[test]
fn filters_apply_before_the_cut() {
    let index = index(studio());
    let ask = |filter: Filter<'_>, text: &str| {
        let answer = index
            .search(&Query::new(text, 1).with_filter(filter))
            .unwrap();
        (
            answer.hits.first().map(|hit| hit.name.clone()),
            answer.total,
        )
    };
    let one = |name: &str, total| (Some(name.to_owned()), total);
    assert_eq!(ask(Filter::default().and_dcc("MAYA"), "notes"), (None, 0));
    assert_eq!(
        ask(Filter::default().and_dcc("Python"), "farm-queue"),
        one("padded", 1)
    );
    assert_eq!(
        ask(Filter::default().and_tags(["modelling", "CREATE"]), ""),
        one("poly-kit", 1)
    );
    assert_eq!(
        ask(Filter::default().and_tags(["create"]), ""),
        one("history-sweep", 2)
    );
    assert_eq!(
        ask(Filter::default().and_status("loaded"), "polygon"),
        one("farm-queue", 1)
    );
    assert_eq!(
        ask(Filter::default().and_source("bundled"), ""),
        one("history-sweep", 3)
    );
    let no_farm = |id: &str| !id.contains("farm");
    assert_eq!(
        ask(Filter::with_predicate(&no_farm), "farm-queue"),
        one("padded", 1)
    );
}

#[test]
fn the_body_is_found_up_to_its_limit() {
    let mut long = skill("long", "");
    long.body = format!("aardvark {} zebra", "x ".repeat(4_000));
    let index = index(vec![long, SkillDocument::default()]);
    assert_eq!(names(&ask(&index, "aardvark")), ["long"]);
    assert!(ask(&index, "zebra").hits.is_empty());
}
