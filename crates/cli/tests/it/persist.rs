//! `--persist`: what is loaded comes back.

use std::path::Path;

use serde_json::json;

use crate::command::{metier, placeless, run, write};
use crate::persist_server::{Server, said_in, skill, skills, wait_for};

fn state(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("state/python/loaded.json")).unwrap_or_default()
}

#[test]
fn skills_and_groups_come_back_and_unloaded_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a", "b"]);
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("a").unwrap();
    server.load("b").unwrap();
    server
        .call(
            "activate_tool_group",
            &json!({"skill_name": "a", "group": "expert"}),
        )
        .unwrap();
    server
        .call(
            "deactivate_tool_group",
            &json!({"skill_name": "a", "group": "basic"}),
        )
        .unwrap();
    server.unload("b").unwrap();
    server.end();

    let mut server = Server::start(path, &["--persist", "skills"]);
    assert_eq!(server.tools(), ["a__two"]);
    assert!(said_in(path).contains("restored 1 skill from state/python/loaded.json"));
    server.end();
    // Without the option nothing comes back, and nothing is lost.
    let before = state(path);
    let mut server = Server::start(path, &["skills"]);
    assert!(server.tools().is_empty());
    server.load("b").unwrap();
    server.end();
    assert_eq!(state(path), before);
}

#[test]
fn the_file_and_a_variable_ask_for_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a"]);
    write(
        path.join("metier.toml"),
        "persist = true\nstate_dir = \"kept\"\n",
    );
    let server = |variable: &str| {
        let mut command = metier(path);
        command.args(["stdio", "skills"]);
        if !variable.is_empty() {
            command.env("METIER_PERSIST", variable);
        }
        Server::of(command, path)
    };
    let mut first = server("");
    first.load("a").unwrap();
    first.end();
    assert!(path.join("kept/python/loaded.json").is_file());
    assert_eq!(server("ignore_version").tools(), ["a__one", "a__two"]);
    assert!(server("off").tools().is_empty());
    let mut off = metier(path);
    off.args(["stdio", "--persist=off", "skills"]);
    assert!(Server::of(off, path).tools().is_empty());
}

/// Records of versions 1.0.0, 1.0.0, 2.0.0 and 1.0, and one without.
fn drifted(folder: &Path) {
    for (name, version) in [
        ("same", "1.0.0"),
        ("newer", "1.1.0"),
        ("older", "1.0.0"),
        ("short", "1.0.0"),
        ("unsaved", "3.2.1"),
    ] {
        skill(folder, name, version);
    }
    write(
        folder.join("state/python/loaded.json"),
        r#"{"schema_version": 1, "skills": [{"name": "same", "version": "1.0.0"}, {"name": "newer", "version": "1.0.0"},
            {"name": "older", "version": "2.0.0"}, {"name": "short", "version": "1.0"}, {"name": "unsaved"}],
            "active_groups": ["same:basic", "newer:basic", "older:basic", "short:basic", "unsaved:basic"]}"#,
    );
}

#[test]
fn case_139_the_policy_decides_over_other_versions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    drifted(path);
    let mut server = Server::start(path, &["--persist=skip_on_drift", "skills"]);
    assert_eq!(server.tools(), ["same__one", "unsaved__one"]);
    insta::assert_snapshot!(said_in(path));
    server.end();
    // What was skipped keeps its record.
    assert!(state(path).contains("\"2.0.0\""));
    for command in ["serve", "stdio"] {
        let arguments = [
            "--persist=require_exact_version",
            "--state-dir",
            "state",
            "skills",
        ];
        let before = state(path);
        let text = run(path, &[&[command], &arguments[..]].concat());
        assert!(text.starts_with("exit 2"), "{text}");
        insta::assert_snapshot!("every_mismatch_is_listed", text);
        assert_eq!(state(path), before);
    }
    let mut server = Server::start(path, &["--persist=ignore_version", "skills"]);
    assert_eq!(server.tools().len(), 5);
    server.end();
    let mut server = Server::start(path, &["--persist=require_exact_version", "skills"]);
    assert_eq!(server.tools().len(), 5, "what was loaded is what is kept");
}

