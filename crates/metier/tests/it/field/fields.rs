//! Fields of the front matter, and names.

use serde_json::{Value, json};

use super::bench::Case;

const LOADS: (&str, &[&str]) = ("unloaded", &[]);

#[tokio::test]
async fn case_012_version_as_number() {
    let case = Case::spec(12).await;
    for (name, version, plain) in [
        ("v-float", "1.0", json!(1.0)),
        ("v-int", "2", json!(2)),
        ("v-date", "2025-03-01", json!("2025-03-01")),
    ] {
        case.fares(name, LOADS, LOADS);
        let read = case.strict.metadata(name);
        assert_eq!(read["version"], version);
        let info = case.strict.catalog.get_skill_info(name).unwrap();
        let front = &info.metadata.as_ref().unwrap().front_matter;
        assert_eq!(front["metadata"]["dcc-mcp"]["version"], plain);
    }
}

#[tokio::test]
async fn case_013_yes_no_words() {
    let case = Case::spec(13).await;
    case.fares("words", LOADS, LOADS);
    assert_eq!(
        case.lenient.metadata("words")["tags"],
        json!(["no", "yes", "on", "off"])
    );
    case.lenient.load("words").await.unwrap();
    let hints = case.lenient.tool("words__wipe")["annotations"].clone();
    assert_eq!(
        (
            &hints["destructiveHint"],
            &hints["readOnlyHint"],
            &hints["idempotentHint"]
        ),
        (&json!(true), &json!(false), &json!(true))
    );
    // A word that is none of them is told with tool and field; unreadable danger counts as danger.
    let case = Case::empty();
    case.skill_with_tools("odd", "tools: [{name: wipe, destructive: perhaps}]\n");
    case.discover();
    let told: &[&str] = &["`wipe: destructive`"];
    case.fares("odd", ("unloaded", told), ("skipped", told));
    case.lenient.load("odd").await.unwrap();
    let tool = case.lenient.tool("odd__wipe");
    assert_eq!(tool["annotations"]["destructiveHint"], true);
}

#[tokio::test]
async fn case_014_null_and_empty_fields() {
    let case = Case::spec(14).await;
    let nameless: &[&str] = &["no name"];
    case.fares("nameless", ("unloaded", nameless), ("skipped", nameless));
    let nulls: &[&str] = &["no description", "empty item"];
    case.fares("nulls", ("unloaded", nulls), ("skipped", nulls));
    let read = case.lenient.metadata("nulls");
    assert_eq!(read["search_aliases"], json!(["ao"]));
    assert_eq!((&read["tags"], &read["depends"]), (&json!([]), &json!([])));
    assert_eq!(read["description"], "");
}

#[tokio::test]
async fn case_017_metadata_wrong_shape() {
    let case = Case::spec(17).await;
    for (name, lenient, path, wanted) in [
        ("m-text", "unloaded", "`metadata`", "a mapping"),
        ("m-list", "unloaded", "`metadata.dcc-mcp`", "a mapping"),
        ("t-inline", "error", "`metadata.dcc-mcp.tools`", "the path"),
        ("t-number", "error", "`metadata.dcc-mcp.tools`", "the path"),
    ] {
        let told: &[&str] = &[path, wanted];
        case.fares(name, (lenient, told), ("skipped", told));
    }
    let refused = case.lenient.load("t-inline").await.unwrap_err();
    assert!(refused.contains("path of a file"), "{refused}");
}

#[tokio::test]
async fn case_018_top_level_extension_keys() {
    let case = Case::spec(18).await;
    let told: &[&str] = &[
        "MT130",
        "`dcc`, `version`, `tags`, `tools`",
        "metadata.dcc-mcp.version",
        "metadata.dcc-mcp.tags",
        "metadata: {dcc-mcp: {tools: tools.yaml}}",
    ];
    case.fares_alike("old-shape", "skipped", told);
    let said = case.lenient.said("old-shape");
    let lines = said.lines().filter(|line| line.contains("MT130")).count();
    assert_eq!(lines, 1, "all keys in one message");
}

