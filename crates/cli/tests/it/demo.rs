//! Every tool of every demo skill, called once as it is meant and once wrongly.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::command::{fixtures, metier, run};
use crate::demo_cases::{CASES, Case};

/// Both capabilities that demo tools ask for.
const CAPABILITIES: [&str; 4] = [
    "--capability",
    "filesystem.read",
    "--capability",
    "filesystem.write",
];

/// The folder of a case, with its files.
fn workspace(case: &Case) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in case.files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Calls a tool with a folder as the workspace; the exit code, the result, and what was said.
fn call(tool: &str, arguments: &str, root: &std::path::Path) -> (i32, Value, String) {
    let output = metier(&fixtures())
        .args(["call", tool, "--json", "--args", arguments])
        .args(CAPABILITIES)
        .arg("--root")
        .arg(root)
        .args(["demo", "seed"])
        .output()
        .unwrap();
    let result = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (
        output.status.code().unwrap_or(-1),
        result,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn check(skill: &str) {
    let prefix = format!("{}__", skill.replace('-', "_"));
    let cases: Vec<_> = CASES
        .iter()
        .filter(|case| case.tool.starts_with(&prefix))
        .collect();
    assert!(!cases.is_empty(), "no cases for {skill}");
    for case in cases {
        let folder = workspace(case);
        let (code, result, said) = call(case.tool, case.good, folder.path());
        assert_eq!(
            (code, &result["isError"]),
            (0, &json!(false)),
            "{}: {result} {said}",
            case.tool
        );
        let answer = &result["structuredContent"];
        for (pointer, wanted) in case.expect {
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            assert_eq!(
                answer.pointer(pointer),
                Some(&wanted),
                "{}: {pointer} in {answer}",
                case.tool
            );
        }
        let (code, result, said) = call(case.tool, case.bad, folder.path());
        assert_eq!(code, 1, "{}: {result} {said}", case.tool);
        let text = format!("{result}{said}");
        assert!(text.contains(case.complaint), "{}: {text}", case.tool);
    }
}

macro_rules! skills {
    ($($name:ident $skill:literal)*) => {
        const SKILLS: &[&str] = &[$($skill),*];
        $(#[test]
        fn $name() {
            check($skill);
        })*
    };
}

skills! {
    colour_swatches "colour-swatches"
    frame_ranges "frame-ranges"
    image_sequence "image-sequence"
    kattomei_kensa "kattomei-kensa"
    obj_wangge "obj-wangge"
    project_report "project-report"
    publish_check "publish-check"
    render_log "render-log"
    texture_check "texture-check"
    timecode "timecode"
}

fn listed() -> Vec<Value> {
    let text = run(&fixtures(), &["list", "--strict", "--json", "demo"]);
    let json = text.split("--- stdout\n").nth(1).unwrap();
    let json: Value = serde_json::from_str(json.split("--- stderr").next().unwrap()).unwrap();
    assert_eq!(json["rejected"], json!([]));
    json["skills"].as_array().unwrap().clone()
}

#[test]
fn no_tool_and_no_skill_is_left_out() {
    let mut tools = BTreeSet::new();
    let mut skills = BTreeSet::new();
    for skill in listed() {
        let name = skill["name"].as_str().unwrap();
        let names = skill["tool_names"].as_array().unwrap();
        if !names.is_empty() {
            skills.insert(name.to_owned());
        }
        for tool in names {
            tools.insert(format!(
                "{}__{}",
                name.replace('-', "_"),
                tool.as_str().unwrap()
            ));
        }
    }
    let covered: BTreeSet<_> = CASES.iter().map(|case| case.tool.to_owned()).collect();
    assert_eq!(covered, tools);
    assert_eq!(
        skills,
        SKILLS.iter().map(|&skill| skill.to_owned()).collect()
    );
}

#[test]
fn strict_reading_finds_nothing_to_warn_of() {
    let text = run(&fixtures(), &["list", "--strict", "demo"]);
    assert!(text.ends_with("--- stderr\n11 skills\n"), "{text}");
}

#[test]
fn what_needs_a_capability_is_refused_without_it() {
    let text = run(&fixtures(), &["call", "check_textures", "demo"]);
    insta::assert_snapshot!(text, @r"
    exit 1
    --- stdout
    --- stderr
    error: capability_missing: tool 'texture_check__check_textures' requires filesystem.read; add --capability filesystem.read, if this machine can do that
    ");
}

#[test]
fn dependencies_come_along_from_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = r#"{"skill_name": "publish-check", "activate_groups": false}"#;
    let (_, result, _) = call("load_skill", arguments, folder.path());
    let report = &result["structuredContent"];
    // Two are named in the front matter, one in metadata/depends.md.
    assert_eq!(
        report["dependencies"],
        json!(["frame-ranges", "kattomei-kensa", "texture-check"])
    );
    // One group is active from the start, one is not.
    assert_eq!(report["tool_count"], 2);
    assert_eq!(report["inactive_groups"], json!(["clean-up"]));
}

#[test]
fn a_picture_is_a_png() {
    let folder = tempfile::tempdir().unwrap();
    let (_, result, _) = call(
        "colour_swatches__swatch_sheet",
        r##"{"colours": ["#f80", [0.18, 0.18, 0.18]]}"##,
        folder.path(),
    );
    let item = &result["content"][1];
    assert_eq!(
        (&item["type"], &item["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    // The signature of a PNG, in base64.
    assert!(
        item["data"].as_str().unwrap().starts_with("iVBORw0KGgo"),
        "{item}"
    );
}

#[test]
fn progress_is_told_while_a_tool_works() {
    let case = CASES
        .iter()
        .find(|case| case.tool == "publish_check__write_manifest")
        .unwrap();
    let folder = workspace(case);
    let (_, _, said) = call(case.tool, case.good, folder.path());
    assert!(said.contains("[1/2] notes.md"), "{said}");
}

#[test]
fn the_whole_workspace_is_checked_when_no_folder_is_named() {
    let case = CASES
        .iter()
        .find(|case| case.tool == "texture_check__check_textures")
        .unwrap();
    let folder = workspace(case);
    let (code, result, said) = call(case.tool, "{}", folder.path());
    assert_eq!(
        (code, &result["structuredContent"]["files"]),
        (0, &json!(6)),
        "{result} {said}"
    );
}

#[test]
fn a_path_out_of_the_workspace_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = call(
        "render_log__summarise_log",
        r#"{"file": "workspace://../x"}"#,
        folder.path(),
    );
    assert_eq!(code, 1);
    assert!(said.contains("leaves the workspace"), "{said}");
    // Reading may go anywhere an absolute path says; deleting may not.
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.bak"), "kept").unwrap();
    let arguments = json!({"folder": outside.path(), "dry_run": false}).to_string();
    let (code, result, _) = call("publish_check__clean_backups", &arguments, folder.path());
    assert_eq!(code, 1, "{result}");
    assert!(outside.path().join("a.bak").exists());
}

#[test]
fn aliases_in_chinese_and_japanese_find_the_skill() {
    for (query, skill) in [
        ("渲染报错", "render-log"),
        ("レンダーログ", "render-log"),
        ("贴图检查", "texture-check"),
        ("タイムコード", "timecode"),
        ("镜头命名", "kattomei-kensa"),
        ("名前チェック", "kattomei-kensa"),
        ("审片意见", "review-notes"),
        ("色见本", "colour-swatches"),
        ("色見本", "colour-swatches"),
    ] {
        let text = run(&fixtures(), &["search", query, "demo"]);
        assert!(
            text.contains(&format!("--- stdout\n{skill}")),
            "{query}: {text}"
        );
    }
}

#[test]
fn the_helper_in_the_demo_skills_is_the_one_that_is_handed_out() {
    let handed_out = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/metier_skill.py"
    ))
    .unwrap();
    for skill in ["publish-check", "render-log", "texture-check"] {
        let copy = fixtures()
            .join("demo")
            .join(skill)
            .join("scripts/_metier_skill.py");
        assert!(
            std::fs::read(copy).unwrap() == handed_out,
            "the copy in {skill} is out of date"
        );
    }
}

#[test]
fn the_seeds_sphere() {
    let folder = tempfile::tempdir().unwrap();
    let (code, made, said) = call(
        "maya_geometry__create_sphere",
        r#"{"radius": 3}"#,
        folder.path(),
    );
    assert_eq!(
        (code, &made["structuredContent"]["success"]),
        (0, &json!(true)),
        "{made} {said}"
    );
}
