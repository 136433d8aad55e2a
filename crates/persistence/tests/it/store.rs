//! What most tests begin with.

use std::path::Path;
use std::sync::Arc;

use metier_persistence::{
    AppName, LoadedStateStore, SaveStep, SavedSkill, StateChange, StateReading,
};

/// What a save does when nothing is damaged.
pub(crate) const STEPS: [SaveStep; 9] = [
    SaveStep::MakeFolder,
    SaveStep::Lock,
    SaveStep::Read,
    SaveStep::CreateTemp,
    SaveStep::WriteFirst,
    SaveStep::WriteRest,
    SaveStep::SyncFile,
    SaveStep::Rename,
    SaveStep::SyncFolder,
];

pub(crate) fn maya() -> AppName {
    AppName::new("maya").unwrap()
}

/// A store at a fixed time.
pub(crate) fn at(folder: &Path, now_ms: u64) -> LoadedStateStore {
    LoadedStateStore::new(folder, maya()).with_clock(Arc::new(move || now_ms))
}

pub(crate) fn load(name: &str) -> StateChange {
    StateChange::default().with_loaded(
        SavedSkill::new(name)
            .with_version("1.0.0")
            .with_path(format!("/skills/{name}")),
        ["modeling"],
    )
}

pub(crate) fn names(store: &LoadedStateStore) -> Vec<String> {
    let skills = store.load().state.skills;
    skills.into_iter().map(|skill| skill.name).collect()
}

/// Every file of a folder and the folders in it, by name.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_file_is_as_it_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let store = at(folder.path(), 1_764_476_729_000);
    store.save(&load("maya-geometry")).unwrap();
    assert_eq!(
        files(&folder.path().join("maya")),
        ["loaded.json", "loaded.json.lock"]
    );
    let text = std::fs::read_to_string(folder.path().join("maya/loaded.json")).unwrap();
    insta::assert_snapshot!(text, @r#"
    {
      "active_groups": [
        "maya-geometry:modeling"
      ],
      "saved_at_ms": 1764476729000,
      "schema_version": 1,
      "skills": [
        {
          "loaded_at_ms": 1764476729000,
          "name": "maya-geometry",
          "skill_path": "/skills/maya-geometry",
          "version": "1.0.0"
        }
      ]
    }
    "#);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    at(folder.path(), 5).save(&StateChange::default()).unwrap();
    assert_eq!(files(&folder.path().join("maya")), ["loaded.json.lock"]);
    at(folder.path(), 5).save(&load("a")).unwrap();
    at(folder.path(), 9).save(&load("a")).unwrap();
    assert_eq!(at(folder.path(), 9).load().state.saved_at_ms, Some(5));
}

#[test]
fn a_clock_that_jumps_back_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    at(folder.path(), 9_000_000_000).save(&load("a")).unwrap();
    let temp = folder.path().join("maya/loaded.json.7-0.tmp");
    std::fs::write(&temp, "{").unwrap();
    let early = at(folder.path(), 5);
    assert_eq!(early.clean(), 0, "a file from the future is young");
    early.save(&load("b")).unwrap();
    assert_eq!(names(&early), ["a", "b"]);
    let state = early.load().state;
    assert_eq!(state.saved_at_ms, Some(5));
    assert_eq!(state.skill("a").unwrap().loaded_at_ms, Some(9_000_000_000));
    early
        .save(&StateChange::default().with_unloaded("a"))
        .unwrap();
    assert_eq!(names(&early), ["b"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept.json");
    std::fs::write(&kept, "{\"schema_version\": 1}").unwrap();
    std::fs::create_dir(folder.path().join("maya")).unwrap();
    let link = folder.path().join("maya/loaded.json");
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    let store = at(folder.path(), 5);
    store.save(&load("a")).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&kept).unwrap().contains("\"a\""));
    assert_eq!(names(&store), ["a"]);
}

#[cfg(unix)]
#[test]
fn a_link_whose_target_is_not_there_stays_and_the_target_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("maya")).unwrap();
    std::fs::create_dir(folder.path().join("drive")).unwrap();
    let link = folder.path().join("maya/loaded.json");
    std::os::unix::fs::symlink("../drive/over.json", &link).unwrap();
    std::os::unix::fs::symlink("kept.json", folder.path().join("drive/over.json")).unwrap();
    let store = at(folder.path(), 5);
    assert_eq!(store.load(), StateReading::default());
    store.save(&load("a")).unwrap();
    assert!(link.is_symlink() && folder.path().join("drive/over.json").is_symlink());
    let kept = folder.path().join("drive/kept.json");
    assert!(std::fs::read_to_string(kept).unwrap().contains("\"a\""));
    assert_eq!(names(&store), ["a"]);
}

#[cfg(unix)]
#[test]
fn a_drive_that_is_away_is_told_and_what_it_holds_comes_back_with_it() {
    let cases = [
        ("maya/loaded.json", "drive/loaded.json"),
        ("maya", "drive"),
        ("maya/loaded.json", "drive/deeper/loaded.json"),
    ];
    for (link, target) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("drive/deeper")).unwrap();
        std::fs::create_dir_all(path(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(path(target), path(link)).unwrap();
        let store = at(folder.path(), 5);
        store.save(&load("a")).unwrap();
        std::fs::rename(path("drive"), path("away")).unwrap();

        let reading = store.load();
        assert!(reading.state.is_empty());
        let [warning] = &reading.warnings[..] else {
            panic!("{reading:?}");
        };
        let told = ["is a link to", "not there", "nothing is written"];
        assert!(
            told.iter().all(|words| warning.contains(words)),
            "{warning}"
        );
        let refused = store.save(&load("b")).unwrap_err().to_string();
        assert!(refused.contains("its drive may be late"), "{refused}");
        assert_eq!(store.clean(), 0);
        assert!(path(link).is_symlink() && !path("drive").exists(), "{link}");

        std::fs::rename(path("away"), path("drive")).unwrap();
        store.save(&load("b")).unwrap();
        assert_eq!(names(&store), ["a", "b"], "{link}");
        assert!(path(link).is_symlink());
    }
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_told_and_left() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("maya")).unwrap();
    let link = folder.path().join("maya/loaded.json");
    std::os::unix::fs::symlink("loaded.json", &link).unwrap();
    let store = at(folder.path(), 5);
    assert_eq!(store.load().warnings.len(), 1);
    let refused = store.save(&load("a")).unwrap_err().to_string();
    assert!(refused.contains("in a circle"), "{refused}");
    assert!(link.is_symlink());
}
