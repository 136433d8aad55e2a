//! Files of older and newer builds, as they were written.

use std::path::{Path, PathBuf};

use metier_persistence::{parse_state, state_text};

use crate::store::{at, load, names};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/state")
}

/// Databases as SQL, for the tests beside this and those of the memory.
const DUMPS: [&str; 3] = ["v1/memory.sql", "v1/mirror.sql", "v1/quality.sql"];

/// A file, the skills that are read from it, and whether anything is wrong with it.
const FILES: &[(&str, &[&str], bool)] = &[
    (
        "v1/full.json",
        &["maya-geometry", "render-farm", "字幕"],
        false,
    ),
    ("v1/empty.json", &[], false),
    ("v1/by-hand.json", &["maya-geometry", "render-farm"], false),
    ("v1/unknown-members.json", &["maya-geometry"], false),
    ("v1/one-bad-record.json", &["maya-geometry"], true),
    ("v0/loaded.json", &[], true),
    ("v2/loaded.json", &[], true),
];

#[test]
fn every_version_is_read_as_it_should_be() {
    for (file, skills, is_faulty) in FILES {
        let bytes = std::fs::read(fixtures().join(file)).unwrap();
        let parsed = parse_state(&bytes);
        let found: Vec<&str> = parsed
            .state
            .skills
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(found, *skills, "{file}");
        assert_eq!(
            !parsed.faults.is_empty(),
            *is_faulty,
            "{file}: {:?}",
            parsed.faults
        );
    }
}

#[test]
fn no_fixture_is_left_out() {
    let mut there = Vec::new();
    for version in std::fs::read_dir(fixtures()).unwrap() {
        let version = version.unwrap();
        for file in std::fs::read_dir(version.path()).unwrap() {
            let name = file.unwrap().file_name();
            there.push(format!(
                "{}/{}",
                version.file_name().to_string_lossy(),
                name.to_string_lossy()
            ));
        }
    }
    there.sort();
    let files = FILES.iter().map(|(file, ..)| *file).chain(DUMPS);
    let mut known: Vec<String> = files.map(str::to_owned).collect();
    known.sort();
    assert_eq!(there, known);
}

#[test]
fn what_version_1_wrote_is_written_the_same_today() {
    for file in ["v1/full.json", "v1/empty.json", "v1/unknown-members.json"] {
        let text = std::fs::read_to_string(fixtures().join(file)).unwrap();
        assert_eq!(
            state_text(&parse_state(text.as_bytes()).state),
            text,
            "{file}"
        );
    }
}

#[test]
fn a_newer_file_is_kept_and_an_older_build_goes_on() {
    for version in ["v0", "v2"] {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("maya");
        std::fs::create_dir(&state).unwrap();
        let fixture = fixtures().join(version).join("loaded.json");
        std::fs::copy(&fixture, state.join("loaded.json")).unwrap();
        let store = at(folder.path(), 5);
        store.save(&load("a")).unwrap();
        assert_eq!(names(&store), ["a"]);
        assert_eq!(
            std::fs::read(state.join("loaded.json.bak")).unwrap(),
            std::fs::read(fixture).unwrap()
        );
    }
}
