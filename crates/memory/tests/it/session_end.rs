//! What stays of a session.

use metier_memory::{MemoryFilter, MemoryLayer, MemoryLimits, MemoryQuery};
use serde_json::json;

use crate::clock::{entry, keys, memory};

fn work(memory: &metier_memory::AgentMemory, session: &str) {
    for (key, score) in [
        ("tool_call:t:ok", 1),
        ("tool_call:t:ok", 1),
        ("tool_call:t:fail", -1),
        ("note", 0),
    ] {
        let entry = entry(MemoryLayer::Working, session, key)
            .score(score)
            .fact("tool_name", "t")
            .fact("detail", "of this session alone");
        memory.put(entry).unwrap();
    }
    memory
        .put(entry(MemoryLayer::Ephemeral, session, "seen"))
        .unwrap();
}

#[test]
fn working_entries_become_patterns_and_the_rest_is_forgotten() {
    let (memory, _) = memory();
    work(&memory, "a");
    work(&memory, "b");
    memory.end_session("a").unwrap();
    let of_a = MemoryQuery::all(MemoryFilter::new().session("a"));
    let found = memory.query(&of_a).unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|entry| json!([entry.layer, entry.key, entry.score, entry.facts]))
        .collect();
    assert_eq!(
        json!(told),
        json!([
            ["longterm", "pattern:tool_call:t", 1, {"count": 3, "ok_count": 2, "fail_count": 1, "tool_name": "t"}],
            ["longterm", "pattern:note", 0, {"count": 1, "ok_count": 0, "fail_count": 0, "tool_name": "t"}],
        ])
    );
    assert_eq!(keys(&memory, MemoryFilter::new().session("b")).len(), 5);
}

#[test]
fn case_146_a_second_end_and_an_unknown_session_change_nothing() {
    let (memory, _) = memory();
    work(&memory, "a");
    memory.end_session("a").unwrap();
    let all = MemoryQuery::all(MemoryFilter::new());
    let once = memory.query(&all).unwrap();
    memory.end_session("a").unwrap();
    memory.end_session("nobody").unwrap();
    assert_eq!(memory.query(&all).unwrap(), once);
}

#[test]
fn a_client_that_returns_under_its_name_adds_up() {
    let (memory, _) = memory();
    for _ in 0..3 {
        work(&memory, "client:x");
        memory.end_session("client:x").unwrap();
    }
    let found = memory
        .query(&MemoryQuery::all(
            MemoryFilter::new().key_prefix("pattern:tool"),
        ))
        .unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].score, &found[0].facts["count"]), (3, &json!(9)));
}

#[test]
fn a_session_too_many_ends_the_one_that_was_silent_for_longest() {
    let (memory, _) = memory();
    let mut limits = MemoryLimits::default();
    limits.sessions = 2;
    let memory = memory.with_limits(limits);
    for session in ["a", "b", "a", "c"] {
        memory
            .put(entry(MemoryLayer::Working, session, "tool_call:t:ok"))
            .unwrap();
    }
    assert_eq!(
        keys(&memory, MemoryFilter::new().session("b")),
        ["pattern:tool_call:t"]
    );
    assert_eq!(keys(&memory, MemoryFilter::new().session("a")).len(), 2);
}

#[test]
fn a_dropped_session_leaves_nothing() {
    let (memory, _) = memory();
    work(&memory, "a");
    memory.drop_session("a");
    assert!(memory.is_empty().unwrap());
}
