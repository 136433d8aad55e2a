//! `metier search`.

use std::path::Path;

use crate::command::{fixtures, metier, mixed, run, said};

#[test]
fn in_two_languages() {
    let chinese = run(&fixtures(), &["search", "如何创建多边形球体", "demo"]);
    assert!(chinese.contains("--- stdout\nobj-wangge"), "{chinese}");
    let english = run(
        &fixtures(),
        &["search", "missing frames in a rendered sequence", "demo"],
    );
    assert!(english.contains("--- stdout\nimage-sequence"), "{english}");
}

#[test]
fn a_rejected_skill_is_found_with_its_reason() {
    let folder = mixed();
    let text = run(folder.path(), &["search", "broken", "skills"]);
    assert!(text.contains("`broken` was found and rejected"), "{text}");
}

#[test]
fn limits_are_explained() {
    let text = run(&fixtures(), &["search", "x", "--limit", "0", "demo"]);
    assert!(
        text.starts_with("exit 2") && text.contains("1 to 100"),
        "{text}"
    );
    let text = run(&fixtures(), &["search", "the ???", "demo"]);
    assert!(
        text.starts_with("exit 0") && text.contains("no word to search for"),
        "{text}"
    );
}

#[test]
fn a_model_in_a_folder_is_used_and_a_missing_one_is_told() {
    let data = tempfile::tempdir().unwrap();
    let search = |model: &Path| {
        let output = metier(&fixtures())
            .env("DCC_MCP_EMBED_MODEL_DIR", model)
            .env("HOME", data.path())
            .args(["search", "timecode", "demo"])
            .output();
        said(&output.unwrap())
    };
    // A model of random weights: what counts is that it takes part and spoils nothing.
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/tests/fixtures/tiny");
    let text = search(&tiny);
    assert!(text.contains("--- stdout\ntimecode"), "{text}");
    assert!(!text.contains("warning:"), "{text}");
    let text = search(data.path());
    assert!(text.contains("--- stdout\ntimecode"), "{text}");
    assert!(
        text.contains("warning: searching without a model"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn a_program_that_embeds_is_asked_and_a_missing_one_is_told() {
    use std::os::unix::fs::PermissionsExt;

    let data = tempfile::tempdir().unwrap();
    let asked = data.path().join("asked");
    let program = data.path().join("embedder");
    // All texts are alike to it, so that it takes part and moves nothing.
    let text = format!(
        "#!/bin/sh\necho '{{\"dims\": 1, \"fingerprint\": \"one\"}}'\nexec python3 -u -c '{}' '{}'\n",
        r#"
import json, sys
for line in sys.stdin:
    texts = json.loads(line)["texts"]
    open(sys.argv[1], "a").write(line)
    print(json.dumps({"vectors": [[1.0] for _ in texts]}))
"#,
        asked.display()
    );
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let search = |program: &Path| {
        let output = metier(&fixtures())
            .env("DCC_MCP_EMBED_PROGRAM", program)
            .env("HOME", data.path())
            .args(["search", "timecode", "demo"])
            .output();
        said(&output.unwrap())
    };
    let text = search(&program);
    assert!(
        text.contains("--- stdout\ntimecode") && !text.contains("warning:"),
        "{text}"
    );
    let questions = std::fs::read_to_string(&asked).unwrap();
    assert!(
        questions.contains("\"kind\":\"document\"") && questions.contains("\"kind\":\"query\""),
        "{questions}"
    );
    let text = search(&data.path().join("nowhere"));
    assert!(text.contains("--- stdout\ntimecode"), "{text}");
    assert!(
        text.contains("warning: searching without a model: the embedder"),
        "{text}"
    );
}

#[test]
fn the_percentage_never_rises_along_the_list() {
    for command in ["search", "discover"] {
        let text = run(&fixtures(), &[command, "frames order", "demo"]);
        assert!(
            text.contains("best first; the percentage is of the best one's score"),
            "{text}"
        );
        falls(&text);
    }
}

fn falls(text: &str) {
    let shares: Vec<u32> = text
        .lines()
        .filter_map(|line| line.split_once(" %"))
        .filter_map(|(before, _)| before.split_whitespace().last()?.parse().ok())
        .collect();
    assert!(shares.len() > 2 && shares.first() == Some(&100), "{text}");
    assert!(shares.is_sorted_by(|one, next| one >= next), "{text}");
}

#[test]
fn discovery_shows_its_order_and_what_is_missing() {
    insta::assert_snapshot!(run(&fixtures(), &["discover", "--limit", "3", "texture names udim", "demo"]), @r"
    exit 0
    --- stdout
    texture-check   100 %  lacks filesystem.read                    Checks the textures of an asset: names, UDIM tiles that are missing i…
    kattomei-kensa  15 %                                            カット名・ショット名の検査：ファイル名が命名規則どおりかを調べ、間違…
    publish-check   13 %   lacks filesystem.read, filesystem.write  Gets a folder ready for publishing: finds leftovers and broken files,…
    --- stderr
    3 skills by words and meaning, best first; the percentage is of the best one's score; the first is 100 % sure
    ");
    insta::assert_snapshot!(run(&fixtures(), &["discover", "/texture-check", "demo"]), @r"
    exit 0
    --- stdout
    texture-check  100 %  lacks filesystem.read  Checks the textures of an asset: names, UDIM tiles that are missing i…
    --- stderr
    1 skill, found by name
    ");
    let searched = run(&fixtures(), &["search", "texture names udim", "demo"]);
    assert!(
        searched.contains("100 %  lacks filesystem.read"),
        "{searched}"
    );
    let empty = run(&fixtures(), &["discover", " ", "demo"]);
    assert!(empty.starts_with("exit 2"), "{empty}");
    // A word that begins one name by chance is no name.
    let text = run(&fixtures(), &["discover", "frame", "demo"]);
    for wanted in ["frame-ranges", "image-sequence", "timecode"] {
        assert!(text.contains(wanted), "{text}");
    }
}