#[tokio::test]
async fn case_019_flat_dotted_keys() {
    let case = Case::spec(19).await;
    let told: &[&str] = &["`dcc-mcp.dcc`", "`dcc-mcp.tools`", "nest it"];
    case.fares_alike("dotted", "unloaded", told);
    assert_eq!(case.lenient.metadata("dotted")["dcc"], "maya");
    assert_eq!(case.strict.load("dotted").await.unwrap(), ["dotted__ping"]);
}

#[tokio::test]
async fn case_020_other_vendors_keys() {
    let case = Case::spec(20).await;
    case.fares("vendor", LOADS, LOADS);
    assert_eq!(case.lenient.said("vendor"), "", "at most info");
    let info = case.strict.catalog.get_skill_info("vendor").unwrap();
    let front = &info.metadata.as_ref().unwrap().front_matter;
    assert_eq!(front["model"], "fast");
    assert_eq!(front["user-invocable"], true);
    assert_eq!(front["metadata"]["openclaw"], json!({"emoji": "x"}));
}

#[tokio::test]
async fn case_021_allowed_tools_shapes() {
    let case = Case::spec(21).await;
    for name in ["a-comma", "a-blank", "a-list"] {
        let read = case.lenient.metadata(name);
        assert_eq!(read["allowed_tools"], json!(["Read", "Grep"]), "{name}");
    }
    assert_eq!(
        case.strict.metadata("a-paren")["allowed_tools"],
        json!(["Bash(git add:*)", "Bash(git commit:*)", "Read"])
    );
}

#[tokio::test]
async fn case_022_tags_as_text() {
    let case = Case::spec(22).await;
    let read = case.lenient.metadata("tagged");
    assert_eq!(read["tags"], json!(["rig", "anim"]));
    assert_eq!(read["search_aliases"], json!(["绑定", "骨骼"]));
    assert_eq!(read["depends"], json!(["base-a", "base-b"]));
    let found = json!({"query": "骨骼"});
    let found = case.lenient.structured("search_skills", found).await;
    assert_eq!(found["hits"][0]["name"], "tagged");
}

#[tokio::test]
async fn case_023_name_rules() {
    let case = Case::spec(23).await;
    let long = "r".repeat(70);
    for name in ["Rig_Check", "rig--check", "-rig", "rig check", &long] {
        let told: &[&str] = &["MT121"];
        case.fares(name, ("unloaded", told), ("skipped", told));
        assert!(case.lenient.not_served(name).is_some());
    }
    for (folder, point) in [("n6", "U+002F"), ("n7", "U+002E"), ("n8", "U+003A")] {
        case.fares_alike(folder, "skipped", &["MT122", point]);
    }
}

#[tokio::test]
async fn case_024_chinese_name() {
    let case = Case::spec(24).await;
    let told: &[&str] = &["MT121"];
    case.fares("灯光检查", ("unloaded", told), ("skipped", told));
    let stubs = case.lenient.catalog.snapshot();
    let stub = stubs.tools().last().unwrap();
    assert!(stub.name.starts_with("__skill__"), "{}", stub.name);
    assert!(metier::skill_model::is_wire_safe(&stub.name));
    let loaded = case.lenient.load("灯光检查").await.unwrap();
    assert_eq!(loaded, ["run_805a576d"]);
    let meta: Value = case.lenient.tool("run_805a576d")["_meta"]["dcc"].clone();
    assert_eq!(meta["name"], "灯光检查__run");
    assert!(case.lenient.not_served("灯光检查").is_some());
}

#[tokio::test]
async fn case_025_folder_name_differs() {
    let case = Case::spec(25).await;
    case.fares_alike("rig-check", "unloaded", &["MT123", "`rig-v2`"]);
    assert_eq!(case.lenient.statuses(), ["rig-check unloaded"]);
    case.lenient.load("rig-check").await.unwrap();
    let refused = case.lenient.load("rig-v2").await.unwrap_err();
    assert!(refused.contains("no skill named"), "{refused}");
    assert_eq!(case.lenient.catalog.unload_skill("rig-check"), Ok(0));
}

#[tokio::test]
async fn case_026_lowercase_skill_md() {
    let case = Case::spec(26).await;
    for (name, file) in [("lower", "`skill.md`"), ("mixed", "`Skill.MD`")] {
        let told: &[&str] = &[file, "`SKILL.md`"];
        case.fares(name, ("unloaded", told), ("skipped", told));
        assert!(case.lenient.not_served(name).is_some());
    }
}
