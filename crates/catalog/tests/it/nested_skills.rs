//! A SKILL.md inside a skill is told of with the outer one, whether its files are served or not.

use std::fs;

use serde_json::{Value, json};

use crate::bench_folder::Bench;
use crate::log_lines::Captured;
use crate::not_served::bench;

#[tokio::test]
async fn a_skill_inside_a_skill_is_told_of_with_it() {
    let log = Captured::start();
    let bench = Bench::new();
    bench.skill("outer", &[]);
    bench.file(
        "outer/inner/SKILL.md",
        "---\nname: inner\ndescription: x\n---\n",
    );
    bench.file("outer/.git/SKILL.md", "");
    bench.skill("twice", &[]);
    bench.file("twice/in/SKILL.md", "");
    bench.file("twice/in/deep/SKILL.md", "");
    bench.discover();
    let states = bench.catalog.text_states(&["twice"]);
    let mut found = Vec::new();
    states[0].as_ref().unwrap().add_findings(&mut found);
    assert_eq!(
        found[0].message,
        "inside `twice` a SKILL.md is a supporting file, no skill of its own (also `in/deep/SKILL.md`)"
    );
    let _ = log.taken();
    let states = bench.catalog.text_states(&["outer"]);
    let mut found = Vec::new();
    states[0].as_ref().unwrap().add_findings(&mut found);
    assert_eq!(found.len(), 1);
    let text = found[0].to_string();
    assert!(text.contains("MT601"), "{text}");
    let told: Vec<String> = log.taken();
    let told: Vec<_> = told.iter().filter(|line| line.contains("MT601")).collect();
    assert_eq!(
        told,
        [
            "INFO MT601: `outer/inner/SKILL.md` of the skill `outer`: inside `outer` a SKILL.md is a supporting file, no skill of its own"
        ]
    );
    let row = bench.structured("list_skills", json!({})).await["skills"][0].clone();
    let said = &row["diagnostics"][0];
    assert_eq!(
        (&said["code"], &said["where"]),
        (&json!("MT601"), &json!("outer/inner/SKILL.md:1:1"))
    );
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "outer"}))
        .await;
    assert_eq!(info["skill"]["diagnostics"][0]["code"], "MT601", "{info}");
    assert_eq!(log.taken(), [""; 0]);
}

/// Also where no file of the outer one is served.
#[tokio::test]
async fn a_skill_inside_a_skill_that_is_not_served_is_told_of_with_it() {
    let log = Captured::start();
    let bench = bench();
    let other = tempfile::tempdir().unwrap();
    let inner = "---\nname: inner\ndescription: x\n---\n";
    for name in ["many", "large", "Odd_Name"] {
        bench.file(&format!("{name}/inner/SKILL.md"), inner);
    }
    // Of two shadowed copies below one label the second has no URI.
    for folder in ["good", "deep/good"] {
        let folder = other.path().join(folder);
        fs::create_dir_all(folder.join("inner")).unwrap();
        fs::write(
            folder.join("SKILL.md"),
            "---\nname: good\ndescription: x\n---\n",
        )
        .unwrap();
        fs::write(folder.join("inner/skill.md"), inner).unwrap();
    }
    let roots = [bench.path(), other.path()].map(std::path::Path::to_owned);
    bench.catalog.discover(&roots, None);
    // The log of this thread.
    let look = || {
        bench.catalog.text_states(&[
            "many",
            "large",
            "Odd_Name",
            "explicit-2:good",
            "explicit-2:deep/good",
        ])
    };
    let _ = look();
    let where_told = |row: &Value| {
        let told = row["diagnostics"].as_array().unwrap().iter();
        let nested = told.filter(|finding| finding["code"] == "MT601");
        nested
            .map(|finding| finding["where"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for status in ["all", "shadowed"] {
        let rows = bench
            .structured("list_skills", json!({"status": status}))
            .await["skills"]
            .clone();
        for row in rows.as_array().unwrap() {
            let name = row["id"].as_str().or(row["name"].as_str()).unwrap();
            let place = match name {
                "good" => continue,
                "explicit-2:good" => "good/inner/skill.md:1:1".to_owned(),
                "explicit-2:deep/good" => "deep/good/inner/skill.md:1:1".to_owned(),
                name => format!("{name}/inner/SKILL.md:1:1"),
            };
            assert_eq!(where_told(row), [place], "{row}");
            let info = bench
                .structured("get_skill_info", json!({"skill_name": name}))
                .await;
            let told = info["skill"]["diagnostics"].as_array().unwrap().iter();
            let nested = told.filter(|finding| finding["code"] == "MT601");
            assert_eq!(nested.count(), 1, "{info}");
        }
        assert_eq!(
            rows.as_array().unwrap().len(),
            if status == "all" { 4 } else { 2 }
        );
    }
    let mut logged = log.taken();
    logged.retain(|line| line.contains("MT601"));
    logged.sort();
    let said = |place: &str, key: &str, name: &str| {
        format!(
            "INFO MT601: `{place}` of the skill `{key}`: inside `{name}` a SKILL.md is a supporting file, no skill of its own"
        )
    };
    assert_eq!(
        logged,
        [
            said("Odd_Name/inner/SKILL.md", "Odd_Name", "Odd_Name"),
            said("deep/good/inner/skill.md", "explicit-2/good", "good"),
            said("good/inner/skill.md", "explicit-2:good", "good"),
            said("large/inner/SKILL.md", "large", "large"),
            said("many/inner/SKILL.md", "many", "many"),
        ]
    );
    // Once, also where the catalog is another one by now.
    bench.skill("new", &[]);
    bench.catalog.rediscover();
    let _ = look();
    assert_eq!(log.taken(), [""; 0]);
}