#[test]
fn what_drifted_does_not_come_back_as_a_dependency() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["base", "other"]);
    write(
        path.join("skills/rig/SKILL.md"),
        "---\nname: rig\ndescription: The rig skill.\nmetadata: {dcc-mcp: {version: 1.0.0, depends: [base]}}\n---\n",
    );
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("rig").unwrap();
    server.load("other").unwrap();
    server.end();
    skill(path, "base", "1.0");
    let before = state(path);
    let mut server = Server::start(path, &["--persist", "skills"]);
    assert_eq!(server.tools(), ["other__one", "other__two"]);
    server.end();
    let said = said_in(path);
    assert!(
        said.contains("`base` was loaded as 1.0.0 and is 1.0 now"),
        "{said}"
    );
    assert!(
        said.contains("not restored: `rig` needs `base`, which is of another version now"),
        "{said}"
    );
    assert_eq!(state(path), before, "their records stay as they are");
    let mut server = Server::start(path, &["--persist=ignore_version", "skills"]);
    assert!(server.tools().contains(&"base__one".to_owned()));
    server.end();
}

#[test]
fn a_skill_that_is_late_keeps_its_record_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a", "late"]);
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("a").unwrap();
    server.load("late").unwrap();
    server.end();
    std::fs::rename(path.join("skills/late"), path.join("away")).unwrap();
    let mut server = Server::start(path, &["--persist", "--watch", "skills"]);
    assert_eq!(server.tools(), ["a__one", "a__two"]);
    assert!(
        said_in(path).contains(
            "`late` is not there; it is loaded with the next start, or, with --watch, when it comes, and `metier state forget late --state-dir state` gives it up"
        ),
        "{}",
        said_in(path)
    );
    server.unload("a").unwrap();
    wait_for("the save", || {
        (!state(path).contains("\"a\"")).then_some(())
    });
    assert!(state(path).contains("\"late\""));
    std::fs::rename(path.join("away"), path.join("skills/late")).unwrap();
    wait_for("the skill", || {
        (server.tools() == ["late__one", "late__two"]).then_some(())
    });
    // It goes while it is loaded, and the server ends meanwhile.
    std::fs::rename(path.join("skills/late"), path.join("away")).unwrap();
    wait_for("its end", || server.tools().is_empty().then_some(()));
    server.end();
    assert!(state(path).contains("\"late\""));
}

#[test]
fn of_many_skills_that_are_not_there_some_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["one"]);
    let mut records: Vec<_> = (0..2_000)
        .map(|it| json!({"name": format!("x{it}")}))
        .collect();
    records.push(json!({"name": "one", "version": "0.9.0"}));
    let kept = json!({"schema_version": 1, "skills": records}).to_string();
    write(path.join("state/python/loaded.json"), &kept);
    let mut server = Server::start(path, &["--persist=ignore_version", "skills"]);
    let said = said_in(path);
    let warnings = said.lines().filter(|line| line.starts_with("warning: "));
    assert_eq!(warnings.count(), 21, "{said}");
    assert!(said.contains("`x0` is not there") && said.contains("and 1980 more"));
    assert_eq!(server.load("one").unwrap()["result"]["isError"], false);
    server.end();
    assert!(state(path).contains("\"x1999\""), "their records stay");
}

