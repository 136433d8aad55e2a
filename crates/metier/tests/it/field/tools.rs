//! Entries of tools.yaml, the names clients see, and scripts.

use serde_json::json;

use super::bench::Case;

#[tokio::test]
async fn case_051_one_bad_tool_entry() {
    let case = Case::spec(51).await;
    let told: &[&str] = &["did you mean `description`?", "tools[1]", "tools[2]"];
    case.fares("mixed", ("unloaded", told), ("skipped", told));
    let names = case.lenient.load("mixed").await.unwrap();
    assert_eq!(names, ["mixed__good", "mixed__typo", "mixed__bare"]);
    let case = Case::empty();
    case.skill_with_tools("mapped", "tools: {ping: {description: Answers.}}\n");
    case.discover();
    case.holds().await;
    let told: &[&str] = &["`tools` must be a list"];
    case.fares("mapped", ("error", told), ("skipped", told));
    assert_eq!(case.lenient.metadata("mapped")["tools"], json!([]));
}

#[tokio::test]
async fn case_052_duplicate_tool_names() {
    let case = Case::empty();
    case.skill("doubled", "tools: tools.yaml");
    case.write(
        "doubled/tools.yaml",
        "tools:\n  - {name: export, description: One., source_file: scripts/one.py}\n  - {name: export, description: Two., source_file: scripts/two.py}\n",
    );
    case.write("doubled/scripts/one.py", "print('{\"ran\": 1}')\n");
    case.write("doubled/scripts/two.py", "print('{\"ran\": 2}')\n");
    case.discover();
    case.holds().await;
    let told: &[&str] = &["lines 2 and 3"];
    case.fares("doubled", ("unloaded", told), ("skipped", told));
    assert_eq!(
        case.lenient.load("doubled").await.unwrap(),
        ["doubled__export"]
    );
    assert_eq!(case.lenient.tool("doubled__export")["description"], "One.");
    let ran = case.lenient.structured("doubled__export", json!({})).await;
    assert_eq!(ran["ran"], 1);
}

#[tokio::test]
async fn case_053_tool_name_charset() {
    let case = Case::spec(53).await;
    let told: &[&str] = &["charset__create_sphere_cb600c31", "tools[3]` has no name"];
    case.fares("charset", ("unloaded", told), ("skipped", told));
    let names = case.lenient.load("charset").await.unwrap();
    assert_eq!(
        names,
        [
            "charset__create_sphere_cb600c31",
            "charset__create_sphere_0e054c9b",
            "charset_e4b703dd",
            "__x",
            "charset__fine_one",
        ]
    );
    for name in ["charset_e4b703dd", "charset__创建", "charset__fine-one"] {
        let called = case.lenient.call(name, json!({})).await;
        assert!(!called.is_error, "{name}: {called:?}");
    }
}

#[tokio::test]
async fn case_054_shadowing_core_tools() {
    let case = Case::spec(54).await;
    let told: &[&str] = &["`__skill__shadow` is reserved"];
    case.fares("shadow", ("unloaded", told), ("skipped", told));
    assert_eq!(
        case.lenient.load("shadow").await.unwrap(),
        ["shadow__load_skill"]
    );
    let core = json!({"skill_name": "shadow"});
    let core = case.lenient.structured("load_skill", core).await;
    assert_eq!(core["already_loaded"], json!(["shadow"]));
}

#[tokio::test]
async fn case_055_script_missing_or_renamed() {
    let case = Case::spec(55).await;
    let told: &[&str] = &["script not found: scripts/gone.py", "`scripts/other.py`"];
    case.fares("absent", ("unloaded", told), ("skipped", told));
    case.write("present/scripts/run.py", "print('{}')\n");
    case.skill("present", "tools: tools.yaml");
    case.write(
        "present/tools.yaml",
        "tools: [{name: go, source_file: scripts/run.py}]\n",
    );
    case.discover();
    case.lenient.load("absent").await.unwrap();
    case.lenient.load("present").await.unwrap();
    std::fs::remove_file(case.path().join("present/scripts/run.py")).unwrap();
    for (tool, words) in [
        ("absent__gone", &["script not found: scripts/gone.py"][..]),
        (
            "absent__other",
            &["script not found: scripts/OTHER.py", "scripts/other.py"],
        ),
        ("present__go", &["script not found: scripts/run.py"]),
    ] {
        let called = case.lenient.call(tool, json!({})).await;
        let text = called.joined_text();
        assert!(called.is_error, "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(!text.contains(case.path().to_str().unwrap()), "{text}");
    }
}

#[tokio::test]
async fn case_056_script_outside_the_skill() {
    let case = Case::spec(56).await;
    let told: &[&str] = &[
        "`up` is outside",
        "`down_up` is outside",
        "`absolute` is outside",
    ];
    case.fares("escape", ("unloaded", told), ("skipped", told));
    let told: &[&str] = &["outside the skill folder"];
    case.fares("pointer", ("error", told), ("skipped", told));
    let names = case.lenient.load("escape").await.unwrap();
    assert_eq!(names.len(), 4);
    for (tool, is_error) in [
        ("escape__up", true),
        ("escape__down_up", true),
        ("escape__absolute", true),
        ("escape__ok", false),
    ] {
        let called = case.lenient.call(tool, json!({})).await;
        assert_eq!(called.is_error, is_error, "{tool}: {called:?}");
    }
}

#[tokio::test]
async fn case_057_two_scripts_one_stem() {
    let case = Case::empty();
    case.skill("stems", "tools: tools.yaml");
    case.write("stems/tools.yaml", "tools: [bake, bake-ao]\n");
    for (file, text) in [
        ("bake.bat", "echo no\n"),
        ("bake.sh", "echo '{\"ran\": \"sh\"}'\n"),
        ("bake.py", "print('{\"ran\": \"py\"}')\n"),
        ("bake_ao.py", "print('{\"ran\": \"ao\"}')\n"),
    ] {
        case.write(&format!("stems/scripts/{file}"), text);
    }
    case.discover();
    case.holds().await;
    let told: &[&str] = &[
        "`scripts/bake.py`",
        "`scripts/bake.sh`",
        "`scripts/bake.bat`",
    ];
    case.fares("stems", ("unloaded", told), ("unloaded", told));
    case.lenient.load("stems").await.unwrap();
    for (tool, ran) in [("stems__bake", "py"), ("stems__bake_ao", "ao")] {
        assert_eq!(case.lenient.structured(tool, json!({})).await["ran"], ran);
    }
}
