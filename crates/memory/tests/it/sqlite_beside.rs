//! Files that are new, another program's, or stand where the database's own would.

use metier_memory::{
    Existing, LongTermStore as _, MemoryEntry, MemoryFilter, MemoryLayer, MemoryQuery,
    SqliteLongTerm,
};
use rusqlite::Connection;

/// Whoever opened it would wait for its other end, and a server could not be stopped meanwhile.
#[cfg(unix)]
#[test]
fn a_pipe_beside_the_file_is_told_and_nobody_waits_for_it() {
    for suffix in ["-journal", "-wal", "-shm"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.sqlite3");
        SqliteLongTerm::open(&path).unwrap();
        let pipe = folder.path().join(format!("memory.sqlite3{suffix}"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for opened in [
            SqliteLongTerm::open(&path),
            SqliteLongTerm::open_to_read(&path),
        ] {
            let error = opened.unwrap_err().to_string();
            let expected = format!(
                "{} beside it is no plain file; move that away",
                pipe.display()
            );
            assert!(error.contains(&expected), "{error}");
        }
    }
}

/// Whoever looks hears what whoever serves would.
#[test]
fn an_empty_file_holds_nothing_and_another_programs_is_named_for_readers_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite3");
    std::fs::write(&path, "").unwrap();
    let store = SqliteLongTerm::open_to_read(&path).unwrap();
    assert_eq!(store.len().unwrap(), 0);
    let all = MemoryQuery::all(MemoryFilter::new());
    assert_eq!(store.query(&all).unwrap(), []);
    assert_eq!(std::fs::read(&path).unwrap(), b"");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let other = folder.path().join("other.sqlite3");
    let connection = Connection::open(&other).unwrap();
    connection
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .unwrap();
    drop(connection);
    let [written, read] = [
        SqliteLongTerm::open(&other),
        SqliteLongTerm::open_to_read(&other),
    ]
    .map(|opened| opened.unwrap_err().to_string());
    assert_eq!(written, read);
    assert!(
        read.contains("another program: it has a table `notes`"),
        "{read}"
    );
}

/// What is learned outlives the file's going: a server runs for weeks, and a backup is put back meanwhile.
#[cfg(unix)]
#[test]
fn a_file_that_goes_or_is_replaced_is_opened_anew_and_nothing_is_mixed() {
    let pattern = |key: &str| {
        let entry = MemoryEntry::new(MemoryLayer::LongTerm, key, "s", "maya");
        vec![entry]
    };
    let keys = |path: &std::path::Path| -> Vec<String> {
        let store = SqliteLongTerm::open_to_read(path).unwrap();
        let all = store.query(&MemoryQuery::all(MemoryFilter::new())).unwrap();
        let mut keys: Vec<String> = all.into_iter().map(|entry| entry.key).collect();
        keys.sort_unstable();
        keys
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept/memory.sqlite3");
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    let backup = folder.path().join("backup.sqlite3");
    let store = SqliteLongTerm::open(&backup).unwrap();
    store.put(pattern("restored"), Existing::AddUp, 9).unwrap();
    drop(store);

    let store = SqliteLongTerm::open(&path).unwrap();
    let first = store.revision();
    store.put(pattern("first"), Existing::AddUp, 9).unwrap();
    std::fs::remove_dir_all(folder.path().join("kept")).unwrap();
    assert_eq!(store.len().unwrap(), 0);
    assert_ne!(store.revision(), first);
    store.put(pattern("second"), Existing::AddUp, 9).unwrap();
    assert_eq!(keys(&path), ["second"]);

    // Moved away, with the log left: the moved file is whole.
    let moved = folder.path().join("moved.sqlite3");
    std::fs::rename(&path, &moved).unwrap();
    std::fs::copy(&backup, &path).unwrap();
    store.put(pattern("third"), Existing::AddUp, 9).unwrap();
    assert_eq!(keys(&moved), ["second"]);
    assert_eq!(keys(&path), ["restored", "third"]);

    // Also where nothing is written any more.
    std::fs::rename(&path, &moved).unwrap();
    std::fs::copy(&backup, &path).unwrap();
    drop(store);
    assert_eq!(keys(&path), ["restored"]);
    assert_eq!(keys(&moved), ["restored", "third"]);

    // While something else stands there, what is learned is refused, and taken when that has gone.
    let store = SqliteLongTerm::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(store.put(pattern("fourth"), Existing::AddUp, 9).is_err());
    std::fs::remove_dir(&path).unwrap();
    store.put(pattern("fourth"), Existing::AddUp, 9).unwrap();
    assert_eq!(keys(&path), ["fourth"]);
}

#[test]
fn a_row_that_cannot_be_read_costs_that_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite3");
    let entry = |key: &str| vec![MemoryEntry::new(MemoryLayer::LongTerm, key, "s", "maya")];
    let store = SqliteLongTerm::open(&path).unwrap();
    for key in ["good", "damaged", "worse"] {
        store.put(entry(key), Existing::AddUp, 9).unwrap();
    }
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "UPDATE agent_memory SET key = x'ff00' WHERE key = 'damaged';
             UPDATE agent_memory SET score = 'much' WHERE key = 'worse';",
        )
        .unwrap();
    let keys = || -> Vec<String> {
        let all = store.query(&MemoryQuery::all(MemoryFilter::new())).unwrap();
        all.into_iter().map(|entry| entry.key).collect()
    };
    assert_eq!(keys(), ["good"]);
    store.put(entry("worse"), Existing::AddUp, 9).unwrap();
    assert_eq!(keys(), ["worse", "good"], "and can be learned anew");
}
