//! `metier info`.

use crate::command::{fixtures, json, metier, mixed, placeless, run, write};

#[test]
fn everything_about_a_skill() {
    let folder = mixed();
    let bin = crate::command::fake_interpreters(folder.path(), &["python3", "bash"]);
    let output = metier(&fixtures())
        .env("PATH", &bin)
        .args(["info", "image-sequence", "demo"])
        .output()
        .unwrap();
    let text = placeless(&crate::command::said(&output), folder.path());
    insta::assert_snapshot!(text.replace(&*fixtures().to_string_lossy(), "FIXTURES"));
}

#[test]
fn dependencies_groups_and_what_would_fail() {
    let folder = mixed();
    let bin = crate::command::fake_interpreters(folder.path(), &["python3"]);
    write(
        folder.path().join("skills/rig/SKILL.md"),
        "---\nname: rig\ndescription: Rigs.\nmetadata:\n  dcc-mcp:\n    dcc: maya\n    depends: [good, nowhere]\n    tools: tools.yaml\n---\n",
    );
    write(
        folder.path().join("skills/rig/tools.yaml"),
        "groups:\n  - name: fast\n    tools: [bind]\n    default-active: true\ntools:\n\
         \x20 - {name: bind, group: fast, source_file: scripts/bind.mel}\n\
         \x20 - {name: lost, source_file: scripts/Lost.py, required_capabilities: [scene]}\n",
    );
    write(folder.path().join("skills/rig/scripts/bind.mel"), "");
    write(folder.path().join("skills/rig/scripts/lost.py"), "");
    let info = |arguments: &[&str]| {
        let mut command = metier(folder.path());
        let output = command.env("PATH", &bin).args(arguments).output().unwrap();
        placeless(&crate::command::said(&output), folder.path())
    };
    insta::assert_snapshot!(info(&["info", "rig", "skills"]));
    insta::assert_snapshot!("json", info(&["info", "rig", "--json", "skills"]));
    let good = info(&["info", "good", "skills"]);
    assert!(good.contains("needed by     rig"), "{good}");
}

#[test]
fn a_rejected_skill_has_its_reasons() {
    let folder = mixed();
    let text = run(folder.path(), &["info", "broken", "skills"]);
    insta::assert_snapshot!(placeless(&text, folder.path()));
    let output = metier(folder.path())
        .args(["info", "broken", "--json", "skills"])
        .output()
        .unwrap();
    let value = json(&output);
    assert_eq!(value["status"], "skipped", "{value}");
    assert!(
        value["folder"].as_str().unwrap().ends_with("broken"),
        "{value}"
    );
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["info", "godo", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no skill `godo`; did you mean `good`?
    ");
    insta::assert_snapshot!(run(folder.path(), &["info", "xyz", "skills"]), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no skill `xyz`; `metier list` shows all
    ");
}

#[test]
fn a_folder_of_the_skills_name_is_not_meant_where_a_path_is_given() {
    let folder = mixed();
    std::fs::create_dir(folder.path().join("goood")).unwrap();
    let with = run(folder.path(), &["info", "goood", "skills"]);
    assert!(with.contains("did you mean `good`?"), "{with}");
    let without = run(folder.path(), &["info", "goood"]);
    assert!(without.contains("metier info SKILL goood"), "{without}");
}
