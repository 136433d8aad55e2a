//! Files that others damaged.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metier_persistence::StateChange;

use crate::store::{at, files, load, names};

#[test]
fn a_damaged_file_is_kept_before_the_first_save_and_three_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    let store = at(folder.path(), 5);
    for round in ["0", "1", "2", "3", "3", "4"] {
        std::fs::write(state.join("loaded.json"), format!("{{ {round}")).unwrap();
        let reading = store.load();
        assert!(reading.state.is_empty());
        assert_eq!(reading.warnings.len(), 1);
        let before = files(&state);
        store.save(&StateChange::default()).unwrap();
        assert_eq!(
            files(&state).len(),
            before.len().max(2),
            "nothing to save, nothing to keep"
        );
        let saved = store.save(&load("a")).unwrap();
        assert_eq!(saved.kept_aside, Some(state.join("loaded.json.bak")));
        assert_eq!(names(&store), ["a"]);
    }
    let read = |name: &str| std::fs::read_to_string(state.join(name)).unwrap();
    assert_eq!(
        files(&state),
        [
            "loaded.json",
            "loaded.json.bak",
            "loaded.json.bak.1",
            "loaded.json.bak.2",
            "loaded.json.lock"
        ]
    );
    // The same damage twice is kept once.
    assert_eq!(read("loaded.json.bak"), "{ 4");
    assert_eq!(read("loaded.json.bak.1"), "{ 3");
    assert_eq!(read("loaded.json.bak.2"), "{ 2");
}

/// Whoever opened it would wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_an_earlier_copy_is_waited_for_by_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = at(folder.path(), 5);
    let file = store.file().to_owned();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let copy = file.with_file_name("loaded.json.bak");
    for _ in 0..4 {
        std::fs::write(&file, "{broken").unwrap();
        let _ = std::fs::remove_file(&copy);
        let made = std::process::Command::new("mkfifo").arg(&copy).status();
        assert!(made.unwrap().success());
        let saving = store.clone();
        let (done, saved) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(saving.save(&load("a"))).is_ok());
        let saved = saved.recv_timeout(Duration::from_mins(1));
        let saved = saved.expect("nobody waits").unwrap();
        assert_eq!(saved.kept_aside.as_deref(), Some(&*copy));
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "{broken");
    }
}

#[test]
fn a_bad_record_costs_itself_and_the_file_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    let text = r#"{"schema_version": 1, "skills": [{"name": "one", "version": "1.0.0"}, {"nome": "x"}, 5], "active_groups": []}"#;
    std::fs::write(state.join("loaded.json"), text).unwrap();
    let store = at(folder.path(), 5);
    let reading = store.load();
    insta::assert_snapshot!(
        reading.warnings.join("\n").replace(&*folder.path().to_string_lossy(), "STATE"),
        @"STATE/maya/loaded.json: skills[1]: name is missing; skills[2]: found a number, expected an object; that part counts as not there, and the file is kept as loaded.json.bak before the next save"
    );
    store.save(&load("two")).unwrap();
    assert_eq!(names(&store), ["one", "two"]);
    let kept = std::fs::read_to_string(state.join("loaded.json.bak")).unwrap();
    assert_eq!(kept, text);
}

#[test]
fn a_member_that_stands_there_twice_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    let text =
        r#"{"schema_version": 1, "skills": [{"name": "one"}], "active_groups": [], "skills": []}"#;
    std::fs::write(state.join("loaded.json"), text).unwrap();
    let store = at(folder.path(), 5);
    let reading = store.load();
    assert!(
        reading.warnings[0].contains("duplicate field `skills`"),
        "{:?}",
        reading.warnings
    );
    store.save(&load("two")).unwrap();
    let kept = std::fs::read_to_string(state.join("loaded.json.bak")).unwrap();
    assert_eq!(kept, text);
}

#[test]
fn case_137_temporary_files_are_never_read_and_go_after_an_hour() {
    let folder = tempfile::tempdir().unwrap();
    let store = at(folder.path(), 5);
    store.save(&load("one")).unwrap();
    let state = folder.path().join("maya");
    let temp = |name: &str, text: &str, minutes: u64| {
        let path = state.join(name);
        std::fs::write(&path, text).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        let at = SystemTime::now() - Duration::from_secs(60 * minutes);
        file.set_modified(at).unwrap();
    };
    let newer = std::fs::read_to_string(state.join("loaded.json"))
        .unwrap()
        .replace("one", "two");
    temp("loaded.json.x1.tmp", "{\"schema", 61);
    temp("loaded.json.x2.tmp", &newer, 59);
    temp("notes.tmp", "", 600);
    std::fs::create_dir(state.join("loaded.json.folder.tmp")).unwrap();
    assert_eq!(names(&store), ["one"]);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = at(folder.path(), u64::try_from(now.as_millis()).unwrap());
    assert_eq!(now.clean(), 1);
    assert_eq!(
        files(&state),
        [
            "loaded.json",
            "loaded.json.folder.tmp",
            "loaded.json.lock",
            "loaded.json.x2.tmp",
            "notes.tmp"
        ]
    );
}

#[test]
fn what_would_not_be_read_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    // A member that stays as it is; as it is written here, it needs a hundred times as much.
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let deep = vec![deep; 1_800].join(",");
    let text =
        format!("{{\"schema_version\":1,\"skills\":[{{\"name\":\"b\"}}],\"mine\":[{deep}]}}");
    std::fs::write(state.join("loaded.json"), &text).unwrap();
    let store = at(folder.path(), 5);
    assert_eq!(names(&store), ["b"]);
    let refused = store.save(&load("a")).unwrap_err().to_string();
    assert!(refused.contains("are the most that is read"), "{refused}");
    assert_eq!(std::fs::read_to_string(store.file()).unwrap(), text);
}

#[test]
fn a_file_that_nobody_reads_is_moved_and_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("maya");
    std::fs::create_dir(&state).unwrap();
    let size = 1 << 40;
    let huge = std::fs::File::create(state.join("loaded.json")).unwrap();
    if huge.set_len(size).is_err() {
        eprintln!("skipped: this file system has no files with holes");
        return;
    }
    let store = at(folder.path(), 5);
    store.save(&load("a")).unwrap();
    assert_eq!(names(&store), ["a"]);
    let kept = std::fs::metadata(state.join("loaded.json.bak")).unwrap();
    assert_eq!(kept.len(), size);
}
