//! The file of the long-term layer.

use std::path::Path;
use std::sync::Arc;

use metier_memory::{
    AgentMemory, Existing, InMemoryLongTerm, LongTermStore, MemoryEntry, MemoryFilter, MemoryLayer,
    MemoryOverview, MemoryQuery, SqliteLongTerm, export,
};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::json;

use crate::clock::entry;
use crate::forget::{entries, filters};

fn open(folder: &Path) -> SqliteLongTerm {
    SqliteLongTerm::open(folder.join("memory.db")).unwrap()
}

fn pattern(session: &str, key: &str) -> MemoryEntry {
    entry(MemoryLayer::LongTerm, session, key)
}

#[test]
fn what_was_learned_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let memory = AgentMemory::new(Arc::new(open(folder.path())));
    let call = entry(MemoryLayer::Working, "a", "tool_call:t:ok")
        .score(1)
        .fact("tool_name", "t");
    memory.put(call).unwrap();
    memory
        .put(entry(MemoryLayer::Ephemeral, "a", "seen"))
        .unwrap();
    memory.end_session("a").unwrap();
    memory
        .put(entry(MemoryLayer::Working, "b", "not stored"))
        .unwrap();
    drop(memory);

    let memory = AgentMemory::new(Arc::new(open(folder.path())));
    assert_eq!(
        memory.len().unwrap(),
        1,
        "of the sessions' layers nothing is stored"
    );
    assert_eq!(
        memory.summary("maya", None).unwrap().memory_prefer_tools,
        ["t"]
    );
    let mode: String = Connection::open(folder.path().join("memory.db"))
        .unwrap()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn four_thousand_and_ninety_six_in_all() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let many = (0..5_000)
        .map(|number| pattern("a", &format!("k{number}")))
        .collect();
    store.put(many, Existing::AddUp, 4_096).unwrap();
    assert_eq!(store.len().unwrap(), 4_096);
    let newest = store.query(&MemoryQuery::default().limit(1)).unwrap();
    assert_eq!(newest[0].key, "k4999");
}

#[test]
fn two_processes_add_up_in_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let count = || pattern("a", "pattern:t").score(1).fact("count", 1);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                // A connection of its own, as another process has it.
                let store = open(folder.path());
                for _ in 0..50 {
                    store.put(vec![count()], Existing::AddUp, 4_096).unwrap();
                }
            });
        }
    });
    let found = open(folder.path()).query(&MemoryQuery::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].score, &found[0].facts["count"]),
        (100, &json!(100))
    );
}

#[test]
fn what_is_forgotten_is_not_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store
        .put(
            vec![pattern("a", "pattern:zqxjw"), pattern("b", "pattern:other")],
            Existing::AddUp,
            10,
        )
        .unwrap();
    assert_eq!(store.forget(&MemoryFilter::new().session("a")).unwrap(), 1);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(5).any(|window| window == b"zqxjw"));
    }
    assert_eq!(store.len().unwrap(), 1);
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteLongTerm::open(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the long-term memory {}: it is of version 99, and this program knows 1; use the newer program, or another file",
            path.display()
        )
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_of_version_1_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/state/v1/memory.sql");
    let dump = std::fs::read_to_string(dump).unwrap();
    let file = folder.path().join("memory.db");
    Connection::open(&file)
        .unwrap()
        .execute_batch(&dump)
        .unwrap();
    let memory = AgentMemory::new(Arc::new(open(folder.path())));
    let told = memory.summary("maya", None).unwrap();
    assert_eq!(told.memory_prefer_tools, ["rig__build"]);
    drop(memory);
    let tables = |file: &Path| {
        let connection = Connection::open(file).unwrap();
        let mut rows = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
            .unwrap();
        let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let words = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        rows.map(|sql| words(sql.unwrap())).collect::<Vec<_>>()
    };
    let new = folder.path().join("new.db");
    drop(SqliteLongTerm::open(&new).unwrap());
    assert_eq!(
        tables(&file),
        tables(&new),
        "a change of the tables needs a migration"
    );
}

