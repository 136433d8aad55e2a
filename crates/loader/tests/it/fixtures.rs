//! Every kind of skill and fault that authors produce, read in both modes.
//!
//! A folder of `tests/fixtures` is a root; the snapshots are the specification.

use std::path::Path;

use metier_loader::{ParseMode, Root, RootLabel, ScanReport, scan};

use crate::show;

fn read(name: &str, mode: ParseMode) -> ScanReport {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    scan(&[Root::new(RootLabel::Explicit, path)], mode)
}

fn check(name: &str) {
    for (mode, word) in [
        (ParseMode::Lenient, "lenient"),
        (ParseMode::Strict, "strict"),
    ] {
        insta::assert_snapshot!(format!("{name}_{word}"), show::report(&read(name, mode)));
    }
    let strict = read(name, ParseMode::Strict);
    let lenient = read(name, ParseMode::Lenient);
    for skill in &strict.skills {
        let known = lenient.skills.iter().find(|other| other.id == skill.id);
        let same = known.map(|other| &other.metadata);
        assert_eq!(
            same,
            Some(&skill.metadata),
            "what strict accepts, lenient reads the same"
        );
    }
}

#[test]
fn front_matter() {
    check("front-matter");
}

#[test]
fn yaml_faults() {
    check("yaml-faults");
}

#[test]
fn tools() {
    check("tools");
}

#[test]
fn depends() {
    check("depends");
}

#[test]
fn layout() {
    check("layout");
}

#[test]
fn the_front_matter_is_kept_as_plain_yaml() {
    let report = read("front-matter", ParseMode::Lenient);
    let scalars = report
        .skills
        .iter()
        .find(|skill| &*skill.metadata.name == "scalars")
        .unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&scalars.metadata.front_matter).unwrap());
}
