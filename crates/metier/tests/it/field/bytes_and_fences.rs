//! What opens and closes front matter, what bytes may stand in it, and what YAML makes of it.

use serde_json::json;

use super::bench::Case;

const LOADS: (&str, &[&str]) = ("unloaded", &[]);

#[tokio::test]
async fn case_001_colon_in_description() {
    let case = Case::spec(1).await;
    let facts: &[&str] = &["scene-units/SKILL.md:3", "quote the value"];
    case.fares("scene-units", ("unloaded", facts), ("skipped", facts));
    let read = case.lenient.metadata("scene-units");
    assert_eq!(read["description"], "Checks a shot: scale, units, names");
    assert_eq!(read["allowed_tools"], json!(["Read"]));
    assert!(case.lenient.not_served("scene-units").is_some());
    let found = json!({"query": "scale units"});
    let found = case.lenient.structured("search_skills", found).await;
    assert_eq!(found["hits"][0]["name"], "scene-units");
}

#[tokio::test]
async fn case_002_utf8_bom() {
    let case = Case::spec(2).await;
    case.fares_alike("marked", "unloaded", &["byte order mark"]);
    assert_eq!(case.lenient.load("marked").await.unwrap(), ["marked__ping"]);
    let why = case.lenient.not_served("marked").unwrap();
    assert!(why.contains("byte order mark"), "{why}");
}

#[tokio::test]
async fn case_003_crlf_and_mixed_eol() {
    let case = Case::spec(3).await;
    case.fares("crlf", LOADS, LOADS);
    assert_eq!(case.lenient.metadata("crlf")["depends"], json!(["base"]));
    assert_eq!(case.lenient.load("crlf").await.unwrap(), ["crlf__ping"]);
    assert!(case.lenient.catalog.is_loaded("base"));
    let info = case.lenient.catalog.get_skill_info("crlf").unwrap();
    assert!(!serde_json::to_string(&info).unwrap().contains("\\r"));
}

#[tokio::test]
async fn case_004_rule_in_body() {
    let case = Case::spec(4).await;
    case.fares("ruled", LOADS, LOADS);
    assert_eq!(case.lenient.statuses(), ["ruled unloaded"]);
    // What stands behind the second rule is text of this skill.
    let found = json!({"query": "two"});
    let found = case.lenient.structured("search_skills", found).await;
    assert_eq!(found["hits"][0]["name"], "ruled");
}

#[tokio::test]
async fn case_005_dashes_in_value() {
    let case = Case::spec(5).await;
    case.fares("dashed", LOADS, LOADS);
    let read = case.strict.metadata("dashed");
    assert_eq!(
        read["description"],
        "Splits at --- marks and goes on --- twice"
    );
    assert_eq!(read["license"], "MIT");
}

#[tokio::test]
async fn case_006_no_closing_fence() {
    let case = Case::spec(6).await;
    case.fares_alike("open", "skipped", &["not closed"]);
}

#[tokio::test]
async fn case_007_block_scalars() {
    let case = Case::spec(7).await;
    for (name, description) in [
        ("folded", "Lights a whole sequence.\nUSE FOR: night shots"),
        ("literal", "First line.\nNOT FOR: previews\n"),
        ("hinted", "  two blanks stay"),
    ] {
        case.fares(name, LOADS, LOADS);
        assert_eq!(case.lenient.metadata(name)["description"], description);
        assert_eq!(case.lenient.said(name), "");
    }
    let found = json!({"query": "night shots"});
    let found = case.lenient.structured("search_skills", found).await;
    assert_eq!(found["hits"][0]["name"], "folded");
}

#[tokio::test]
async fn case_008_nested_key_not_top() {
    let case = Case::spec(8).await;
    case.fares("nested", LOADS, LOADS);
    assert_eq!(case.lenient.statuses(), ["nested unloaded"]);
    let read = case.lenient.metadata("nested");
    assert_eq!(read["description"], "The one that counts.");
    assert_eq!(case.lenient.said("nested"), "");
}

#[tokio::test]
async fn case_009_duplicate_keys() {
    let case = Case::spec(9).await;
    case.fares_alike("twice", "skipped", &["`description`", "lines 3 and 5"]);
    case.fares_alike("meta-twice", "skipped", &["`metadata`", "lines 4 and 7"]);
}

#[tokio::test]
async fn case_010_tab_indent() {
    let case = Case::spec(10).await;
    case.fares_alike("tabbed", "skipped", &["tabbed/SKILL.md:5", "tab"]);
}

#[tokio::test]
async fn case_011_text_before_fence() {
    let case = Case::spec(11).await;
    case.fares_alike("blank-first", "unloaded", &["blank lines"]);
    case.fares_alike("comment-first", "skipped", &["must start on line 1"]);
    let noted = Case::empty();
    noted.write(
        "noted/SKILL.md",
        "<!-- A licence. -->\n---\nname: noted\n---\n",
    );
    noted.discover();
    noted.holds().await;
    noted.fares_alike("noted", "skipped", &["line 1", "comment"]);
}

