//! Every command that finds no skill says where it looked and what to do.

use std::path::Path;

use crate::command::{metier, mixed, placeless, run, said, write};

fn with_variables(folder: &Path, arguments: &[&str]) -> String {
    let output = metier(folder)
        .env("DCC_MCP_SKILL_PATHS", "from-variable")
        .args(arguments)
        .output()
        .unwrap();
    placeless(&said(&output), folder)
}

/// A folder whose settings name another one, with nothing in either.
fn empty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join("metier.toml"), "roots = ['skills']\n");
    std::fs::create_dir(folder.path().join("skills")).unwrap();
    folder
}

#[test]
fn list_names_every_place_with_its_label() {
    let folder = empty();
    insta::assert_snapshot!(with_variables(folder.path(), &["list"]));
}

#[test]
fn the_others_say_the_same() {
    let folder = empty();
    for arguments in [
        &["list", "--json"][..],
        &["search", "anything"],
        &["search", "anything", "--json"],
        &["info", "anything"],
        &["deps"],
        &["deps", "--json"],
        &["doctor"],
        &["call", "anything"],
        &["stdio"],
    ] {
        let text = with_variables(folder.path(), arguments);
        for wanted in [
            "no skill was found; looked in:",
            "env         no such folder  from-variable",
            "configured  no skill in it  skills",
            "FOLDER/no-home/.dcc-mcp/python/skills",
            "`metier new NAME`",
        ] {
            assert!(text.contains(wanted), "{arguments:?}: {wanted}\n{text}");
        }
    }
}

#[test]
fn a_filter_is_named() {
    let folder = mixed();
    for skill in ["broken", "half"] {
        std::fs::remove_dir_all(folder.path().join("skills").join(skill)).unwrap();
    }
    write(
        folder.path().join("skills/good/SKILL.md"),
        "---\nname: good\ndescription: Bakes light.\nmetadata: {dcc-mcp: {dcc: houdini}}\n---\n",
    );
    let text = run(folder.path(), &["list", "--dcc", "maya", "skills"]);
    assert!(
        text.contains("only skills for maya and python count, because of --dcc"),
        "{text}"
    );
    // A folder that holds something is no empty one, whatever is listed of it.
    for arguments in [
        &["list", "--status", "loaded", "skills"][..],
        &["list", "skills"],
    ] {
        let text = run(folder.path(), arguments);
        assert!(!text.contains("looked in"), "{text}");
    }
}

#[test]
fn a_rejected_skill_is_something() {
    let folder = mixed();
    let text = run(folder.path(), &["list", "skills/broken"]);
    assert!(
        text.contains("0 skills, 1 rejected") && !text.contains("looked in"),
        "{text}"
    );
}

#[test]
fn skills_of_the_current_folder_are_hinted_at() {
    let folder = tempfile::tempdir().unwrap();
    let made = run(folder.path(), &["new", "shot-notes"]);
    assert!(made.starts_with("exit 0"), "{made}");
    for arguments in [
        &["list"][..],
        &["call", "count_words"],
        &["info", "shot-notes"],
    ] {
        let text = run(folder.path(), arguments);
        assert!(text.contains("`metier list .`"), "{text}");
    }
    let text = run(folder.path(), &["list", "."]);
    assert!(text.contains("shot-notes"), "{text}");
}
