//! Files that are deleted, replaced and no files, under open databases.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::time::Duration;

use metier_sqlite_file::{BESIDE, Place, beside, odd_file, open_to_look};
use rusqlite::Connection;

fn logged(file: &Path, value: &str) -> Connection {
    let connection = Connection::open(file).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (v); INSERT INTO t VALUES ('{value}')"
        ))
        .unwrap();
    connection
}

fn value(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT v FROM t", [], |row| row.get(0))
}

#[cfg(unix)]
#[test]
fn a_database_that_is_replaced_does_not_write_into_the_other_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sqlite3");
    let mut connection = logged(&file, "old");
    let mut place = Place::of(&file);
    assert!(!place.is_left());
    let backup = folder.path().join("backup.sqlite3");
    drop(logged(&backup, "restored"));
    std::fs::rename(&backup, &file).unwrap();
    assert!(place.is_left());
    place.leave(&mut connection).unwrap();
    assert!(value(&connection).is_err(), "an empty one");
    assert!(place.is_left(), "until it is opened anew");
    assert!(!beside(&file, "-wal").exists(), "the log of the old one");
    assert_eq!(
        value(&Connection::open(&file).unwrap()).unwrap(),
        "restored"
    );
}

#[test]
fn looking_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("odd #?% name.sqlite3");
    drop(logged(&file, "kept"));
    let before = std::fs::read(&file).unwrap();
    let looked = open_to_look(&file, Duration::from_millis(1)).unwrap();
    assert_eq!(value(&looked).unwrap(), "kept");
    assert!(looked.execute("DELETE FROM t", []).is_err());
    drop(looked);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    // What is under way is seen too.
    let writer = Connection::open(&file).unwrap();
    writer.execute("UPDATE t SET v = 'new'", []).unwrap();
    let looked = open_to_look(&file, Duration::from_millis(1)).unwrap();
    assert_eq!(value(&looked).unwrap(), "new");
}

#[test]
fn what_is_no_plain_file_is_found_in_each_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sqlite3");
    assert_eq!(odd_file(&file), None);
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let odd = beside(&file, suffix);
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(odd_file(&file), Some(odd.clone()));
        std::fs::remove_dir(&odd).unwrap();
        std::fs::write(&odd, "").unwrap();
        assert_eq!(odd_file(&file), None);
    }
    assert_eq!(BESIDE.len(), 3);
}
