//! `metier list`.

use crate::command::{fixtures, json, metier, mixed, placeless, run, said, write};

#[test]
fn the_demo_skills() {
    insta::assert_snapshot!(run(&fixtures(), &["list", "demo"]));
}

#[test]
fn what_is_broken_is_told_and_the_rest_is_listed() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["list", "skills"]));
    insta::assert_snapshot!(
        "strict",
        run(folder.path(), &["list", "--strict", "skills"])
    );
}

#[test]
fn json_for_programs() {
    let folder = mixed();
    let text = run(folder.path(), &["list", "--json", "skills"]);
    let text = placeless(&text, folder.path());
    let json = text
        .split("--- stdout\n")
        .nth(1)
        .unwrap()
        .split("--- stderr")
        .next()
        .unwrap();
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    insta::assert_json_snapshot!(json);
}

/// Also where the outer one serves no file, as its name forbids it.
#[test]
fn a_skill_inside_a_skill_that_is_not_served_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (path, name) in [("Odd_Name", "Odd_Name"), ("Odd_Name/inner", "inner")] {
        let text = format!("---\nname: {name}\ndescription: x\n---\n");
        write(folder.path().join(path).join("SKILL.md"), &text);
    }
    let told = |arguments: &[&str], list: &str| {
        let output = metier(folder.path()).args(arguments).output().unwrap();
        let told = json(&output)
            .pointer(list)
            .unwrap()
            .as_array()
            .unwrap()
            .clone();
        let nested = told
            .into_iter()
            .filter(|finding| finding["code"] == "MT601");
        nested.count()
    };
    let root = folder.path().to_str().unwrap();
    assert_eq!(told(&["list", "--json", root], "/skills/0/diagnostics"), 1);
    let info = ["info", "--json", "Odd_Name", root];
    assert_eq!(told(&info, "/diagnostics"), 1);
}

/// What the look at the files takes out is told by the list that looked.
#[test]
fn a_skill_that_its_files_block_is_rejected_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["fine", "names"] {
        let text = format!("---\nname: {name}\ndescription: D.\n---\nB\n");
        write(folder.path().join(name).join("SKILL.md"), &text);
    }
    write(folder.path().join("names/n.md"), "a\u{202e}b");
    let list = |more: &[&str]| {
        let arguments = ["list", "--no-config", "."];
        let list = metier(folder.path()).args(arguments).args(more).output();
        list.unwrap()
    };
    let answer = json(&list(&["--json"]));
    assert_eq!(answer["total"], 1, "{answer}");
    assert_eq!(answer["skills"][0]["name"], "fine");
    assert_eq!(answer["rejected"][0]["name"], "names");
    let told = answer["rejected"][0]["diagnostics"].to_string();
    assert!(told.contains("MT4") && told.contains("n.md"), "{told}");
    let skipped = json(&list(&["--json", "--status", "skipped"]));
    assert_eq!(skipped["skills"][0]["name"], "names", "{skipped}");
    let text = said(&list(&[]));
    assert!(text.contains("1 skill, 1 rejected"), "{text}");
    assert!(!text.contains("names  unloaded"), "{text}");
    let info = ["info", "--json", "--no-config", "names", "."];
    let info = json(&metier(folder.path()).args(info).output().unwrap());
    assert_eq!(info["status"], "skipped", "{info}");
}

#[test]
fn what_blocks_a_skill_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\nname: names\ndescription: D.\n---\nB\n";
    write(folder.path().join("names/SKILL.md"), text);
    write(folder.path().join("names/n.md"), "a\u{202e}b");
    insta::assert_snapshot!(run(folder.path(), &["list", "--no-config", "."]));
}

