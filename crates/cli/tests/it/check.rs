//! `metier check` and `metier schema`.

use std::path::Path;

use crate::command::{fixtures, metier, mixed, run, write};

fn stdout(folder: &Path, arguments: &[&str]) -> String {
    let output = metier(folder).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn one_skill(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("bake-ao");
    std::fs::create_dir(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    folder
}

#[test]
fn findings_for_people() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["check", "skills"]));
    insta::assert_snapshot!(
        "lenient",
        run(folder.path(), &["check", "--lenient", "skills"])
    );
}

#[test]
fn the_most_common_fault_is_underlined_with_its_cure() {
    let folder = one_skill("---\nname: bake-ao\ndescription: Checks a scene: units, names\n---\n");
    insta::assert_snapshot!(run(folder.path(), &["check"]));
}

#[test]
fn findings_for_programs() {
    let folder = mixed();
    insta::assert_snapshot!(
        "concise",
        stdout(folder.path(), &["check", "--format", "concise", "skills"])
    );
    insta::assert_snapshot!(
        "json",
        stdout(folder.path(), &["check", "--format", "json", "skills"])
    );
    insta::assert_snapshot!(
        "github",
        stdout(folder.path(), &["check", "--format", "github", "skills"])
    );
    insta::assert_snapshot!(
        "junit",
        stdout(folder.path(), &["check", "--format", "junit", "skills"])
    );
    let text = stdout(folder.path(), &["check", "--format", "sarif", "skills"]);
    let mut log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let driver = &mut log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    // The pages have tests of their own.
    for rule in driver["rules"].as_array_mut().unwrap() {
        assert!(
            rule["help"]["markdown"]
                .take()
                .as_str()
                .unwrap()
                .contains("## What it does")
        );
    }
    driver["version"] = "VERSION".into();
    insta::assert_snapshot!("sarif", format!("{log:#}"));
}