#[cfg(unix)]
#[test]
fn a_state_on_a_drive_that_is_late_is_told_and_comes_back_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a", "b"]);
    for folder in ["drive", "state/python"] {
        std::fs::create_dir_all(path.join(folder)).unwrap();
    }
    let link = path.join("state/python/loaded.json");
    std::os::unix::fs::symlink(path.join("drive/loaded.json"), &link).unwrap();
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("a").unwrap();
    server.end();
    std::fs::rename(path.join("drive"), path.join("away")).unwrap();
    let mut server = Server::start(path, &["--persist", "skills"]);
    let said = said_in(path);
    assert!(said.contains("its drive may be late"), "{said}");
    let answer = server.load("b").unwrap().to_string();
    assert!(answer.contains("MT509"), "{answer}");
    assert!(link.is_symlink() && !path.join("drive").exists());
    std::fs::rename(path.join("away"), path.join("drive")).unwrap();
    // The next change takes along what could not be saved.
    server
        .call(
            "activate_tool_group",
            &json!({"skill_name": "b", "group": "expert"}),
        )
        .unwrap();
    server.end();
    let mut server = Server::start(path, &["--persist", "skills"]);
    assert_eq!(server.tools(), ["a__one", "a__two", "b__one", "b__two"]);
    assert!(link.is_symlink());
}

#[test]
fn case_136_a_damaged_file_is_a_warning_and_is_kept() {
    for (text, loaded) in [
        (
            "{\"schema_version\": 1, \"saved_at_ms\": 1, \"skills\": [{\"name\": ",
            0,
        ),
        ("", 0),
        ("null", 0),
        ("[]", 0),
        (
            "{\"schema_version\": 1, \"skills\": {\"one\": true}, \"active_groups\": \"all\"}",
            0,
        ),
        (
            "{\"schema_version\": 1, \"skills\": [{\"name\": \"one\", \"version\": \"1.0.0\"}, {\"nome\": \"x\"}, 5], \"active_groups\": [\"one:basic\"]}",
            1,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        skills(path, &["one", "two"]);
        write(path.join("state/python/loaded.json"), text);
        let mut server = Server::start(path, &["--persist", "skills"]);
        assert_eq!(server.tools().len(), loaded, "{text}");
        let said = said_in(path);
        let warnings = said
            .lines()
            .filter(|line| line.starts_with("warning: state/"));
        assert_eq!(warnings.count(), 1, "{said}");
        server.load("two").unwrap();
        server.end();
        let kept = std::fs::read_to_string(path.join("state/python/loaded.json.bak"));
        assert_eq!(kept.unwrap(), text);
        assert!(state(path).contains("\"two\""));
    }
}

#[test]
fn case_140_loading_never_fails_over_saving() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a", "b"]);
    write(path.join("state/python"), "x");
    let mut server = Server::start(path, &["--persist", "skills"]);
    server.load("a").unwrap();
    server.load("b").unwrap();
    assert_eq!(server.tools().len(), 4);
    server.end();
    let said = said_in(path);
    assert_eq!(
        said.matches("the loaded skills are not saved").count(),
        1,
        "{said}"
    );
    assert_eq!(
        std::fs::read_to_string(path.join("state/python")).unwrap(),
        "x"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_file_sizes_does_not_end_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    skills(path, &["a"]);
    write(
        path.join("state/python/loaded.json"),
        "{\"schema_version\": 1}\n",
    );
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -f 0; exec \"$0\" stdio --persist --state-dir state skills",
        ])
        .arg(env!("CARGO_BIN_EXE_metier"))
        .current_dir(path)
        .env("HOME", path);
    // The limit holds for what it says as well, so that goes to a pipe.
    let mut server = {
        let mut command = command;
        command.env("METIER_LOG", "off");
        Server::of(command, path)
    };
    let answer = server.load("a").unwrap();
    assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
    assert_eq!(server.tools().len(), 2);
    server.end();
    assert_eq!(state(path), "{\"schema_version\": 1}\n");
    let left: Vec<_> = std::fs::read_dir(path.join("state/python"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_name_that_is_no_folder_is_refused_with_a_better_one() {
    let folder = tempfile::tempdir().unwrap();
    skills(folder.path(), &["a"]);
    let text = run(
        folder.path(),
        &[
            "serve",
            "--port",
            "0",
            "--app",
            "Maya 2026",
            "--persist",
            "skills",
        ],
    );
    insta::assert_snapshot!(placeless(&text, folder.path()));
    let text = run(
        folder.path(),
        &["serve", "--persist", "ignore_version", "skills"],
    );
    insta::assert_snapshot!(text);
    assert!(!folder.path().join("no-home").exists());
}
