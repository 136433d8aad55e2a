//! Several servers on one file.

use std::sync::atomic::{AtomicBool, Ordering};

use metier_persistence::{StateChange, parse_state};

use crate::store::{at, load, names};

#[test]
fn case_138_each_writes_its_own_change_and_the_file_is_whole_at_every_moment() {
    const ROUNDS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    at(folder.path(), 1).save(&load("first")).unwrap();
    let done = AtomicBool::new(false);
    let reads = std::thread::scope(|scope| {
        let writers: Vec<_> = ["a", "b"]
            .into_iter()
            .map(|name| {
                scope.spawn({
                    let store = at(folder.path(), 5);
                    move || {
                        for _ in 0..ROUNDS {
                            store.save(&load(name)).unwrap();
                            store
                                .save(&StateChange::default().with_unloaded(name))
                                .unwrap();
                        }
                        store.save(&load(name)).unwrap();
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let file = folder.path().join("maya/loaded.json");
            let mut reads = 0;
            while !done.load(Ordering::Relaxed) {
                let parsed = parse_state(&std::fs::read(&file).unwrap());
                assert_eq!(parsed.faults, [""; 0]);
                assert!(parsed.state.skill("first").is_some());
                reads += 1;
            }
            reads
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(reads > 0);
    let mut names = names(&at(folder.path(), 9));
    names.sort();
    assert_eq!(names, ["a", "b", "first"]);
}

#[test]
fn a_lock_that_hangs_is_told_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = at(folder.path(), 5);
    store.save(&load("a")).unwrap();
    let lock = std::fs::File::open(folder.path().join("maya/loaded.json.lock")).unwrap();
    lock.lock().unwrap();
    let error = store.save(&load("b")).unwrap_err().to_string();
    assert!(error.contains("another process holds"), "{error}");
    drop(lock);
    store.save(&load("b")).unwrap();
    assert_eq!(names(&store), ["a", "b"]);
}
