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
    let text = run(&fixtures(), &["search", "frames order", "demo"]);
    assert!(
        text.contains("best first; the percentage is of the best one's score"),
        "{text}"
    );
    let shares: Vec<u32> = text
        .lines()
        .filter_map(|line| line.split_once(" %"))
        .filter_map(|(before, _)| before.split_whitespace().last()?.parse().ok())
        .collect();
    assert!(shares.len() > 2 && shares.first() == Some(&100), "{text}");
    assert!(shares.is_sorted_by(|one, next| one >= next), "{text}");
}
