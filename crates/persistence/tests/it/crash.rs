//! A process may end before any step of a save.
//!
//! What it leaves is what is on the disk at that moment, so the probe copies the folder before each
//! step, and every copy is opened as the next start would. Processes that are really killed are in
//! the tests of the command.

use std::path::Path;
use std::sync::{Arc, Mutex};

use metier_persistence::{LoadedStateStore, SaveStep, StateChange};

use crate::store::{STEPS, at, files, load, maya, names};

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    if !from.exists() {
        return;
    }
    for name in files(from) {
        std::fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// Each step of a save with the folder as a crash before it would leave it.
fn crashes(folder: &Path, change: &StateChange) -> Vec<(SaveStep, tempfile::TempDir)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let state = folder.join("maya");
    let probe = {
        let seen = Arc::clone(&seen);
        move |step| {
            let left = tempfile::tempdir()?;
            copy(&state, &left.path().join("maya"));
            seen.lock().unwrap().push((step, left));
            Ok(())
        }
    };
    at(folder, 9)
        .with_probe(Arc::new(probe))
        .save(change)
        .unwrap();
    std::mem::take(&mut *seen.lock().unwrap())
}

#[test]
fn what_is_left_is_the_old_state_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    at(folder.path(), 5).save(&load("a")).unwrap();
    let old = at(folder.path(), 5).load();
    let crashes = crashes(
        folder.path(),
        &StateChange::default()
            .with_unloaded("a")
            .with_loaded(metier_persistence::SavedSkill::new("b"), ["x"]),
    );
    let new = at(folder.path(), 9).load();
    assert_ne!(old.state, new.state);
    let steps: Vec<SaveStep> = crashes.iter().map(|(step, _)| *step).collect();
    assert_eq!(steps, STEPS);
    for (step, left) in crashes {
        let store = at(left.path(), 9);
        let expected = if step > SaveStep::Rename { &new } else { &old };
        assert_eq!(&store.load(), expected, "{step:?}");
        // The next server goes on with it, and an hour later nothing of the crash is left.
        store.save(&load("c")).unwrap();
        assert!(names(&store).contains(&"c".to_owned()), "{step:?}");
        let late = LoadedStateStore::new(left.path(), maya()).with_clock(Arc::new(|| u64::MAX));
        late.clean();
        assert_eq!(
            files(&left.path().join("maya")),
            ["loaded.json", "loaded.json.lock"],
            "{step:?}"
        );
    }
}

#[test]
fn damage_is_kept_whenever_the_end_comes() {
    let damaged = "{\"schema_version\": 1, \"skills\": [{\"name\": \"good\"}, 5";
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    std::fs::write(state.join("loaded.json"), damaged).unwrap();
    let crashes = crashes(folder.path(), &load("a"));
    assert_eq!(crashes.len(), 16, "both writes are seen");
    for (step, left) in crashes {
        let left = left.path().join("maya");
        let whole =
            |name: &str| std::fs::read_to_string(left.join(name)).is_ok_and(|text| text == damaged);
        assert!(whole("loaded.json") || whole("loaded.json.bak"), "{step:?}");
    }
    assert_eq!(names(&at(folder.path(), 9)), ["a"]);
}