#[tokio::test]
async fn case_015_empty_and_bare_files() {
    let case = Case::spec(15).await;
    for (name, reason) in [
        ("empty", "the file is empty"),
        ("blank", "only blank lines"),
        ("prose", "no front matter"),
        ("fences", "front matter is empty"),
    ] {
        case.fares_alike(name, "skipped", &[reason]);
    }
}

#[tokio::test]
async fn case_016_frontmatter_not_a_map() {
    let case = Case::spec(16).await;
    case.fares_alike("list", "skipped", &["must be a mapping", "a list"]);
    case.fares_alike("word", "skipped", &["must be a mapping", "text"]);
}

#[tokio::test]
async fn case_027_odd_first_characters() {
    let case = Case::spec(27).await;
    for (name, description) in [
        ("bracket", "[beta] checks the rig"),
        ("at", "@rigging owns this"),
        ("tick", "`bake` in one go"),
        ("star", "*everything* is checked"),
        ("quoted", "\"Look\" before you bake"),
    ] {
        let place = format!("{name}/SKILL.md:3:14");
        // What has quotes already is told what is wrong with them.
        let cure = match name {
            "quoted" => "put the whole value into single quotes",
            _ => "quote the value",
        };
        let facts: &[&str] = &[&place, cure];
        case.fares(name, ("unloaded", facts), ("skipped", facts));
        assert_eq!(case.lenient.metadata(name)["description"], description);
        assert!(case.lenient.not_served(name).is_some());
    }
}

#[tokio::test]
async fn case_028_wrong_encodings() {
    let case = Case::spec(28).await;
    case.fares_alike("gbk", "skipped", &["not UTF-8 (byte 27)"]);
    case.fares_alike("utf16", "skipped", &["looks like UTF-16"]);
    let reason: &[&str] = &["latin/tools.yaml:2", "not UTF-8 (byte 18)"];
    case.fares("latin", ("error", reason), ("skipped", reason));
    case.fares("good", LOADS, LOADS);
}

#[tokio::test]
async fn case_029_oversized_files() {
    let case = Case::spec(29).await;
    case.fares("big-body", LOADS, LOADS);
    case.fares_alike("big-head", "skipped", &["too large", "256 KiB"]);
    let reason: &[&str] = &["too large", "1 MiB"];
    case.fares("big-tools", ("error", reason), ("skipped", reason));
}

#[tokio::test]
async fn case_030_alias_bomb_in_header() {
    let case = Case::spec(30).await;
    case.fares_alike("bomb", "skipped", &["alias limit"]);
    case.fares("single", LOADS, LOADS);
}

#[tokio::test]
async fn case_031_merge_keys_and_tags() {
    let case = Case::spec(31).await;
    let facts: &[&str] = &[
        "merged/tools.yaml:4",
        "`<<`",
        "merged/tools.yaml:7",
        "python",
    ];
    case.fares("merged", ("unloaded", facts), ("skipped", facts));
    assert_eq!(
        case.lenient.load("merged").await.unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn case_032_two_documents() {
    let case = Case::spec(32).await;
    let facts: &[&str] = &["halves/tools.yaml:3", "more than one document"];
    case.fares("halves", ("error", facts), ("skipped", facts));
    assert_eq!(case.lenient.metadata("halves")["tools"], json!([]));
}

#[tokio::test]
async fn case_033_long_description() {
    let case = Case::spec(33).await;
    let facts: &[&str] = &["1100 characters"];
    case.fares("wordy", ("unloaded", facts), ("skipped", facts));
    assert!(case.lenient.not_served("wordy").is_some());
    // Without tools and without a text it would give nothing: there is no stub of it. One with a tool has one, with room for a
    // line: cut between characters, with a mark.
    let tools = "metadata: {dcc-mcp: {tools: tools.yaml}}";
    let description = "长".repeat(1100);
    case.write(
        "able/SKILL.md",
        format!("---\nname: able\ndescription: {description}\n{tools}\n---\n"),
    );
    case.write(
        "able/tools.yaml",
        "tools: [{name: t, source_file: scripts/t.py}]\n",
    );
    case.write("able/scripts/t.py", "print('{}')\n");
    case.lenient.catalog.discover(&case.paths(), None);
    let snapshot = case.lenient.catalog.snapshot();
    assert!(
        snapshot
            .tools()
            .iter()
            .all(|tool| tool.name != "__skill__wordy")
    );
    let stub = case.lenient.tool("__skill__able");
    let text = stub["description"].as_str().unwrap();
    assert!(text.contains('…') && text.chars().count() < 1100, "{text}");
}
