//! What is found, and how it stands.

use metier_skill_model::SkillStatus;
use serde_json::json;

use crate::bench_folder::Bench;

#[tokio::test]
async fn nothing_is_loaded_and_every_skill_has_a_stub() {
    let bench = Bench::new();
    bench.skill("alpha", &[]);
    bench.skill_with_tools("beta", "tools:\n  - name: go\n  - name: stop\n", "");
    bench.discover();
    assert_eq!(bench.catalog.len(), 2);
    assert_eq!(bench.catalog.loaded_count(), 0);
    let snapshot = bench.catalog.snapshot();
    insta::assert_json_snapshot!(
        snapshot.tools()[6..]
            .iter()
            .map(|tool| &**tool)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        bench.listed()[..5],
        [
            "list_skills",
            "get_skill_info",
            "load_skill",
            "unload_skill",
            "search_skills"
        ]
    );
}

#[tokio::test]
async fn a_large_circle_costs_no_more_than_its_members() {
    let bench = Bench::new();
    for number in 0..300 {
        let depends = format!("depends: [c{:03}]", (number + 1) % 300);
        bench.skill(&format!("c{number:03}"), &[&depends]);
    }
    bench.discover();
    let skills = bench.catalog.list_skills(None);
    assert_eq!(skills.len(), 300);
    for skill in skills {
        let [finding] = &skill.diagnostics[..] else {
            panic!("{skill:?}");
        };
        assert_eq!(finding.labels.len(), 16);
        assert!(
            finding.message.contains("277 more") && finding.message.len() < 1_000,
            "{}",
            finding.message
        );
    }
}

#[tokio::test]
async fn a_circle_costs_its_members_alone() {
    let bench = Bench::new();
    bench.skill("a", &["depends: [b]"]);
    bench.skill("b", &["depends: [c]"]);
    bench.skill("c", &["depends: [a]"]);
    bench.skill("d", &["depends: [a]"]);
    bench.skill("e", &[]);
    bench.discover();
    let status: Vec<_> = bench
        .catalog
        .list_skills(None)
        .into_iter()
        .map(|skill| (skill.name, skill.status))
        .collect();
    let error = SkillStatus::Error;
    let expected = [
        ("a", error),
        ("b", error),
        ("c", error),
        ("d", SkillStatus::Unloaded),
        ("e", SkillStatus::Unloaded),
    ];
    assert_eq!(
        status,
        expected.map(|(name, status)| (name.to_owned(), status))
    );
    let told = &bench
        .catalog
        .get_skill_info("d")
        .unwrap()
        .summary
        .diagnostics;
    assert!(
        told.len() == 1 && told[0].message.contains("a → b → c → a"),
        "{told:?}"
    );
    for name in ["a", "d"] {
        let refused = bench
            .catalog
            .load_skill(name)
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains("a → b → c → a"), "{refused}");
    }
    bench.catalog.load_skill("e").await.unwrap();
}

#[tokio::test]
async fn a_missing_dependency_waits_and_heals() {
    let bench = Bench::new();
    bench.skill("rig", &["depends: [base, util]"]);
    bench.skill("util", &[]);
    bench.discover();
    let rig = bench.catalog.get_skill_info("rig").unwrap();
    assert_eq!(rig.summary.status, SkillStatus::PendingDeps);
    assert_eq!(rig.summary.missing_dependencies, ["base"]);
    let refused = bench
        .catalog
        .load_skill("rig")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`rig`") && refused.contains("base"),
        "{refused}"
    );
    assert_eq!(bench.catalog.loaded_count(), 0);

    bench.skill("base", &[]);
    bench.catalog.rediscover();
    bench.catalog.load_skill("rig").await.unwrap();
    assert_eq!(bench.catalog.loaded_count(), 3);
}

#[tokio::test]
async fn a_rejected_skill_says_why_wherever_somebody_looks() {
    let bench = Bench::new();
    bench.file("broken/SKILL.md", "---\nname: broken\ntags: [a\n---\n");
    bench.skill("good", &[]);
    bench.discover();
    assert_eq!(bench.catalog.len(), 1);
    let listed = bench.structured("list_skills", json!({})).await;
    assert_eq!(listed["rejected"][0]["name"], "broken");
    assert!(
        listed["rejected"][0]["reasons"][0]["where"]
            .as_str()
            .unwrap()
            .starts_with("broken/SKILL.md:")
    );
    let found = bench
        .structured("search_skills", json!({"query": "broken"}))
        .await;
    assert_eq!(found["rejected"][0]["name"], "broken");
    let refused = bench
        .output("load_skill", json!({"skill_name": "broken"}))
        .await;
    assert!(
        refused.is_error && refused.joined_text().contains("broken/SKILL.md"),
        "{refused:?}"
    );
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "broken"}))
        .await;
    assert_eq!(info["skill"]["status"], "skipped");
}

