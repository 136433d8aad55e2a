//! A store that cannot be written costs nothing but the writing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use metier_memory::{
    AgentMemory, Existing, InMemoryLongTerm, LongTermStore, MemoryEntry, MemoryFilter, MemoryLayer,
    MemoryQuery, MemoryRecorder, StoreError,
};

use crate::clock::{called, ended, entry, keys};

#[derive(Debug, Default)]
struct Moody {
    full: AtomicBool,
    /// Held while it is asked.
    held: Mutex<usize>,
    kept: InMemoryLongTerm,
}

impl LongTermStore for Moody {
    fn put(
        &self,
        entries: Vec<MemoryEntry>,
        existing: Existing,
        most: usize,
    ) -> Result<(), StoreError> {
        *self.held.lock().unwrap() += 1;
        if self.full.load(Ordering::Relaxed) {
            return Err(StoreError::new("x.db", "the disk is full", "make room"));
        }
        self.kept.put(entries, existing, most)
    }

    fn query(&self, query: &MemoryQuery) -> Result<Vec<MemoryEntry>, StoreError> {
        self.kept.query(query)
    }

    fn forget(&self, filter: &MemoryFilter) -> Result<usize, StoreError> {
        self.kept.forget(filter)
    }

    fn len(&self) -> Result<usize, StoreError> {
        self.kept.len()
    }
}

#[test]
fn patterns_wait_until_the_store_takes_them() {
    let store = Arc::new(Moody::default());
    let recorder = MemoryRecorder::new(Arc::new(AgentMemory::new(
        Arc::clone(&store) as Arc<dyn LongTermStore>
    )));
    let end = |session| {
        recorder.observe(&called(Some(session), "t", "ok"));
        recorder.observe(&ended(Some(session)));
    };
    store.full.store(true, Ordering::Relaxed);
    end("a");
    end("b");
    let memory = recorder.memory();
    assert_eq!(store.len().unwrap(), 0);
    assert_eq!(
        memory.summary("maya", None).unwrap().memory_summary["t"]["ok_count"],
        2,
        "they are remembered"
    );
    assert_eq!(
        memory.forget(&MemoryFilter::new().session("a")).unwrap(),
        1,
        "and can be forgotten"
    );
    let refused = memory
        .put(entry(MemoryLayer::LongTerm, "c", "pattern:x"))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the long-term memory x.db: the disk is full; make room"
    );

    store.full.store(false, Ordering::Relaxed);
    end("d");
    assert_eq!(store.len().unwrap(), 2);
    assert_eq!(memory.len().unwrap(), 2);
    let long_term = MemoryFilter::new().layer(MemoryLayer::LongTerm);
    assert_eq!(keys(memory, long_term), ["pattern:tool_call:t"; 2]);
}

/// No session follows the last ones of a process.
#[test]
fn what_waits_is_written_at_the_end_also_without_another_session() {
    let store = Arc::new(Moody::default());
    let memory = AgentMemory::new(Arc::clone(&store) as Arc<dyn LongTermStore>);
    memory.write_waiting().unwrap();
    assert_eq!(*store.held.lock().unwrap(), 0, "nothing waits");
    let call = entry(MemoryLayer::Working, "a", "tool_call:t:ok");
    memory.put(call.score(1).fact("tool_name", "t")).unwrap();
    store.full.store(true, Ordering::Relaxed);
    memory.end_session("a").unwrap_err();
    memory.write_waiting().unwrap_err();
    assert_eq!((memory.waiting(), store.len().unwrap()), (1, 0));
    store.full.store(false, Ordering::Relaxed);
    memory.write_waiting().unwrap();
    assert_eq!((memory.waiting(), store.len().unwrap()), (0, 1));
}

/// Each try costs a quarter of a second while another process holds the file, and a server that ends has hundreds of
/// sessions.
#[test]
fn sessions_that_end_together_ask_a_store_that_refuses_together() {
    let store = Arc::new(Moody::default());
    store.full.store(true, Ordering::Relaxed);
    let memory = AgentMemory::new(Arc::clone(&store) as Arc<dyn LongTermStore>);
    for session in 0..64 {
        let call = entry(MemoryLayer::Working, &session.to_string(), "tool_call:t:ok");
        memory.put(call.score(1).fact("tool_name", "t")).unwrap();
    }
    let refused = std::thread::scope(|scope| {
        let held = store.held.lock().unwrap();
        let ends: Vec<_> = (0..64)
            .map(|session| {
                scope.spawn({
                    let memory = &memory;
                    move || memory.end_session(&session.to_string())
                })
            })
            .collect();
        // All but the one whose patterns are being tried wait.
        while memory.len().unwrap() > 63 || !memory.query(&working()).unwrap().is_empty() {
            std::thread::yield_now();
        }
        drop(held);
        ends.into_iter()
            .map(|end| end.join().unwrap())
            .filter(Result::is_err)
            .count()
    });
    assert!(refused <= 8, "{refused} were told");
    assert!(*store.held.lock().unwrap() <= 8);
    assert_eq!(memory.len().unwrap(), 64, "all is kept");
    store.full.store(false, Ordering::Relaxed);
    memory.end_session("another").unwrap();
    assert_eq!(store.len().unwrap(), 64);
}

fn working() -> MemoryQuery {
    MemoryQuery::all(MemoryFilter::new().layer(MemoryLayer::Working))
}
