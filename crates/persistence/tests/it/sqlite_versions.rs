//! Databases of older builds, as they were written.

use std::path::Path;
use std::sync::Arc;

use metier_persistence::{QualityStore, SqliteMirror};
use rusqlite::Connection;

use crate::store::{at, load};
use crate::versions::fixtures;

/// A database that version 1 wrote, made of its dump.
fn version_1(dump: &str, file: &Path) {
    let dump = std::fs::read_to_string(fixtures().join("v1").join(dump)).unwrap();
    Connection::open(file)
        .unwrap()
        .execute_batch(&dump)
        .unwrap();
}

/// The tables as they are declared.
fn tables(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let mut rows = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap();
    let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let without_blanks = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    rows.map(|sql| without_blanks(sql.unwrap())).collect()
}

#[test]
fn counters_of_version_1_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    version_1("quality.sql", &file);
    let store = QualityStore::open(&file, Arc::new(|| 5)).unwrap();
    store.add(&[("maya-geometry", "applied", 2)]).unwrap();
    let all = store.all().unwrap();
    assert_eq!(all["maya-geometry"]["applied"], 5);
    assert_eq!(all["maya-geometry"]["completions"], 12);
    assert_eq!(all["字幕"]["fallbacks"], 1);
    drop(store);
    let new = folder.path().join("new.sqlite3");
    drop(QualityStore::open(&new, Arc::new(|| 5)).unwrap());
    assert_eq!(
        tables(&file),
        tables(&new),
        "a change of the tables needs a migration"
    );
}

#[test]
fn a_mirror_of_version_1_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.sqlite3");
    version_1("mirror.sql", &file);
    let show = |file: &Path| {
        let mirror = Arc::new(SqliteMirror::new(file));
        let store = at(folder.path(), 5).with_mirror(mirror);
        let saved = store.save(&load("a")).unwrap();
        assert_eq!(saved.mirror_fault, None);
    };
    show(&file);
    let new = folder.path().join("new.sqlite3");
    show(&new);
    assert_eq!(
        tables(&file),
        tables(&new),
        "a change of the tables needs a migration"
    );
    let skills: Vec<String> = Connection::open(&file)
        .unwrap()
        .prepare("SELECT dcc_type || ' ' || skill_name FROM skill_loaded_state ORDER BY 1")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(skills, ["houdini sim", "maya a"]);
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quality.sqlite3");
    let other = Connection::open(&file).unwrap();
    other
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .unwrap();
    drop(other);
    let before = std::fs::read(&file).unwrap();
    let error = QualityStore::open(&file, Arc::new(|| 5)).unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
