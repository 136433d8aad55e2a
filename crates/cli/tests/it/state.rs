//! `metier state`.

use std::path::Path;

use crate::command::{fixtures, json, metier, placeless, run};

/// A folder with the state of an application as an earlier build wrote it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state/maya");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::copy(
        fixtures().join("../state/v1/full.json"),
        state.join("loaded.json"),
    )
    .unwrap();
    folder
}

fn state(folder: &Path, arguments: &[&str]) -> String {
    let place = ["--app", "maya", "--state-dir", "state"];
    let text = run(folder, &[&["state"], arguments, &place].concat());
    placeless(&text, folder)
}

#[test]
fn what_is_kept_is_shown() {
    let folder = folder();
    insta::assert_snapshot!(state(folder.path(), &["show"]));
    insta::assert_snapshot!("json", state(folder.path(), &["show", "--json"]));
    insta::assert_snapshot!(run(folder.path(), &["state", "show"]).replace(&*folder.path().to_string_lossy(), "FOLDER"), @"
    exit 0
    --- stdout
    --- stderr
    nothing is kept for python in FOLDER/no-home/.dcc-mcp/python/loaded.json
    ");
    assert!(
        !folder.path().join("no-home").exists(),
        "looking writes nothing"
    );
}

#[test]
fn export_prints_the_file() {
    let folder = folder();
    let kept = std::fs::read_to_string(folder.path().join("state/maya/loaded.json")).unwrap();
    for form in [&["export"][..], &["export", "--json"]] {
        let text = state(folder.path(), form);
        assert_eq!(text, format!("exit 0\n--- stdout\n{kept}--- stderr\n"));
    }
}

#[test]
fn what_is_forgotten_is_gone_and_the_rest_stays() {
    let folder = folder();
    insta::assert_snapshot!(state(folder.path(), &["forget", "maya-geometry", "nobody"]), @"
    exit 2
    --- stdout
    forgotten: maya-geometry
    --- stderr
    `nobody` is not kept; `metier state show` lists what is
    ");
    let left = state(folder.path(), &["export"]);
    assert!(
        left.contains("render-farm") && !left.contains("maya-geometry"),
        "{left}"
    );
    let output = metier(folder.path())
        .args([
            "state",
            "forget",
            "--all",
            "--json",
            "--app",
            "maya",
            "--state-dir",
            "state",
        ])
        .output()
        .unwrap();
    insta::assert_snapshot!(json(&output).to_string(), @r#"{"forgotten":["render-farm","字幕"],"unknown":[]}"#);
    insta::assert_snapshot!(state(folder.path(), &["forget", "--all"]), @"
    exit 0
    --- stdout
    --- stderr
    nothing is kept for maya
    ");
}

#[test]
fn damage_is_told_and_kept() {
    let folder = folder();
    let file = folder.path().join("state/maya/loaded.json");
    std::fs::write(
        &file,
        r#"{"schema_version": 1, "skills": [{"name": "one"}, 5]}"#,
    )
    .unwrap();
    insta::assert_snapshot!(state(folder.path(), &["forget", "one"]), @"
    exit 0
    --- stdout
    forgotten: one
    --- stderr
    warning: state/maya/loaded.json: skills[1]: found a number, expected an object; that part counts as not there, and the file is kept as loaded.json.bak before the next save
    the damaged file is kept as state/maya/loaded.json.bak, with all that it held, until you delete it
    ");
}

#[test]
fn wrong_usage_is_explained() {
    let folder = folder();
    let text = run(
        folder.path(),
        &["state", "show", "--app", "con", "--state-dir", "state"],
    );
    assert!(
        text.starts_with("exit 2") && text.contains("use `con_app`"),
        "{text}"
    );
    let text = run(folder.path(), &["state", "forget"]);
    assert!(
        text.starts_with("exit 2") && text.contains("--all forgets every one"),
        "{text}"
    );
}

#[test]
fn forgetting_nothing_makes_nothing() {
    let folder = folder();
    insta::assert_snapshot!(run(folder.path(), &["state", "forget", "--all"]), @"
    exit 0
    --- stdout
    --- stderr
    nothing is kept for python
    ");
    let said = run(folder.path(), &["state", "forget", "nobody"]);
    assert!(said.starts_with("exit 2"), "{said}");
    assert!(!folder.path().join("no-home").exists());
}