#[test]
fn exit_codes() {
    let clean = fixtures();
    let status =
        |folder: &Path, arguments: &[&str]| metier(folder).args(arguments).status().unwrap().code();
    assert_eq!(status(&clean, &["check", "demo"]), Some(0));
    let folder = mixed();
    assert_eq!(status(folder.path(), &["check", "skills"]), Some(1));
    let warned = one_skill("---\nname: another\ndescription: Has another name.\n---\n");
    assert_eq!(status(warned.path(), &["check"]), Some(0));
    assert_eq!(
        status(warned.path(), &["check", "--deny", "warnings"]),
        Some(1)
    );
    assert_eq!(
        status(warned.path(), &["check", "bake-ao/SKILL.md"]),
        Some(0)
    );
    let nothing = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(run(nothing.path(), &["check", "."]), @r"
    exit 2
    --- stdout
    --- stderr
    0 skills (strict): 0 fine to load; 0 errors, 0 warnings, 0 notes
    error: there is no skill in .; a skill is a folder with a SKILL.md
    ");
    insta::assert_snapshot!(run(nothing.path(), &["check", "nowhere"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: nowhere: there is no such folder
    ");
}

#[test]
fn a_check_and_a_strict_list_give_the_same_verdict() {
    let folder = mixed();
    let listed: serde_json::Value = serde_json::from_str(&stdout(
        folder.path(),
        &["list", "--strict", "--json", "skills"],
    ))
    .unwrap();
    let checked = stdout(
        folder.path(),
        &["check", "--statistics", "--format", "json", "skills"],
    );
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    let names = |list: &serde_json::Value| -> Vec<String> {
        let skills = list.as_array().unwrap().iter();
        skills
            .map(|skill| skill["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let of_verdict = |wanted: &str| -> Vec<String> {
        let skills = checked["skills"].as_array().unwrap().iter();
        let of = skills.filter(|skill| skill["verdict"] == wanted);
        of.map(|skill| skill["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of_verdict("loaded"), names(&listed["skills"]));
    assert_eq!(of_verdict("rejected"), names(&listed["rejected"]));
    assert_eq!(checked["rejected"], 2);
}

#[test]
fn a_code_is_explained_in_any_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let page = stdout(folder.path(), &["check", "--explain", "MT118"]);
    insta::assert_snapshot!(page);
    assert_eq!(stdout(folder.path(), &["check", "--explain", "118"]), page);
    assert_eq!(
        stdout(
            folder.path(),
            &["check", "--explain", "description-not-quoted"]
        ),
        page
    );
    insta::assert_snapshot!(run(folder.path(), &["check", "--explain", "quoted"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: `quoted` is no code; did you mean MT118 (description-not-quoted)?
    ");
}

#[test]
fn schemas_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["skill", "tools"] {
        let schema: serde_json::Value =
            serde_json::from_str(&stdout(folder.path(), &["schema", name])).unwrap();
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
    }
}

#[test]
fn the_settings_file_counts_as_it_does_elsewhere() {
    let folder = mixed();
    let write = |text: &str| std::fs::write(folder.path().join("metier.toml"), text).unwrap();
    let summary = |arguments: &[&str]| {
        let output = metier(folder.path())
            .arg("check")
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        said.lines().next().unwrap_or_default().to_owned()
    };
    // Without one: the current folder, strictly.
    assert!(
        summary(&[]).starts_with("3 skills (strict)"),
        "{}",
        summary(&[])
    );
    write("roots = ['skills/good', 'skills/half']\nstrict = false\n");
    assert!(
        summary(&[]).starts_with("2 skills (lenient)"),
        "{}",
        summary(&[])
    );
    // A PATH replaces the roots, an option the file's strictness, a variable as well.
    assert!(summary(&["skills"]).starts_with("3 skills (lenient)"));
    assert!(summary(&["--strict"]).starts_with("2 skills (strict)"));
    assert!(summary(&["--no-config"]).starts_with("3 skills (strict)"));
    let output = metier(folder.path())
        .env("METIER_STRICT", "true")
        .args(["check"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("2 skills (strict)"), "{said}");
    // With the usual places, the roots are among them.
    let all = summary(&["--with-defaults", "skills/broken"]);
    assert!(all.starts_with("3 skills (lenient)"), "{all}");
    write("roots = ['skills/good']\ncolour = 1\n");
    insta::assert_snapshot!(run(folder.path(), &["check"]), @"
    exit 2
    --- stdout
    --- stderr
    error: metier.toml:2:1: unknown key `colour`; known are app, dcc, roots, agent_skills, disabled, strict, workspace_roots, capabilities, environment, require_host, attach, load, watch, persist, state_dir, stubs, skill_tools, confirm, python, argv, limits.deadline, limits.longest, limits.output, limits.processes, audit.file, audit.size, memory.enabled, memory.database, memory.privacy, http.host, http.port, http.allowed_hosts, http.allowed_origins, window, selector.use, selector.url, selector.model, selector.key_variable, selector.timeout, selector.answers, permissions.deny, permissions.allow, permissions.ask, interpreters.NAME, [[hooks]]
    ");
}

#[test]
fn what_waits_and_what_goes_in_circles_is_not_fine_to_load() {
    let folder = tempfile::tempdir().unwrap();
    for (name, needs) in [
        ("a", "b"),
        ("b", "a"),
        ("needs-a", "a"),
        ("rig", "nowhere"),
        ("over-rig", "rig"),
        ("fine", "[]"),
    ] {
        let skill = folder.path().join("skills").join(name);
        std::fs::create_dir_all(&skill).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: D.\nmetadata:\n  dcc-mcp:\n    depends: {needs}\n---\n"
        );
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let said = run(folder.path(), &["check", "--format", "concise", "skills"]);
    insta::assert_snapshot!(said);
}

#[test]
fn a_fence_that_closes_too_early_is_told_and_the_place_comes_before_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("bake/SKILL.md"),
        "---\nname: bake\ndescription: Bakes the selected lights.\n---\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\nText.\n",
    );
    write(
        folder.path().join("bake/tools.yaml"),
        "tools:\n  - name: bake\n",
    );
    write(folder.path().join("bake/scripts/bake.py"), "print('{}')\n");
    insta::assert_snapshot!(run(folder.path(), &["check", "bake"]), @"
    exit 0
    --- stdout
    warning[MT214]: `tools.yaml` is not read, because the front matter does not name it
     --> bake/SKILL.md:1:1
      |
    1 | ---
      | ^^^
      |
      = help: the front matter ends at the `---` on line 4, and `metadata` below it is not read: remove that `---`

    --- stderr
    1 skill (strict): 1 fine to load; 0 errors, 1 warning, 0 notes
    `metier check --explain MT214` says more
    ");
}

#[test]
fn a_key_of_another_format_leads_to_the_one_that_means_it() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("bake/SKILL.md"),
        "---\nname: bake\ndescription: Bakes the selected lights.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n",
    );
    write(
        folder.path().join("bake/tools.yaml"),
        "tools:\n  - name: bake\n    timeout: 5\n    source: scripts/bake.py\n    parameters: {}\n    colour: red\n    scripts: x\n",
    );
    write(folder.path().join("bake/scripts/bake.py"), "print('{}')\n");
    insta::assert_snapshot!(run(folder.path(), &["check", "--format", "concise", "bake"]), @"
    exit 0
    --- stdout
    bake/tools.yaml:3:5: warning[MT225]: `timeout` is not a key of the format and is not read (did you mean `timeout_hint_secs`?)
    bake/tools.yaml:4:5: warning[MT225]: `source` is not a key of the format and is not read (did you mean `source_file`?)
    bake/tools.yaml:5:5: warning[MT225]: `parameters` is not a key of the format and is not read (did you mean `input_schema`?)
    bake/tools.yaml:6:5: warning[MT225]: `colour` is not a key of the format and is not read (remove it, or write a key of the format)
    bake/tools.yaml:7:5: warning[MT225]: `scripts` is not a key of the format and is not read (remove it, or write a key of the format)
    --- stderr
    1 skill (strict): 1 fine to load; 0 errors, 5 warnings, 0 notes
    `metier check --explain MT225` says more
    ");
    let full = run(folder.path(), &["check", "bake"]);
    for meant in ["timeout_hint_secs", "source_file", "input_schema"] {
        assert!(full.contains(&format!("did you mean `{meant}`?")), "{full}");
    }
}

/// Both ways to tell a dependency lead to the same verdict.
#[test]
fn a_skill_that_needs_itself_is_told_where_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path().join("in-front/SKILL.md"),
        "---\nname: in-front\ndescription: D.\nmetadata:\n  dcc-mcp:\n    depends: [in-file, in-front]\n---\n",
    );
    write(
        folder.path().join("in-file/SKILL.md"),
        "---\nname: in-file\ndescription: D.\n---\n",
    );
    write(
        folder.path().join("in-file/metadata/depends.md"),
        "Needs:\n\n* [in-file](../SKILL.md)\n",
    );
    insta::assert_snapshot!(run(folder.path(), &["check", "--format", "concise", "."]), @"
    exit 1
    --- stdout
    in-file/metadata/depends.md:3:4: error[MT139]: `in-file` depends on itself (remove the line)
    in-front/SKILL.md:6:24: error[MT139]: `in-front` depends on itself (remove the line)
    --- stderr
    2 skills (strict): 0 fine to load, 2 rejected; 2 errors, 0 warnings, 0 notes
    `metier check --explain MT139` says more
    ");
    insta::assert_snapshot!(run(folder.path(), &["check", "--lenient", "--format", "concise", "."]), @"
    exit 0
    --- stdout
    in-file/metadata/depends.md:3:4: warning[MT139]: `in-file` depends on itself (remove the line)
    in-front/SKILL.md:6:24: warning[MT139]: `in-front` depends on itself (remove the line)
    --- stderr
    2 skills (lenient): 2 fine to load; 0 errors, 2 warnings, 0 notes
    `metier check --explain MT139` says more
    ");
}