#[test]
fn what_cannot_be_opened_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    std::fs::write(&path, "no database, however long this text is".repeat(100)).unwrap();
    let error = SqliteLongTerm::open(&path).unwrap_err();
    assert_eq!(error.cure, "move the file away, and a new one is made");
    let error = SqliteLongTerm::open(folder.path().join("none/memory.db")).unwrap_err();
    assert_eq!(
        error.cure,
        "make its folder and make it writable, or name another file"
    );
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.sqlite3");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    let error = SqliteLongTerm::open(&path).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the long-term memory {}: it is a database of another program: it has a table `notes`; name another file",
            path.display()
        )
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // An empty file is nobody's.
    let empty = folder.path().join("empty.sqlite3");
    std::fs::write(&empty, "").unwrap();
    SqliteLongTerm::open(&empty).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_memory_and_nobody_waits_for_its_other_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    for opened in [
        SqliteLongTerm::open(&path),
        SqliteLongTerm::open_to_read(&path),
    ] {
        let error = opened.unwrap_err().to_string();
        assert!(error.contains("it is no plain file"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn reading_writes_nothing_and_a_torn_page_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("50% #1?.db");
    let store = SqliteLongTerm::open(&file).unwrap();
    let many = (0..500).map(|number| pattern("a", &format!("k{number}")));
    store.put(many.collect(), Existing::AddUp, 4_096).unwrap();
    // While it is written, a reader sees what is in the log.
    let reading = SqliteLongTerm::open_to_read(&file).unwrap();
    assert_eq!(reading.len().unwrap(), 500);
    // The last that can write takes the log away.
    drop(reading);
    drop(store);
    let before = std::fs::read(&file).unwrap();
    let reading = SqliteLongTerm::open_to_read(&file).unwrap();
    assert_eq!(reading.len().unwrap(), 500);
    assert!(reading.forget(&MemoryFilter::new()).is_err());
    drop(reading);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let mut torn = before;
    torn[4_096..4_200].fill(0xa5);
    std::fs::write(&file, &torn).unwrap();
    for opened in [
        SqliteLongTerm::open(&file),
        SqliteLongTerm::open_to_read(&file),
    ] {
        let refused = opened.unwrap_err().to_string();
        assert!(refused.contains("move the file away"), "{refused}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), torn);
    assert!(SqliteLongTerm::open_to_read(folder.path().join("none.db")).is_err());
}

/// `metier serve --app Maya` and `--app maya` are one application, also in a file of a program that took them for two.
#[test]
fn an_application_has_one_name_in_either_case() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut old = pattern("a", "pattern:x");
    old.dcc_name = "Maya".to_owned();
    store.put(vec![old], Existing::AddUp, 4_096).unwrap();
    let memory = AgentMemory::new(Arc::new(store));
    let mut call = entry(MemoryLayer::Working, "b", "tool_call:t:ok")
        .score(1)
        .fact("tool_name", "t");
    call.dcc_name = "MAYA".to_owned();
    memory.put(call).unwrap();
    let of = |name: &str| MemoryQuery::all(MemoryFilter::new().dcc(name));
    for name in ["maya", "Maya"] {
        assert_eq!(memory.query(&of(name)).unwrap().len(), 2, "{name}");
    }
    memory.end_session("b").unwrap();
    let summary = memory.summary("mAya", None).unwrap();
    assert_eq!(summary.memory_prefer_tools, ["t"]);
    assert_eq!(memory.forget(&MemoryFilter::new().dcc("maya")).unwrap(), 2);
}

/// A backup holds the file for writing.
#[test]
fn a_held_file_is_opened_and_read_and_calls_do_not_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let holder = Connection::open(folder.path().join("memory.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let memory = AgentMemory::new(Arc::new(open(folder.path())));
    let call = |session: &str| {
        let call = entry(MemoryLayer::Working, session, "tool_call:t:ok");
        memory.put(call.score(1).fact("tool_name", "t"))
    };
    call("a").unwrap();
    assert!(memory.end_session("a").is_err());
    // Only the end of a session asks the file again.
    call("b").unwrap();
    holder.execute_batch("COMMIT").unwrap();
    call("b").unwrap();
    let waits = || Connection::open(folder.path().join("memory.db")).unwrap();
    let kept = || -> i64 {
        let count = "SELECT count(*) FROM agent_memory";
        waits().query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(kept(), 0);
    memory.end_session("b").unwrap();
    assert_eq!(kept(), 2);
}

/// What was read is kept until somebody changes the file, in this process or another.
#[test]
fn what_others_learn_is_told_at_the_next_question() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, theirs] = [(); 2].map(|()| AgentMemory::new(Arc::new(open(folder.path()))));
    let learns = |memory: &AgentMemory, session: &str| {
        let call = entry(MemoryLayer::Working, session, "tool_call:t:ok");
        memory.put(call.score(1).fact("tool_name", "t")).unwrap();
        memory.end_session(session).unwrap();
    };
    let known = |memory: &AgentMemory| {
        let summary = memory.summary("maya", None).unwrap();
        summary
            .memory_summary
            .get("t")
            .map(|record| record["ok_count"].as_u64().unwrap())
    };
    assert_eq!(known(&ours), None);
    learns(&theirs, "a");
    assert_eq!((known(&ours), known(&ours)), (Some(1), Some(1)));
    learns(&ours, "b");
    assert_eq!((known(&ours), known(&theirs)), (Some(2), Some(2)));
    theirs.forget(&MemoryFilter::new().session("a")).unwrap();
    assert_eq!((known(&ours), known(&theirs)), (Some(1), Some(1)));
    ours.clear().unwrap();
    assert_eq!((known(&ours), known(&theirs)), (None, None));
}

#[test]
fn the_file_is_its_owners() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let open_to_all = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(file.unwrap().path(), open_to_all).unwrap();
    }
    let store = open(folder.path());
    store
        .put(vec![pattern("a", "k")], Existing::AddUp, 10)
        .unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}

#[test]
fn shown_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut old = pattern("a", "pattern:x").fact("count", 1);
    old.created_ms = 5;
    store
        .put(vec![old, pattern("b", "pattern:y")], Existing::AddUp, 10)
        .unwrap();
    let overview = MemoryOverview::of(&store, &MemoryFilter::new()).unwrap();
    assert_eq!(
        serde_json::to_value(overview).unwrap(),
        json!({
            "entries": 2, "by_dcc": {"maya": 2}, "by_session": {"a": 1, "b": 1}, "earliest_ms": 0, "latest_ms": 5
        })
    );
    let all = export(&store, &MemoryFilter::new().session("a")).unwrap();
    assert_eq!(
        all,
        json!({"schema_version": 1, "entries": [{
            "layer": "longterm", "key": "pattern:x", "session_id": "a", "dcc_name": "maya", "score": 0, "created_ms": 5,
            "facts": {"count": 1}
        }]})
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_file_answers_as_the_store_in_memory_does(
        given in prop::collection::vec((entries(), any::<bool>()), 0..30), filter in filters(), most in 0_usize..20
    ) {
        let folder = tempfile::tempdir().unwrap();
        let stores: [Box<dyn LongTermStore>; 2] = [Box::new(open(folder.path())), Box::<InMemoryLongTerm>::default()];
        let answers = stores.map(|store| {
            for (entry, add) in &given {
                let mut entry = entry.clone().score(1).fact("count", 1);
                entry.layer = MemoryLayer::LongTerm;
                let existing = if *add { Existing::AddUp } else { Existing::Replace };
                store.put(vec![entry], existing, most).unwrap();
            }
            let found = store.query(&MemoryQuery::new(filter.clone())).unwrap();
            (found, store.forget(&filter).unwrap(), store.query(&MemoryQuery::default()).unwrap())
        });
        prop_assert_eq!(&answers[0], &answers[1]);
    }
}

/// `SQLite` closes its account of a damaged file under a heading, which is no reason.
#[test]
fn a_damaged_file_is_told_with_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.db");
    let store = open(folder.path());
    let many = (0..400).map(|number| pattern("a", &format!("pattern:{number:0>60}")));
    store.put(many.collect(), Existing::Replace, 4_096).unwrap();
    drop(store);
    let mut bytes = std::fs::read(&file).unwrap();
    for at in [8, 20, 40].map(|page| page * 1_024) {
        for byte in bytes.iter_mut().skip(at).take(512) {
            *byte ^= 0x5a;
        }
    }
    std::fs::write(&file, bytes).unwrap();
    let told = SqliteLongTerm::open(&file).unwrap_err().to_string();
    assert!(told.contains("damaged") && !told.contains("***"), "{told}");
}

/// The folder is there; what may be missing is the right to write.
#[test]
fn a_file_that_cannot_be_made_is_told_with_a_cure_that_fits() {
    let folder = tempfile::tempdir().unwrap();
    let told = |file: &Path| SqliteLongTerm::open(file).unwrap_err().to_string();
    let absent = told(&folder.path().join("none/memory.db"));
    assert!(absent.contains("make its folder and"), "{absent}");
    // A name that no file may have stands for every disk that refuses, whoever runs this.
    let refused = told(&folder.path().join("x".repeat(300)));
    assert!(
        refused.contains("name too long") && refused.contains("name another file"),
        "{refused}"
    );
}
