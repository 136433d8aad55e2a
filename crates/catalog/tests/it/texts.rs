//! `read_skill_file`: the skills' texts for clients that know tools only.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use metier_catalog::{CatalogEventKind, SkillTools};
use metier_skill_model::SkillStatus;
use metier_tool::ToolOutput;
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

pub(crate) fn write(bench: &Bench, path: &str, bytes: impl AsRef<[u8]>) {
    let path = bench.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn it_is_listed_while_a_skill_is_nothing_but_its_text() {
    let listed = |bench: &Bench| bench.listed().contains(&"read_skill_file".to_owned());
    let bench = Bench::new();
    bench.skill_with_tools("tooled", "tools: [a]\n", ECHO);
    bench.discover();
    assert!(!listed(&bench));
    bench.skill("words", &[]);
    bench.discover();
    assert!(listed(&bench));

    for (when, tooled, worded) in [
        (SkillTools::On, true, true),
        (SkillTools::Off, false, false),
    ] {
        let bench = Bench::with(|settings| settings.skill_tools = when);
        bench.skill_with_tools("tooled", "tools: [a]\n", ECHO);
        bench.discover();
        assert_eq!(listed(&bench), tooled, "{when:?}");
        bench.skill("words", &[]);
        bench.discover();
        assert_eq!(listed(&bench), worded, "{when:?}");
    }
}

#[tokio::test]
async fn instructions_come_as_they_lie_there_and_name_the_other_files() {
    let bench = Bench::new();
    write(
        &bench,
        "words/SKILL.md",
        "---\nname: words\ndescription: x\n---\n\n# Héllo\r\n",
    );
    write(&bench, "words/references/a b.md", "more");
    write(&bench, "words/dot.png", b"\x89PNG\r\n\x1a\n\0\xff");
    write(&bench, "words/data.bin", b"\0\xff");
    write(&bench, "words/.secret", "no");
    write(&bench, "words/large.txt", vec![b'x'; (1 << 20) + 1]);
    bench.discover();
    let read = async |arguments| bench.output("read_skill_file", arguments).await;
    let whole = read(json!({"skill_name": "words"})).await;
    assert_eq!(
        whole.content[0].as_text(),
        Some("---\nname: words\ndescription: x\n---\n\n# Héllo\r\n")
    );
    insta::assert_json_snapshot!(whole.structured);
    let named = read(json!({"skill_name": "words", "path": "SKILL.md"})).await;
    assert_eq!(named, whole);
    let mut others = Vec::new();
    for path in ["references/a b.md", "dot.png", "data.bin"] {
        let answer = read(json!({"skill_name": "words", "path": path})).await;
        assert!(!answer.is_error);
        others.push(json!([answer.content, answer.structured]));
    }
    insta::assert_json_snapshot!(others);
    let mut refused = Vec::new();
    for (skill, path) in [
        ("word", "SKILL.md"),
        ("words", ".secret"),
        ("words", "../words/SKILL.md"),
        ("words", "references"),
        ("words", "/etc/hostname"),
        ("words", "large.txt"),
    ] {
        let answer = read(json!({"skill_name": skill, "path": path})).await;
        assert!(answer.is_error, "{skill} {path}");
        refused.push(answer.structured);
    }
    insta::assert_json_snapshot!(refused);
}

/// All parts of a file as a client reads them that knows nothing but the answers, which ends where there is no next part.
async fn parts_of(bench: &Bench, path: &str, length: Option<u64>) -> Vec<ToolOutput> {
    let mut arguments = json!({"skill_name": "words", "path": path, "offset": 0});
    if let Some(length) = length {
        arguments["length"] = length.into();
    }
    let mut parts = Vec::new();
    loop {
        let part = bench.output("read_skill_file", arguments.clone()).await;
        assert!(!part.is_error, "{}", part.joined_text());
        let facts = part.structured.clone().unwrap();
        parts.push(part);
        let Some(next) = facts.get("next_offset") else {
            return parts;
        };
        arguments["offset"] = next.clone();
        arguments["digest"] = facts["digest"].clone();
    }
}

#[tokio::test]
async fn a_large_file_is_read_in_parts() {
    let bench = Bench::new();
    bench.skill("words", &[]);
    // Four characters of ten bytes and a line end: no part of a million bytes ends where one of them does by chance.
    let text = "aé球🦀\n".repeat(300_000);
    let binary: Vec<u8> = (0..3_300_000_u32).map(|it| it.to_le_bytes()[0]).collect();
    write(&bench, "words/large.txt", &text);
    write(
        &bench,
        "words/large.png",
        [b"\x89PNG\r\n\x1a\n", &binary[..]].concat(),
    );
    bench.discover();
    for length in [None, Some(1_000_000), Some(999_999)] {
        let parts = parts_of(&bench, "large.txt", length).await;
        assert_eq!(parts.len(), 4, "{length:?}");
        let mut read = String::new();
        for part in &parts {
            let facts = part.structured.as_ref().unwrap();
            let piece = part.content[0].as_text().unwrap();
            assert_eq!(facts["offset"], read.len() as u64);
            assert_eq!(facts["length"], piece.len() as u64);
            assert_eq!(facts["size"], text.len() as u64);
            assert!(piece.len() as u64 <= length.unwrap_or(1 << 20));
            let said = part.content[1].as_text().unwrap();
            let next = facts.get("next_offset");
            let goes_on = next.map_or("the file ends here".to_owned(), |next| {
                format!("offset={next}, digest=sha256:")
            });
            assert!(said.contains(&goes_on), "{said}");
            read.push_str(piece);
        }
        assert!(read == text);
    }
    let parts = parts_of(&bench, "large.png", None).await;
    let mut read = Vec::new();
    for part in &parts {
        let content = serde_json::to_value(&part.content[0]).unwrap();
        assert_eq!(content["resource"]["mimeType"], "image/png");
        let blob = content["resource"]["blob"].as_str().unwrap();
        read.extend(STANDARD.decode(blob).unwrap());
    }
    assert!(parts.len() == 4 && read == fs::read(bench.path().join("words/large.png")).unwrap());
    let whole = bench
        .output(
            "read_skill_file",
            json!({"skill_name": "words", "path": "large.txt"}),
        )
        .await;
    assert_eq!(whole.structured.unwrap()["code"], "too_large");
}

#[tokio::test]
async fn parts_of_two_files_are_not_put_together() {
    let bench = Bench::new();
    bench.skill("words", &[]);
    write(&bench, "words/notes.md", "été");
    bench.discover();
    let read = async |arguments: Value| {
        let mut asked = json!({"skill_name": "words", "path": "notes.md"});
        asked
            .as_object_mut()
            .unwrap()
            .extend(arguments.as_object().unwrap().clone());
        bench.output("read_skill_file", asked).await
    };
    let first = read(json!({"length": 1})).await;
    let digest = first.structured.as_ref().unwrap()["digest"].clone();
    let mut answers = vec![first];
    for arguments in [
        json!({"offset": 4, "length": 1000, "digest": digest}),
        json!({"offset": 5}),
        json!({"offset": 6}),
        json!({"length": 0}),
    ] {
        answers.push(read(arguments).await);
    }
    let answers: Vec<_> = answers
        .iter()
        .map(|answer| json!([answer.content, answer.structured, answer.is_error]))
        .collect();
    insta::assert_json_snapshot!(answers);
    write(&bench, "words/notes.md", "other");
    for arguments in [
        json!({"offset": 2, "digest": digest}),
        json!({"digest": digest}),
    ] {
        let other = read(arguments).await;
        assert!(other.is_error);
        let facts = other.structured.unwrap();
        assert_eq!(
            (&facts["code"], &facts["size"]),
            (&json!("changed"), &json!(5))
        );
        let again = read(json!({"offset": 2, "digest": facts["digest"]})).await;
        assert_eq!(again.content[0].as_text(), Some("her"));
    }
    // The instructions in parts are the instructions: the same rules, and the list of files with the first one.
    let hidden = "---\nname: words\ndescription: x\ndisable-model-invocation: true\n---\n";
    write(&bench, "words/SKILL.md", hidden);
    bench.discover();
    let asked = json!({"skill_name": "words", "offset": 3, "length": 9});
    let refused = bench.output("read_skill_file", asked).await;
    assert_eq!(refused.structured.unwrap()["code"], "only_for_users");
}

#[tokio::test]
async fn a_changed_file_is_told_of_and_a_broken_one_says_so() {
    let bench = Bench::new();
    bench.skill("words", &[]);
    write(&bench, "words/notes.md", "one");
    bench.discover();
    let read = async |path: &str| {
        bench
            .output(
                "read_skill_file",
                json!({"skill_name": "words", "path": path}),
            )
            .await
            .joined_text()
    };
    assert_eq!(read("notes.md").await, "one");
    let mut events = bench.catalog.subscribe();
    write(&bench, "words/notes.md", "two and more");
    assert_eq!(read("notes.md").await, "two and more");
    assert_eq!(
        events.try_recv().unwrap().kind,
        CatalogEventKind::FilesChanged
    );

    let good = fs::read(bench.path().join("words/SKILL.md")).unwrap();
    write(&bench, "words/SKILL.md", "---\nname: [\n---\n");
    let broken = read("SKILL.md").await;
    assert!(
        broken.contains("its SKILL.md is broken at present"),
        "{broken}"
    );
    write(&bench, "words/SKILL.md", &good);
    assert_eq!(read("SKILL.md").await.as_bytes(), good);
}

#[tokio::test]
async fn why_something_is_not_served_is_told_with_the_skill() {
    let bench = Bench::new();
    for name in ["words", "many", "marked"] {
        bench.skill(name, &[]);
    }
    write(&bench, "words/.git/config", "");
    write(&bench, "words/__pycache__/x.pyc", "");
    write(
        &bench,
        "words/references/inner/SKILL.md",
        "---\nname: inner\ndescription: x\n---\n",
    );
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", bench.path().join("words/out.txt")).unwrap();
    (0..513).for_each(|number| write(&bench, &format!("many/{number}.txt"), ""));
    let text = fs::read_to_string(bench.path().join("marked/SKILL.md")).unwrap();
    write(&bench, "marked/SKILL.md", format!("\u{feff}{text}"));
    bench.discover();
    let list = bench.structured("list_skills", json!({})).await;
    let told: Vec<_> = list["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["name"], row["not_served"], row["left_out"]]))
        .collect();
    insta::assert_json_snapshot!(told);
    for (name, member) in [
        ("many", "not_served"),
        ("marked", "not_served"),
        ("words", "left_out"),
    ] {
        let info = bench
            .structured("get_skill_info", json!({"skill_name": name}))
            .await;
        let row = list["skills"].as_array().unwrap().iter();
        let row = row.clone().find(|row| row["name"] == name).unwrap();
        assert_eq!(info["skill"][member], row[member], "{name}");
        assert_eq!(
            info["skill"]["uri"].is_string(),
            member == "left_out",
            "{name}"
        );
    }
    // The list goes on as soon as the reason is gone.
    fs::remove_file(bench.path().join("many/0.txt")).unwrap();
    fs::remove_file(bench.path().join("many/1.txt")).unwrap();
    let list = bench.structured("list_skills", json!({})).await;
    assert!(list["skills"][0].get("not_served").is_none(), "{list}");
}

#[test]
fn skills_for_another_application_are_not_served_whether_shadowed_or_not() {
    let other = tempfile::tempdir().unwrap();
    let bench = Bench::with(|settings| settings.only_dcc = Some("maya".to_owned()));
    bench.skill("bake", &["dcc: maya"]);
    bench.skill("lift", &["dcc: houdini"]);
    for (name, dcc) in [("bake", "houdini"), ("lift", "maya"), ("light", "python")] {
        let text = format!(
            "---\nname: {name}\ndescription: x\nmetadata:\n  dcc-mcp:\n    dcc: {dcc}\n---\n"
        );
        fs::create_dir(other.path().join(name)).unwrap();
        fs::write(other.path().join(name).join("SKILL.md"), text).unwrap();
    }
    let third = tempfile::tempdir().unwrap();
    fs::create_dir(third.path().join("light")).unwrap();
    let text = "---\nname: light\ndescription: y\nmetadata:\n  dcc-mcp:\n    dcc: maya\n---\n";
    fs::write(third.path().join("light/SKILL.md"), text).unwrap();
    let roots = [bench.path(), other.path(), third.path()].map(std::path::Path::to_owned);
    let report = bench.catalog.discover(&roots, None);
    let snapshot = bench.catalog.snapshot();
    let keys: Vec<_> = snapshot
        .shelf()
        .all_after("")
        .map(|skill| skill.key())
        .collect();
    assert_eq!(
        keys,
        ["bake", "explicit-2/lift", "explicit-3/light", "light"]
    );
    assert_eq!(report.shadowed, 2);
    // A shadowed skill is told of by its id, and served under the label of its root.
    let states = bench
        .catalog
        .text_states(&["explicit-2:lift", "explicit-2:bake", "bake"]);
    let uris: Vec<_> = states
        .iter()
        .map(|state| state.as_ref().and_then(|state| state.uri.as_deref()))
        .collect();
    let lift = Some("skill://explicit-2/lift/SKILL.md");
    assert_eq!(uris, [lift, None, Some("skill://bake/SKILL.md")]);
}

#[test]
fn what_is_wrong_with_a_shadowed_skill_is_listed() {
    let other = tempfile::tempdir().unwrap();
    let bench = Bench::new();
    bench.skill("bake", &[]);
    fs::create_dir(other.path().join("bake")).unwrap();
    let text = "---\nname: bake\ndescription: x\ncompatibility: [y]\n---\n";
    fs::write(other.path().join("bake/SKILL.md"), text).unwrap();
    let roots = [bench.path(), other.path()].map(std::path::Path::to_owned);
    bench.catalog.discover(&roots, None);
    let codes = |found: &[metier_diagnostics::Diagnostic]| -> Vec<&str> {
        found.iter().map(|finding| finding.code.id).collect()
    };
    let listed = bench.catalog.list_skills(Some(SkillStatus::Shadowed));
    assert_eq!(codes(&listed[0].diagnostics), ["MT161", "MT135"]);
    let info = bench.catalog.get_skill_info("explicit-2:bake").unwrap();
    assert_eq!(info.summary.diagnostics, listed[0].diagnostics);
    let snapshot = bench.catalog.snapshot();
    let told = snapshot.operator_findings();
    let told: Vec<_> = told.iter().map(|(_, finding)| finding.code.id).collect();
    assert_eq!(told, ["MT161", "MT135"]);
}

#[tokio::test]
async fn a_label_never_reaches_into_a_skill_of_that_name() {
    let bench = Bench::new();
    let other = tempfile::tempdir().unwrap();
    bench.skill("bake", &[]);
    bench.skill("explicit-2", &[]);
    write(&bench, "explicit-2/bake/SKILL.md", "a file of it");
    let text = "---\nname: bake\ndescription: the other\n---\n";
    for folder in ["bake", "deep/bake"] {
        fs::create_dir_all(other.path().join(folder)).unwrap();
        fs::write(other.path().join(folder).join("SKILL.md"), text).unwrap();
    }
    let roots = [bench.path().to_owned(), other.path().to_owned()];
    bench.catalog.discover(&roots, None);
    let snapshot = bench.catalog.snapshot();
    let keys: Vec<_> = snapshot
        .shelf()
        .all_after("")
        .map(|skill| skill.key())
        .collect();
    assert_eq!(keys, ["bake", "explicit-2"]);
    let states = bench
        .catalog
        .text_states(&["explicit-2:bake", "explicit-2:deep/bake", "nope"]);
    let reasons: Vec<_> = states
        .iter()
        .map(|state| state.as_ref()?.not_served.clone())
        .collect();
    let inside = Some("its URI would lie inside the skill `explicit-2`".to_owned());
    assert_eq!(reasons, [inside.clone(), inside, None]);
    let asked = json!({"skill_name": "explicit-2:bake", "path": "SKILL.md"});
    let refused = bench.output("read_skill_file", asked).await;
    let refused = refused.structured.unwrap();
    assert_eq!(refused["code"], "not_served", "{refused:?}");

    // Two of one name below one label: the first has the URI.
    fs::remove_dir_all(bench.path().join("explicit-2")).unwrap();
    bench.catalog.discover(&roots, None);
    let states = bench
        .catalog
        .text_states(&["explicit-2:bake", "explicit-2:deep/bake"]);
    assert_eq!(
        states[0].as_ref().unwrap().uri.as_deref(),
        Some("skill://explicit-2/bake/SKILL.md")
    );
    assert_eq!(
        states[1].as_ref().unwrap().not_served.as_deref(),
        Some("another skill of this name is served as skill://explicit-2/bake")
    );
}
