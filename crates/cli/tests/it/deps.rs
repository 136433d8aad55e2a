//! `metier deps`.

use std::path::Path;

use crate::command::{json, metier, run, write};

fn skills(folder: &Path, skills: &[(&str, &str)]) {
    for (name, depends) in skills {
        write(
            folder.join("skills").join(name).join("SKILL.md"),
            &format!(
                "---\nname: {name}\ndescription: The {name} skill.\nmetadata:\n  dcc-mcp:\n    depends: [{depends}]\n---\n"
            ),
        );
    }
}

#[test]
fn a_sound_set() {
    let folder = tempfile::tempdir().unwrap();
    skills(
        folder.path(),
        &[("rig", "mesh, math"), ("mesh", "math"), ("math", "")],
    );
    insta::assert_snapshot!(run(folder.path(), &["deps", "skills"]), @"
    exit 0
    --- stdout
    math
    mesh  needs math
    rig   needs mesh, math
    --- stderr
    3 skills, 0 missing, 0 cycles
    ");
}

#[test]
fn missing_and_round_in_circles() {
    let folder = tempfile::tempdir().unwrap();
    skills(
        folder.path(),
        &[
            ("a", "b"),
            ("b", "a"),
            ("waits", "a"),
            ("rig", "mesh, nowhere"),
            ("mesh", ""),
        ],
    );
    insta::assert_snapshot!(run(folder.path(), &["deps", "skills"]));
    insta::assert_snapshot!(
        "dot",
        run(folder.path(), &["deps", "--format", "dot", "skills"])
    );
    insta::assert_snapshot!(
        "mermaid",
        run(folder.path(), &["deps", "--format", "mermaid", "skills"])
    );
    let output = metier(folder.path())
        .args(["deps", "--json", "skills"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    insta::assert_json_snapshot!(json(&output));
}

#[test]
fn only_what_is_about_dependencies_is_told() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("skills/rig/SKILL.md"),
        "---\nname: rig\nmetadata:\n  dcc-mcp:\n    depends: [rig]\n---\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["deps", "skills"]), @"
    exit 0
    --- stdout
    rig
    --- stderr
    skills/rig/SKILL.md:5:15: warning[MT139]: `rig` depends on itself (remove the line)
    1 skill, 0 missing, 0 cycles
    ");
    // The other one is there.
    let list = run(folder.path(), &["list", "skills"]);
    assert!(list.contains("MT124"), "{list}");
}
