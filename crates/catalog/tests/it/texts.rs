//! `read_skill_file`: the skills' texts for clients that know tools only.

use std::fs;

use metier_catalog::{CatalogEventKind, SkillTools};
use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

fn write(bench: &Bench, path: &str, bytes: impl AsRef<[u8]>) {
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
