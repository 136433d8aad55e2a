//! Files that are new, another program's, or stand where the database's own would.

use metier_memory::{LongTermStore as _, MemoryFilter, MemoryQuery, SqliteLongTerm};
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
