//! A store that cannot be written costs nothing but the writing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_memory::{
    AgentMemory, Existing, InMemoryLongTerm, LongTermStore, MemoryEntry, MemoryFilter, MemoryLayer,
    MemoryQuery, MemoryRecorder, StoreError,
};

use crate::clock::{called, ended, entry, keys};

#[derive(Debug, Default)]
struct Moody {
    full: AtomicBool,
    kept: InMemoryLongTerm,
}

impl LongTermStore for Moody {
    fn put(
        &self,
        entries: Vec<MemoryEntry>,
        existing: Existing,
        most: usize,
    ) -> Result<(), StoreError> {
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
