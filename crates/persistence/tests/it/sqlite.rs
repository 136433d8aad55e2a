//! The databases.

use std::sync::Arc;

use metier_persistence::{
    AppName, DatabaseError, LoadedStateStore, QualityLedger, QualityStore, SavedSkill,
    SqliteMirror, StateChange,
};
use rusqlite::Connection;

use crate::store::{at, load, names};

fn rows(connection: &Connection, table: &str) -> Vec<String> {
    let mut rows = connection
        .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
        .unwrap();
    let columns = rows.column_count();
    let rows = rows.query_map([], |row| {
        let cells = (0..columns).map(|column| {
            let value: rusqlite::types::Value = row.get(column).unwrap();
            format!("{value:?}")
        });
        Ok(cells.collect::<Vec<_>>().join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_mirror_shows_what_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.sqlite3");
    let mirror = Arc::new(SqliteMirror::new(&file));
    let store = |now| at(folder.path(), now).with_mirror(mirror.clone());
    store(5).save(&load("a")).unwrap();
    let saved = store(9).save(&load("b")).unwrap();
    assert_eq!(saved.mirror_fault, None);
    let connection = Connection::open(&file).unwrap();
    insta::assert_snapshot!(rows(&connection, "skill_loaded_state").join("\n"), @r#"
    Text("maya") Text("a") Text("1.0.0") Text("/skills/a") Integer(5)
    Text("maya") Text("b") Text("1.0.0") Text("/skills/b") Integer(9)
    "#);
    insta::assert_snapshot!(rows(&connection, "skill_active_groups").join("\n"), @r#"
    Text("maya") Text("a:modeling") Integer(5)
    Text("maya") Text("b:modeling") Integer(9)
    "#);
    store(12)
        .save(&StateChange::default().with_unloaded("a"))
        .unwrap();
    assert_eq!(rows(&connection, "skill_loaded_state").len(), 1);
    assert_eq!(rows(&connection, "skill_active_groups").len(), 1);
}

#[test]
fn the_mirror_is_never_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.sqlite3");
    let store = at(folder.path(), 5).with_mirror(Arc::new(SqliteMirror::new(&file)));
    store.save(&load("a")).unwrap();
    // Somebody holds it.
    let mut busy = Connection::open(&file).unwrap();
    let held = busy
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    let saved = store.save(&load("b")).unwrap();
    assert!(saved.mirror_fault.unwrap().contains("another process"));
    assert_eq!(names(&store), ["a", "b"]);
    drop(held);
    drop(busy);
    // It is no database, or a folder.
    std::fs::write(&file, "no database at all, but long enough to be looked at").unwrap();
    assert_eq!(store.save(&load("c")).unwrap().mirror_fault, None);
    let connection = Connection::open(&file).unwrap();
    assert_eq!(rows(&connection, "skill_loaded_state").len(), 3);
    drop(connection);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(store.save(&load("d")).unwrap().mirror_fault.is_some());
    assert_eq!(names(&store), ["a", "b", "c", "d"]);
}

#[test]
fn counters_add_up_over_restarts_and_servers() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    let open = |now| QualityStore::open(&file, Arc::new(move || now)).unwrap();
    std::thread::scope(|scope| {
        for server in 0..4 {
            scope.spawn(move || {
                let store = open(server);
                for _ in 0..25 {
                    store
                        .add(&[
                            ("maya-geometry", "calls", 2),
                            ("maya-geometry", "failures", 1),
                        ])
                        .unwrap();
                }
            });
        }
    });
    // A clock that jumps back costs nothing.
    let store = open(0);
    store.add(&[("maya-geometry", "most", u64::MAX)]).unwrap();
    store
        .add(&[("maya-geometry", "most", 5), ("other", "calls", 1)])
        .unwrap();
    let all = store.all().unwrap();
    assert_eq!(all["maya-geometry"]["calls"], 200);
    assert_eq!(all["maya-geometry"]["failures"], 100);
    assert_eq!(
        all["maya-geometry"]["most"],
        u64::try_from(i64::MAX).unwrap()
    );
    assert_eq!(store.forget("maya-geometry").unwrap(), 3);
    assert_eq!(store.all().unwrap().len(), 1);
    let mode: String = Connection::open(&file)
        .unwrap()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn two_processes_count_into_one_file_and_lose_nothing() {
    const FILE: &str = "METIER_TEST_COUNT_INTO";
    const TIMES: u64 = 200;
    if let Some(file) = std::env::var_os(FILE) {
        // One of the two processes that this test starts.
        let ledger = QualityLedger::begin(file, Arc::new(|| 1)).unwrap();
        for _ in 0..TIMES {
            ledger.add([("rig", "listed"), ("rig", "invoked"), ("bake", "listed")]);
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    let start = || {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        process.args([
            "--exact",
            "sqlite::two_processes_count_into_one_file_and_lose_nothing",
        ]);
        process.env(FILE, &file).spawn().unwrap()
    };
    let processes = [start(), start()];
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    let all = QualityStore::open(&file, Arc::new(|| 2)).unwrap().all();
    let all = all.unwrap();
    let counted = [
        &all["rig"]["listed"],
        &all["rig"]["invoked"],
        &all["bake"]["listed"],
    ];
    assert_eq!(counted, [&(2 * TIMES); 3]);
}

#[test]
fn a_damaged_database_is_kept_aside_and_a_newer_one_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    std::fs::write(&file, "x".repeat(5_000)).unwrap();
    let store = QualityStore::open(&file, Arc::new(|| 5)).unwrap();
    store.add(&[("a", "calls", 1)]).unwrap();
    drop(store);
    let kept = folder.path().join("quality.sqlite3.bak");
    assert_eq!(std::fs::read(kept).unwrap(), vec![b'x'; 5_000]);
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    let before = std::fs::read(&file).unwrap();
    let error = QualityStore::open(&file, Arc::new(|| 5)).unwrap_err();
    assert!(
        matches!(
            error,
            DatabaseError::Newer {
                found: 7,
                known: 1,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

/// All bytes of a folder hold this text somewhere.
fn holds(folder: &std::path::Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let mut bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap_or_default());
    bytes.any(|bytes| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[test]
fn what_is_forgotten_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a-name-that-nobody-is-to-find";
    let file = folder.path().join("quality.sqlite3");
    let store = QualityStore::open(&file, Arc::new(|| 5)).unwrap();
    store
        .add(&[(name, "listed", 1), ("other", "listed", 1)])
        .unwrap();
    assert!(holds(folder.path(), name));
    store.forget(name).unwrap();
    assert!(!holds(folder.path(), name), "while it is open");
    drop(store);
    assert!(!holds(folder.path(), name));
    assert!(holds(folder.path(), "other"));

    let folder = tempfile::tempdir().unwrap();
    let state = LoadedStateStore::new(folder.path(), AppName::new("maya").unwrap()).with_mirror(
        Arc::new(SqliteMirror::new(folder.path().join("state.sqlite3"))),
    );
    let load = StateChange::default().with_loaded(SavedSkill::new(name), ["group"]);
    state.save(&load).unwrap();
    assert!(holds(folder.path(), name));
    state
        .save(&StateChange::default().with_unloaded(name))
        .unwrap();
    assert!(!holds(folder.path(), name));
}

/// The words of the database and of its library are for programmers.
#[test]
fn damage_is_told_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    let store = QualityStore::open(&file, Arc::new(|| 5)).unwrap();
    store.add(&[("rig", "listed", 1)]).unwrap();
    drop(store);
    let whole = std::fs::read(&file).unwrap();
    for damage in [
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE quality_counters (skill' WHERE name = 'quality_counters'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'quality_counters'; CREATE TABLE a (b)",
        "ALTER TABLE quality_counters RENAME COLUMN value TO valua",
    ] {
        std::fs::write(&file, &whole).unwrap();
        Connection::open(&file)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let all = QualityStore::open_to_read(&file, Arc::new(|| 5)).and_then(|store| store.all());
        let told = all.unwrap_err().to_string();
        let told = told.strip_prefix(&format!("{}: ", file.display())).unwrap();
        assert_eq!(
            told, "it is damaged; move the file away, and a new one is made",
            "{damage}"
        );
    }
    // The system says it better than "unable to open database file".
    let refused = QualityStore::open(folder.path().join("x".repeat(300)), Arc::new(|| 5));
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("name too long"), "{told}");
}

#[test]
fn looking_at_counters_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality 1%.sqlite3");
    let clock = || -> metier_persistence::Clock { Arc::new(|| 7) };
    assert!(QualityStore::open_to_read(&file, clock()).is_err());
    let store = QualityStore::open(&file, clock()).unwrap();
    store.add(&[("rig", "listed", 3)]).unwrap();
    let reading = QualityStore::open_to_read(&file, clock()).unwrap();
    assert_eq!(reading.all().unwrap()["rig"]["listed"], 3);
    // The last that can write takes the log away.
    drop(reading);
    drop(store);
    let before = std::fs::read(&file).unwrap();
    let reading = QualityStore::open_to_read(&file, clock()).unwrap();
    assert_eq!(reading.all().unwrap()["rig"]["listed"], 3);
    assert!(reading.forget("rig").is_err());
    drop(reading);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // What is damaged stays where it is.
    std::fs::write(
        &file,
        "no database, and more than a page of it\n".repeat(200),
    )
    .unwrap();
    assert!(QualityStore::open_to_read(&file, clock()).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Whoever opened one would wait for its other end, and a server could not be stopped meanwhile.
#[cfg(unix)]
#[test]
fn a_pipe_beside_a_database_is_told_and_nobody_waits_for_it() {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let folder = tempfile::tempdir().unwrap();
        let pipe_of = |name: &str| {
            let pipe = folder.path().join(format!("{name}{suffix}"));
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            pipe
        };
        let clock = || -> metier_persistence::Clock { Arc::new(|| 7) };
        let file = folder.path().join("quality.sqlite3");
        if !suffix.is_empty() {
            QualityStore::open(&file, clock()).unwrap();
        }
        pipe_of("quality.sqlite3");
        for opened in [
            QualityStore::open(&file, clock()),
            QualityStore::open_to_read(&file, clock()),
        ] {
            let error = opened.err().unwrap().to_string();
            assert!(error.contains("no plain file"), "{error}");
        }
        let ledger = QualityLedger::begin(&file, clock()).unwrap();
        ledger.add([("rig", "listed")]);
        ledger.flush();
        drop(ledger);

        let pipe = pipe_of("state.sqlite3");
        let mirror = SqliteMirror::new(folder.path().join("state.sqlite3"));
        let store = at(folder.path(), 5).with_mirror(Arc::new(mirror));
        let saved = store.save(&load("a")).unwrap();
        let fault = saved.mirror_fault.unwrap();
        assert!(fault.contains("no plain file"), "{fault}");
        assert!(pipe.exists());
    }
}

/// A server runs for weeks, and somebody tidies up or puts a backup back meanwhile.
#[cfg(unix)]
#[test]
fn counters_whose_file_goes_or_is_replaced_go_on_in_the_one_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let (file, backup) = (kept.join("quality.sqlite3"), folder.path().join("backup"));
    let clock = || -> metier_persistence::Clock { Arc::new(|| 7) };
    let counted = |file: &std::path::Path| {
        let all = QualityStore::open_to_read(file, clock()).unwrap().all();
        all.unwrap()["rig"]["listed"]
    };
    let store = QualityStore::open(&backup, clock()).unwrap();
    store.add(&[("rig", "listed", 100)]).unwrap();
    drop(store);
    let ledger = QualityLedger::begin(&file, clock()).unwrap();
    let count = || {
        ledger.add([("rig", "listed")]);
        ledger.flush();
    };
    count();
    std::fs::remove_dir_all(&kept).unwrap();
    count();
    count();
    assert_eq!(counted(&file), 2);
    let moved = folder.path().join("moved");
    std::fs::rename(&file, &moved).unwrap();
    std::fs::copy(&backup, &file).unwrap();
    count();
    assert_eq!((counted(&moved), counted(&file)), (2, 101));
    std::fs::rename(&file, &moved).unwrap();
    std::fs::copy(&backup, &file).unwrap();
    drop(ledger);
    assert_eq!((counted(&moved), counted(&file)), (101, 100));
}

/// What a disk without room leaves behind.
#[test]
fn an_empty_file_of_counters_holds_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    std::fs::write(&file, "").unwrap();
    let reading = QualityStore::open_to_read(&file, Arc::new(|| 5)).unwrap();
    assert!(reading.all().unwrap().is_empty());
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
}
