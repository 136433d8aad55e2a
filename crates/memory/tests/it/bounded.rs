//! A million events.

use std::sync::Arc;

use metier_memory::{MemoryFilter, MemoryLayer, MemoryLimits, MemoryQuery, MemoryRecorder};

use crate::clock::{called, ended, memory};

const EVENTS: usize = 1_000_000;

/// The most that may be held at any moment: both layers of every session, and the long-term one.
fn most(limits: &MemoryLimits) -> usize {
    limits.sessions * (limits.ephemeral + limits.working) + limits.long_term
}

#[test]
fn a_million_events_leave_no_more_than_the_limits() {
    let (memory, _) = memory();
    let mut limits = MemoryLimits::default();
    limits.sessions = 8;
    let recorder = MemoryRecorder::new(Arc::new(memory.with_limits(limits)));
    let memory = recorder.memory();
    // Sessions come and go, most of them without an end; some tools fail.
    let outcomes = ["ok", "error", "cancelled"];
    let sessions: Vec<String> = (0..500).map(|number| format!("s{number}")).collect();
    let mut highest = 0;
    for (number, session) in sessions.iter().enumerate() {
        let session = Some(session.as_str());
        let events: Vec<_> = (0..20)
            .map(|tool| called(session, &format!("tool{tool}_{number}"), outcomes[tool % 3]))
            .collect();
        for round in 0..EVENTS / sessions.len() {
            recorder.observe(&events[round % events.len()]);
        }
        highest = highest.max(memory.len().unwrap());
        assert!(highest <= most(&limits));
        if number % 3 == 0 {
            recorder.observe(&ended(session));
        }
    }
    assert!(highest > 8 * 1_024, "the limits were reached");
    let of = |layer| {
        let query = MemoryQuery::all(MemoryFilter::new().layer(layer));
        memory.query(&query).unwrap().len()
    };
    assert_eq!(of(MemoryLayer::LongTerm), 4_096);
    assert!(of(MemoryLayer::Ephemeral) <= 8 * 256);
    assert!(of(MemoryLayer::Working) <= 8 * 1_024);
}
