//! Names that meet, and names that clients would refuse.

use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

#[tokio::test]
async fn mapped_names_are_shown_and_callable() {
    let bench = Bench::new();
    let tools = "tools:\n  - {name: create/sphere, source_file: scripts/run.py}\n  - {name: a.b, source_file: scripts/run.py}\n  - {name: fine_one, source_file: scripts/run.py}\n";
    bench.skill_with_tools("charset", tools, ECHO);
    bench.discover();
    let loaded = bench
        .structured("load_skill", json!({"skill_name": "charset"}))
        .await;
    assert_eq!(
        bench.beyond_core(),
        [
            "charset__create_sphere_9b0ecaaf",
            "charset__a_b_b9da75e3",
            "charset__fine_one"
        ]
    );
    assert_eq!(
        loaded["tools"][0]["_meta"]["dcc"]["name"],
        "charset__create/sphere"
    );
    assert_eq!(loaded["diagnostics"][0]["code"], "MT224");
    for name in [
        "charset__create/sphere",
        "charset__create_sphere_9b0ecaaf",
        "create/sphere",
    ] {
        assert!(!bench.output(name, json!({})).await.is_error, "{name}");
    }
}

#[tokio::test]
async fn the_servers_own_names_are_safe() {
    let bench = Bench::new();
    let tools = "tools:\n  - {name: load_skill, source_file: scripts/run.py}\n  - {name: __skill__shadow, source_file: scripts/run.py}\n";
    bench.skill_with_tools("shadow", tools, ECHO);
    bench.discover();
    let loaded = bench
        .structured("load_skill", json!({"skill_name": "shadow"}))
        .await;
    assert_eq!(bench.beyond_core(), ["shadow__load_skill"]);
    let codes: Vec<_> = loaded["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["code"])
        .collect();
    assert_eq!(codes, ["MT223"]);
    let core = bench
        .structured("load_skill", json!({"skill_name": "shadow"}))
        .await;
    assert_eq!(core["already_loaded"], json!(["shadow"]));
}

#[tokio::test]
async fn the_later_of_two_meeting_names_is_refused_visibly() {
    let bench = Bench::new();
    for name in ["x-y", "x_y"] {
        bench.skill_with_tools(
            name,
            "tools:\n  - {name: go, source_file: scripts/run.py}\n",
            ECHO,
        );
    }
    bench.discover();
    bench.catalog.load_skill("x-y").await.unwrap();
    let second = bench
        .structured("load_skill", json!({"skill_name": "x_y"}))
        .await;
    assert_eq!(second["tool_count"], 0);
    let codes: Vec<_> = second["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| &finding["code"])
        .collect();
    assert!(codes.contains(&&json!("MT504")), "{codes:?}");
    assert_eq!(bench.catalog.unload_skill("x_y"), Ok(0));
    assert_eq!(bench.beyond_core(), ["x_y__go", "__skill__x_y"]);
}

#[tokio::test]
async fn a_bad_schema_costs_its_tool_the_calls() {
    let bench = Bench::new();
    let tools = "tools:\n  - {name: good, source_file: scripts/run.py, input_schema: {type: object, properties: {a: {type: string}}}}\n  - {name: broken, source_file: scripts/run.py, input_schema: {type: object, required: a}}\n  - {name: text, source_file: scripts/run.py, input_schema: {type: string}}\n";
    bench.skill_with_tools("schemas", tools, ECHO);
    bench.discover();
    bench.catalog.load_skill("schemas").await.unwrap();
    let snapshot = bench.catalog.snapshot();
    for tool in &snapshot.tools()[5..] {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
    }
    assert!(!bench.output("schemas__good", json!({})).await.is_error);
    for name in ["schemas__broken", "schemas__text"] {
        let refused = bench.output(name, json!({})).await;
        assert!(
            refused.is_error && refused.joined_text().contains("refuses calls"),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn skills_whose_tools_meet_are_told_before_any_is_loaded() {
    let bench = Bench::new();
    let named = |name: &str| format!("tools:\n  - {{name: {name}, source_file: scripts/run.py}}\n");
    bench.skill_with_tools("aa", &named("bb__t"), ECHO);
    bench.skill_with_tools("bb", &named("t"), ECHO);
    bench.discover();
    let told = |listed: &serde_json::Value| {
        let skills = listed["skills"].as_array().unwrap().iter();
        let findings = skills.map(|skill| {
            let findings = skill["diagnostics"].as_array().into_iter().flatten();
            let findings = findings.filter(|finding| finding["code"] == "MT504");
            findings.map(|finding| finding["where"].clone()).collect()
        });
        findings.collect::<Vec<Vec<_>>>()
    };
    let listed = bench.structured("list_skills", json!({})).await;
    assert_eq!(told(&listed), [vec![], vec![json!("bb/tools.yaml:2:12")]]);
    bench.skill_with_tools("aa", &named("other"), ECHO);
    bench.discover();
    let listed = bench.structured("list_skills", json!({})).await;
    assert_eq!(
        told(&listed),
        [vec![], vec![]] as [Vec<serde_json::Value>; 2]
    );
}

#[tokio::test]
async fn a_dependency_that_cannot_be_loaded_is_told_at_whoever_needs_it() {
    let bench = Bench::new();
    bench.skill_with_tools("broken", "- no mapping\n", ECHO);
    let depends = |on: &str| format!("  dcc-mcp: {{depends: [{on}]}}\n");
    bench.file(
        "needs/SKILL.md",
        &format!(
            "---\nname: needs\ndescription: Needs it.\nmetadata:\n{}---\n",
            depends("broken")
        ),
    );
    bench.file(
        "further/SKILL.md",
        &format!(
            "---\nname: further\ndescription: Needs that.\nmetadata:\n{}---\n",
            depends("needs")
        ),
    );
    bench.discover();
    for skill in ["needs", "further"] {
        let info = bench
            .structured("get_skill_info", json!({"skill_name": skill}))
            .await;
        let finding = &info["skill"]["diagnostics"][0];
        assert_eq!(finding["code"], "MT501", "{info}");
        assert_eq!(
            finding["message"],
            "`needs` depends on `broken`, which cannot be loaded"
        );
    }
    bench.skill_with_tools(
        "broken",
        "tools:\n  - {name: a, source_file: scripts/run.py}\n",
        ECHO,
    );
    bench.discover();
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "further"}))
        .await;
    assert_eq!(info["skill"].get("diagnostics"), None, "{info}");
}

#[tokio::test]
async fn a_skill_of_many_tools_makes_no_answer_of_megabytes() {
    let bench = Bench::new();
    let tools: Vec<String> = (0..5000).map(|number| format!("  - t{number}")).collect();
    bench.skill_with_tools("many", &format!("tools:\n{}\n", tools.join("\n")), ECHO);
    let word = "w".repeat(70_000);
    bench.file(
        "long/SKILL.md",
        &format!("---\nname: long\ndescription: Long words.\nmetadata:\n  dcc-mcp: {{dcc: {word}, version: {word}, tags: [{word}]}}\n---\n"),
    );
    bench.discover();
    let info = bench
        .structured("get_skill_info", json!({"skill_name": "many"}))
        .await;
    assert_eq!(info["skill"]["tool_count"], 5000);
    assert_eq!(
        info["skill"]["metadata"]["tools"].as_array().unwrap().len(),
        200
    );
    assert_eq!(info["more_tools"], 4800);
    for tool in ["list_skills", "search_skills"] {
        let answer = bench
            .structured(tool, json!({"query": "long words many"}))
            .await;
        let length = answer.to_string().len();
        assert!(length < 40_000, "{tool}: {length} bytes");
    }
}
