//! `metier search`.

use crate::command::{fixtures, mixed, run};

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