/// What everybody leaves out is counted; what nobody expects is told.
#[cfg(unix)]
#[test]
fn what_is_left_out_of_skills_is_told_beside_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let text = "---\nname: notes\ndescription: D.\n---\nB\n";
    for root in ["explicit", "other"] {
        write(folder.path().join(root).join("notes/SKILL.md"), text);
    }
    let label = text.replace("notes", "explicit-2");
    write(folder.path().join("explicit/label/SKILL.md"), &label);
    for odd in [
        ".env",
        "__pycache__/a.pyc",
        "back\\slash.txt",
        "new\nline.txt",
    ] {
        write(folder.path().join("explicit/notes").join(odd), "");
    }
    let list = ["list", "--no-config", "explicit", "other"];
    insta::assert_snapshot!(run(folder.path(), &list));
    let check = metier(folder.path())
        .args(["check", "--no-config", "explicit", "other"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&check.stdout).into_owned();
    let why = "its URI would lie inside the skill `explicit-2`";
    assert!(told.contains("MT612") && told.contains(why), "{told}");
}

#[test]
fn copies_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for root in ["ra", "rb", "rc"] {
        write(
            folder.path().join(root).join("notes/SKILL.md"),
            &format!("---\nname: notes\ndescription: The copy in {root}.\n---\n"),
        );
    }
    let roots = ["ra", "rb", "rc"];
    let mut command = metier(folder.path());
    let output = command
        .args(["list", "--json"])
        .args(roots)
        .output()
        .unwrap();
    let listed = json(&output);
    let place = |row: &serde_json::Value| {
        let lies = row["folder"].as_str().unwrap();
        placeless(lies, folder.path())
    };
    assert_eq!(place(&listed["skills"][0]), "FOLDER/ra/notes");
    assert_eq!(listed["skills"][0].get("id"), None);
    for (at, (root, id)) in [("rb", "explicit-2:notes"), ("rc", "explicit-3:notes")]
        .into_iter()
        .enumerate()
    {
        let row = &listed["shadowed"][at];
        assert_eq!(place(row), format!("FOLDER/{root}/notes"));
        assert_eq!(row["id"], id);
        let told = run(folder.path(), &[&["info", id], &roots[..]].concat());
        assert!(
            told.contains(&format!("The copy in {root}."))
                && told.contains(&format!("{:<13} {id}", "id"))
                && told.contains("1 finding\n"),
            "{told}"
        );
    }
    // What is wrong with a copy is nothing of the one that counts.
    let winner = run(folder.path(), &["info", "notes", "ra", "rb", "rc"]);
    assert!(!winner.contains("MT161"), "{winner}");
    let shadowed = run(
        folder.path(),
        &["list", "--status", "shadowed", "ra", "rb", "rc"],
    );
    assert!(
        shadowed.contains("explicit-2:notes  shadowed")
            && shadowed.contains("explicit-3:notes  shadowed"),
        "{shadowed}"
    );
}

#[test]
fn wrong_paths_are_named() {
    let folder = mixed();
    insta::assert_snapshot!(run(folder.path(), &["list", "nowhere"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: nowhere: there is no such folder
    ");
    insta::assert_snapshot!(run(folder.path(), &["list", "skills/good/SKILL.md"]), @r"
    exit 2
    --- stdout
    --- stderr
    error: skills/good/SKILL.md: this is a file; name the folder that holds the skills
    ");
    let status = run(folder.path(), &["list", "--status", "laoded", "skills"]);
    assert!(
        status.contains("exit 2") && status.contains("pending_deps"),
        "{status}"
    );
}

#[test]
fn the_usual_places_come_from_the_environment() {
    let folder = mixed();
    let output = metier(folder.path())
        .env("DCC_MCP_SKILL_PATHS", folder.path().join("skills/good"))
        .args(["list"])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("good"),
        "{output:?}"
    );
    let nothing = run(folder.path(), &["list"]);
    assert!(nothing.contains("0 skills"), "{nothing}");
}

#[test]
fn findings_about_no_skill_are_told_to_programs_as_the_check_tells_them() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/good");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: good\ndescription: Good.\n---\n",
    )
    .unwrap();
    std::fs::create_dir_all(folder.path().join("skills/bare/scripts")).unwrap();
    std::fs::write(folder.path().join("skills/bare/tools.yaml"), "tools: []\n").unwrap();
    let output = metier(folder.path())
        .args(["list", "--json", "skills"])
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let output = metier(folder.path().join("skills").as_path())
        .args(["check", "--json", "--lenient"])
        .output()
        .unwrap();
    let checked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed["findings"], serde_json::json!([checked]));
    assert_eq!(checked["labels"][0]["location"]["file"], "bare");
}
