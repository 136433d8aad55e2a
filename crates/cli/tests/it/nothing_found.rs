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
        &["discover", "anything"],
        &["discover", "anything", "--json"],
        &["listing"],
        &["listing", "--json"],
        &["doctor", "--json"],
        &["stdio"],
    ] {
        let text = with_variables(folder.path(), arguments);
        // A server waits for what may come; whoever asks of nothing has no answer.
        let code = match arguments.first() {
            Some(&"stdio") => "exit 0",
            // The folder that a variable names is not there, which is wrong in itself.
            Some(&"doctor") => "exit 1",
            _ => "exit 2",
        };
        assert!(text.starts_with(code), "{arguments:?}: {text}");
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
fn a_doctor_who_finds_no_skill_calls_nothing_fine() {
    let folder = empty();
    for form in [&["doctor"][..], &["doctor", "--json"]] {
        let text = run(folder.path(), form);
        assert!(
            text.starts_with("exit 2") && !text.contains("nothing would fail"),
            "{text}"
        );
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

/// A pipeline that checks the wrong folder must not be green, whatever it reads.
#[test]
fn check_of_nothing_is_told_in_every_format() {
    let folder = empty();
    write(folder.path().join("skills/notes/README.md"), "No skill.\n");
    write(folder.path().join("other/.keep"), "");
    for format in ["full", "concise", "json", "github", "sarif", "junit"] {
        for places in [
            &["skills", "other"][..],
            &["skills"],
            // The roots of metier.toml.
            &[],
        ] {
            let mut arguments = vec!["check", "--format", format];
            arguments.extend(places);
            let output = metier(folder.path()).args(&arguments).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            let looked = if places.is_empty() {
                "skills"
            } else {
                &places.join(", ")
            };
            let wanted =
                format!("there is no skill in {looked}; a skill is a folder with a SKILL.md");
            assert!(said.contains(&wanted), "{arguments:?}: {said}");
            let data = String::from_utf8(output.stdout).unwrap();
            match format {
                "sarif" => {
                    let log: serde_json::Value = serde_json::from_str(&data).unwrap();
                    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
                }
                "junit" => assert!(data.contains("tests=\"0\""), "{data}"),
                _ => assert_eq!(data, "", "{arguments:?}"),
            }
        }
    }
    let figures = run(folder.path(), &["check", "--statistics", "skills"]);
    assert!(figures.starts_with("exit 2"), "{figures}");
    // A link that leads nowhere is a finding, and still no skill.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("gone", folder.path().join("skills/lost")).unwrap();
        let text = run(folder.path(), &["check", "--deny", "warnings", "skills"]);
        assert!(
            text.starts_with("exit 2") && text.contains("skills/lost"),
            "{text}"
        );
    }
}