#[tokio::test]
async fn no_answer_holds_an_absolute_path() {
    let bench = Bench::new();
    bench.skill_with_tools(
        "tool-box",
        "tools:\n  - name: go\n    source_file: scripts/gone.py\n",
        "",
    );
    bench.file("broken/SKILL.md", "nothing\n");
    bench.discover();
    let mut texts = vec![
        bench.output("list_skills", json!({})).await.joined_text(),
        bench
            .output("get_skill_info", json!({"skill_name": "tool-box"}))
            .await
            .joined_text(),
        bench
            .output("search_skills", json!({"query": "tool"}))
            .await
            .joined_text(),
        bench
            .output("load_skill", json!({"skill_name": "tool-box"}))
            .await
            .joined_text(),
    ];
    texts.push(bench.output("tool_box__go", json!({})).await.joined_text());
    let folder = bench.path().to_str().unwrap();
    for text in texts {
        assert!(!text.contains(folder), "{text}");
    }
}

#[tokio::test]
async fn an_application_can_be_served_alone() {
    let bench = Bench::with(|settings| settings.only_dcc = Some("maya".to_owned()));
    bench.skill("for-maya", &["dcc: maya"]);
    bench.skill("for-houdini", &["dcc: houdini"]);
    bench.skill("for-all", &[]);
    bench.discover();
    let names: Vec<_> = bench
        .catalog
        .list_skills(None)
        .into_iter()
        .map(|skill| skill.name)
        .collect();
    assert_eq!(names, ["for-all", "for-maya"]);
}

#[tokio::test]
async fn letter_case_does_not_count_in_an_application() {
    // As in searches, in lists and in the names of variables.
    let bench = Bench::with(|settings| settings.only_dcc = Some("Maya".to_owned()));
    bench.skill("one", &["dcc: maya"]);
    bench.skill("two", &["dcc: MAYA"]);
    bench.skill("three", &["dcc: Python"]);
    bench.skill("four", &["dcc: houdini"]);
    bench.discover();
    let skills = bench.catalog.list_skills(None);
    let names: Vec<_> = skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["one", "three", "two"]);
}

#[tokio::test]
async fn what_another_application_s_skill_lacks_is_told_with_its_true_reason() {
    let bench = Bench::with(|settings| settings.only_dcc = Some("maya".to_owned()));
    bench.skill("base", &["dcc: houdini"]);
    bench.skill("rig", &["dcc: maya", "depends: [base, nowhere]"]);
    bench.skill("far", &["dcc: maya", "depends: [rig]"]);
    bench.discover();
    let of = |name: &str| {
        let info = bench.catalog.get_skill_info(name).unwrap();
        assert_eq!(info.summary.status, SkillStatus::PendingDeps);
        assert_eq!(info.summary.missing_dependencies, ["base", "nowhere"]);
        let found = info.summary.diagnostics.iter().map(ToString::to_string);
        found.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(of("rig"));
    assert_eq!(of("rig"), of("far"));
    let load = async |name: &str| {
        let refused = bench.catalog.load_skill(name).await;
        refused.unwrap_err().to_string()
    };
    insta::assert_snapshot!(format!(
        "{}\n{}\n{}",
        load("rig").await,
        load("far").await,
        load("base").await
    ));
    for tool in ["get_skill_info", "skill", "read_skill_file"] {
        let told = bench.structured(tool, json!({"skill_name": "base"})).await;
        assert_eq!(told["code"], "other_application", "{tool}: {told}");
        let said = told["error"].as_str().unwrap();
        assert!(said.contains("is for `houdini`"), "{tool}: {said}");
    }
}

#[tokio::test]
async fn what_needs_a_rejected_skill_is_refused_with_its_true_reason() {
    let bench = Bench::new();
    bench.file("bad/SKILL.md", "no front matter\n");
    bench.skill("rig", &["depends: [bad]"]);
    bench.discover();
    let refused = bench.catalog.load_skill("rig").await.unwrap_err();
    assert!(
        refused.to_string().contains("'bad', which is rejected"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_disabled_skill_is_as_if_it_were_not_there_and_told_to_be_disabled() {
    let bench = Bench::with(|settings| {
        settings.disabled = ["old", "nowhere"].map(str::to_owned).into();
    });
    bench.skill("old", &[]);
    bench.skill("needs-old", &["depends: [old]"]);
    bench.skill("new", &[]);
    bench.discover();
    let snapshot = bench.catalog.snapshot();
    let disabled: Vec<&str> = snapshot.disabled_skills().into_iter().collect();
    assert_eq!(disabled, ["old"]);
    let names: Vec<String> = bench
        .catalog
        .list_skills(None)
        .into_iter()
        .map(|skill| skill.name)
        .collect();
    assert_eq!(names, ["needs-old", "new"]);
    let refused = bench.catalog.load_skill("old").await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the skill `old` is disabled; whoever runs the server can enable it"
    );
    // Whoever needs it lacks it.
    let refused = bench.catalog.load_skill("needs-old").await.unwrap_err();
    assert!(
        refused.to_string().contains("'old', which is disabled"),
        "{refused}"
    );
    let info = bench.catalog.get_skill_info("needs-old").unwrap();
    let told = info.summary.diagnostics.iter().map(ToString::to_string);
    assert!(
        told.into_iter()
            .any(|told| told.contains("`old`, which is disabled")),
        "{:?}",
        info.summary.diagnostics
    );
    let refused = bench.catalog.load_skill("nowhere").await.unwrap_err();
    assert!(
        refused.to_string().contains("there is no skill"),
        "{refused}"
    );
}
