//! `metier new`.

use crate::command::{json, metier, run};

/// The findings of an answer, but for the one that asks for a description.
fn findings(checked: &str) -> Vec<&str> {
    let lines = checked.lines();
    lines
        .filter(|line| line.contains("[MT") && !line.contains("[MT606]"))
        .collect()
}

fn works(options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let made = metier(folder.path())
        .args(["new", "count-things"])
        .args(options)
        .output()
        .unwrap();
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let info = metier(folder.path())
        .args(["info", "count-things", "--strict", "--json", "."])
        .output()
        .unwrap();
    let info = json(&info);
    assert_eq!(info["diagnostics"], serde_json::json!([]), "{info}");
    let call = metier(folder.path())
        .args(["call", "count_words", "--json", "--strict", "--args"])
        .args([r#"{"text": "灯光 检查\nlight", "longest": 1}"#, "."])
        .output()
        .unwrap();
    let result = &json(&call)["structuredContent"];
    assert_eq!(result["words"], 3, "{result}");
    assert_eq!(result["longest"], serde_json::json!(["light"]), "{result}");
    // A wrong call is told from a crash.
    let wrong = run(folder.path(), &["call", "count_words", "--args", "{}", "."]);
    assert!(
        wrong.starts_with("exit 1") && wrong.contains("text: required"),
        "{wrong}"
    );
}

#[test]
fn a_new_skill_is_sound_and_runs() {
    works(&[]);
}

#[test]
fn so_is_one_with_the_helper() {
    works(&["--with-helper"]);
}

#[test]
fn what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(run(folder.path(), &["new", "bake-ao"]), @r#"
    exit 0
    --- stdout
    bake-ao/SKILL.md
    bake-ao/tools.yaml
    bake-ao/scripts/count_words.py
    --- stderr
    try it:
      metier call count_words --args '{"text": "hello world"}' bake-ao
    then write what the skill does into bake-ao/SKILL.md
    "#);
    insta::assert_snapshot!(run(folder.path(), &["new", "bake-ao"]), @"
    exit 2
    --- stdout
    --- stderr
    error: bake-ao is there already, and nothing is overwritten; choose another name or --dir
    ");
    insta::assert_snapshot!(run(folder.path(), &["new", "Bake_AO"]), @"
    exit 2
    --- stdout
    --- stderr
    error: `Bake_AO` cannot be a skill's name: `B` is upper case; a name is 1 to 64 of a-z, 0-9 and single hyphens between them; `bake-ao` would do
    ");
    insta::assert_snapshot!(run(folder.path(), &["new", "x", "--dir", "nowhere"]), @"
    exit 2
    --- stdout
    --- stderr
    error: --dir nowhere: there is no such folder
    ");
    insta::assert_snapshot!(run(folder.path(), &["new", "tidy-up", "--with-helper", "--json"]), @r#"
    exit 0
    --- stdout
    {
      "name": "tidy-up",
      "folder": "tidy-up",
      "files": [
        "tidy-up/SKILL.md",
        "tidy-up/tools.yaml",
        "tidy-up/scripts/count_words.py",
        "tidy-up/scripts/_metier_skill.py"
      ]
    }
    --- stderr
    try it:
      metier call count_words --args '{"text": "hello world"}' tidy-up
    then write what the skill does into tidy-up/SKILL.md
    "#);
}

/// A new skill is sound, but nobody finds it by the words of a template.
#[test]
fn check_of_a_new_skill_asks_for_its_description_alone() {
    let folder = tempfile::tempdir().unwrap();
    for options in [
        &["new", "bake-ao"][..],
        &["new", "tidy-up", "--with-helper"],
    ] {
        run(folder.path(), options);
        let name = options[1];
        insta::allow_duplicates! {
            let checked = run(folder.path(), &["check", "--format", "concise", name]);
            insta::assert_snapshot!(checked.replace(name, "NAME"));
        }
        let file = folder.path().join(name).join("SKILL.md");
        let text = std::fs::read_to_string(&file).unwrap();
        let asked = " Replace this with what the skill does and when to use it.";
        assert!(text.contains(asked), "{text}");
        std::fs::write(&file, text.replace(asked, "")).unwrap();
        let checked = run(folder.path(), &["check", name, "--deny", "warnings"]);
        assert!(
            checked.starts_with("exit 0") && !checked.contains("MT"),
            "{checked}"
        );
    }
}

#[test]
fn a_name_that_yaml_reads_as_something_else_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "null",
        "true",
        "yes",
        "on",
        "n",
        "1",
        "1e3",
        "0x10",
        "2025-01-01",
    ] {
        let made = run(folder.path(), &["new", name]);
        assert!(made.starts_with("exit 0"), "{made}");
        let file = folder.path().join(name).join("SKILL.md");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with(&format!("---\nname: \"{name}\"\n")),
            "{text}"
        );
        let checked = run(folder.path(), &["check", name]);
        assert!(
            checked.starts_with("exit 0") && findings(&checked).is_empty(),
            "{checked}"
        );
    }
    // The cure of the check is one that cures.
    let file = folder.path().join("null/SKILL.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"null\"", "null")).unwrap();
    let checked = run(folder.path(), &["check", "null"]);
    assert!(checked.contains("add `name: \"null\"`"), "{checked}");
}

#[test]
fn the_tool_of_a_long_name_is_listed_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for length in [51, 52, 64] {
        let name = "a".repeat(length);
        let made = run(folder.path(), &["new", &name]);
        let tool = made.split("metier call ").nth(1).unwrap();
        let tool = tool.split(' ').next().unwrap();
        assert_eq!(tool == "count_words", length == 51, "{made}");
        let checked = run(folder.path(), &["check", "--format", "concise", &name]);
        assert!(findings(&checked).is_empty(), "{checked}");
        let called = run(
            folder.path(),
            &["call", tool, "--args", "{\"text\": \"a b\"}", &name],
        );
        assert!(called.starts_with("exit 0"), "{called}");
    }
}
