//! The five core tools as clients see them.

use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

#[tokio::test]
async fn all_own_tools_are_listed_with_schemas() {
    let bench = Bench::with_a_group();
    bench.catalog.load_skill("set").await.unwrap();
    let snapshot = bench.catalog.snapshot();
    let own: Vec<_> = snapshot.tools()[..7].iter().map(|tool| &**tool).collect();
    for tool in &own {
        assert!(
            tool.output_schema.is_some(),
            "{} has no output schema",
            tool.name
        );
        assert!(
            tool.annotations.contains_key("readOnlyHint"),
            "{}",
            tool.name
        );
    }
    let inputs: Value = own
        .iter()
        .map(|tool| (tool.name.clone(), json!(tool.input_schema)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    insta::assert_json_snapshot!(inputs);
}

#[tokio::test]
async fn lists_go_page_by_page() {
    let bench = Bench::new();
    for n in 0..5 {
        bench.skill(&format!("skill-{n}"), &[]);
    }
    bench.discover();
    let mut names = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut arguments = json!({"limit": 2});
        if !cursor.is_null() {
            arguments["cursor"] = cursor.clone();
        }
        let page = bench.structured("list_skills", arguments).await;
        assert_eq!(page["total"], 5);
        names.extend(
            page["skills"]
                .as_array()
                .unwrap()
                .iter()
                .map(|skill| skill["name"].as_str().unwrap().to_owned()),
        );
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(
        names,
        ["skill-0", "skill-1", "skill-2", "skill-3", "skill-4"]
    );
    let bad = bench.output("list_skills", json!({"cursor": "x"})).await;
    assert!(
        bad.is_error && bad.joined_text().contains("cursor"),
        "{bad:?}"
    );
    let filtered = bench
        .structured("list_skills", json!({"status": "loaded"}))
        .await;
    assert_eq!(filtered["total"], 0);
    let wrong = bench
        .output("list_skills", json!({"status": "laoded"}))
        .await;
    assert!(
        wrong.is_error && wrong.joined_text().contains("status"),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn what_was_passed_over_is_told_with_a_bound() {
    let bench = Bench::new();
    bench.skill("good", &[]);
    for n in 0..60 {
        bench.file(&format!("bare-{n:02}/scripts/run.py"), "");
        bench.file(&format!("broken-{n:02}/SKILL.md"), "");
    }
    let nowhere = bench.path().join("nowhere");
    bench
        .catalog
        .discover(&[bench.path().to_owned(), nowhere], None);
    let page = bench.structured("list_skills", json!({})).await;
    let findings = page["findings"].as_array().unwrap();
    assert_eq!(
        (findings.len(), &page["more_findings"]),
        (50, &json!(11)),
        "{page}"
    );
    let bare = findings
        .iter()
        .find(|found| found["where"] == "bare-00:1:1")
        .unwrap();
    let text = bare["message"].as_str().unwrap();
    assert!(text.contains("no SKILL.md"), "{text}");
    assert_eq!(page["rejected"].as_array().unwrap().len(), 50);
    assert_eq!(page["more_rejected"], 10);
    let path = bench.path().to_str().unwrap();
    assert!(!page.to_string().contains(path), "{page}");
    let later = bench
        .structured("list_skills", json!({"cursor": "1"}))
        .await;
    assert_eq!(later["findings"], Value::Null);
    let counts = bench.catalog.snapshot().count_by_status();
    let counts: Vec<_> = counts
        .iter()
        .map(|(status, count)| format!("{status} {count}"))
        .collect();
    assert_eq!(counts, ["unloaded 1", "skipped 60"]);
}

#[tokio::test]
async fn copies_that_are_not_used_are_counted_on_the_first_page() {
    let bench = Bench::new();
    for place in ["a/rig", "b/rig", "c/rig", "b/bake"] {
        let folder = bench.path().join(place);
        std::fs::create_dir_all(&folder).unwrap();
        let name = place.split('/').next_back().unwrap();
        let text = format!("---\nname: {name}\ndescription: Does it.\n---\nText.\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    bench.discover();
    for (asked, count, total) in [
        (json!({}), json!(2), 2),
        (json!({"status": "unloaded"}), json!(2), 2),
        (json!({"status": "shadowed"}), Value::Null, 2),
        (json!({"cursor": "1"}), Value::Null, 2),
    ] {
        let page = bench.structured("list_skills", asked.clone()).await;
        assert_eq!(
            (&page["shadowed"], &page["total"]),
            (&count, &json!(total)),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn the_answers_of_a_small_catalog() {
    let bench = Bench::new();
    bench.skill_with_tools("set", "tools: [{name: one, description: Does one thing., source_file: scripts/run.py, read_only: yes}]\n", ECHO);
    bench.discover();
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "set"}))
        .await;
    insta::assert_json_snapshot!("get_skill_info", info);
    let loaded = bench
        .structured("load_skill", json!({"skill_name": "set"}))
        .await;
    insta::assert_json_snapshot!("load_skill", loaded);
    let listed = bench.structured("list_skills", json!({})).await;
    insta::assert_json_snapshot!("list_skills", listed);
    let unknown = bench
        .output("get_skill_info", json!({"skill_name": "sett"}))
        .await;
    assert!(
        unknown.is_error && unknown.joined_text().contains("`set`"),
        "{unknown:?}"
    );
}
