//! What is kept, how much, and for how long.

use metier_memory::{MemoryEntry, MemoryError, MemoryFilter, MemoryLayer, MemoryQuery};

use crate::clock::{HOUR, entry, keys, memory};

#[test]
fn each_layer_keeps_its_newest() {
    let (memory, _) = memory();
    for number in 0..5_000 {
        for layer in [
            MemoryLayer::Ephemeral,
            MemoryLayer::Working,
            MemoryLayer::LongTerm,
        ] {
            memory
                .put(entry(layer, "a", &format!("k{number}")))
                .unwrap();
        }
    }
    for (layer, most) in [
        (MemoryLayer::Ephemeral, 256),
        (MemoryLayer::Working, 1_024),
        (MemoryLayer::LongTerm, 4_096),
    ] {
        let found = keys(&memory, MemoryFilter::new().layer(layer));
        assert_eq!(found.len(), most, "{layer}");
        assert_eq!(found[0], "k4999");
        assert_eq!(found[most - 1], format!("k{}", 5_000 - most));
    }
}

#[test]
fn a_session_has_limits_of_its_own_and_the_long_term_layer_one_for_all() {
    let (memory, _) = memory();
    for session in ["a", "b"] {
        for number in 0..3_000 {
            for layer in [MemoryLayer::Working, MemoryLayer::LongTerm] {
                memory
                    .put(entry(layer, session, &format!("k{number}")))
                    .unwrap();
            }
        }
    }
    let of =
        |layer, session| keys(&memory, MemoryFilter::new().layer(layer).session(session)).len();
    assert_eq!(of(MemoryLayer::Working, "a"), 1_024);
    assert_eq!(of(MemoryLayer::Working, "b"), 1_024);
    assert_eq!(of(MemoryLayer::LongTerm, "a"), 1_096);
    assert_eq!(of(MemoryLayer::LongTerm, "b"), 3_000);
}

#[test]
fn case_145_what_has_expired_is_gone_and_takes_no_place() {
    let (memory, hands) = memory();
    let working = || MemoryFilter::new().layer(MemoryLayer::Working);
    for number in 0..1_024 {
        memory
            .put(entry(MemoryLayer::Working, "a", &format!("old{number}")))
            .unwrap();
    }
    memory.put(entry(MemoryLayer::Working, "b", "old")).unwrap();
    hands.set(0, 6 * HOUR - 1);
    memory
        .put(entry(MemoryLayer::Working, "a", "live"))
        .unwrap();
    assert_eq!(memory.len().unwrap(), 1_025, "one made room");
    hands.set(0, 6 * HOUR);
    memory.put(entry(MemoryLayer::Working, "a", "new")).unwrap();
    assert_eq!(keys(&memory, working()), ["new", "live"]);
    assert_eq!(
        memory.len().unwrap(),
        2,
        "purged, not hidden, in every session"
    );
    hands.set(0, 20 * HOUR);
    assert_eq!(memory.len().unwrap(), 0);
}

#[test]
fn only_the_working_layer_expires() {
    let (memory, hands) = memory();
    for layer in [
        MemoryLayer::Ephemeral,
        MemoryLayer::Working,
        MemoryLayer::LongTerm,
    ] {
        memory.put(entry(layer, "a", layer.as_str())).unwrap();
    }
    hands.set(0, 1_000 * HOUR);
    assert_eq!(
        keys(&memory, MemoryFilter::new()),
        ["ephemeral", "longterm"]
    );
}

#[test]
fn clocks_that_jump_back_are_harmless() {
    let (memory, hands) = memory();
    let at = |unix_ms, uptime| hands.set(unix_ms, uptime);
    at(10_000_000, 5 * HOUR);
    memory
        .put(entry(MemoryLayer::Working, "a", "first"))
        .unwrap();
    memory
        .put(entry(MemoryLayer::LongTerm, "a", "pattern:first"))
        .unwrap();
    // The time of day steps back an hour and more, and so does the other one, which it should not.
    at(0, 4 * HOUR);
    memory
        .put(entry(MemoryLayer::Working, "a", "second"))
        .unwrap();
    memory
        .put(entry(MemoryLayer::LongTerm, "a", "pattern:second"))
        .unwrap();
    assert_eq!(
        keys(&memory, MemoryFilter::new()),
        ["second", "first", "pattern:second", "pattern:first"]
    );
    at(0, 11 * HOUR - 1);
    assert_eq!(
        memory.len().unwrap(),
        4,
        "six hours after the latest reading"
    );
    at(u64::MAX, 11 * HOUR);
    assert_eq!(memory.len().unwrap(), 2);
}

#[test]
fn a_query_has_a_limit_and_the_later_of_two_comes_first() {
    let (memory, _) = memory();
    for number in 0..20 {
        memory
            .put(entry(MemoryLayer::Working, "a", &format!("k{number}")))
            .unwrap();
    }
    let of = |limit| memory.query(&MemoryQuery::default().limit(limit)).unwrap();
    assert_eq!(of(0), []);
    assert_eq!(
        of(2)
            .iter()
            .map(|entry| entry.key.as_str())
            .collect::<Vec<_>>(),
        ["k19", "k18"]
    );
    assert_eq!(memory.query(&MemoryQuery::default()).unwrap().len(), 16);
}

#[test]
fn names_have_a_length() {
    let (memory, _) = memory();
    let name = "x".repeat(MemoryEntry::LONGEST_NAME);
    memory
        .put(entry(MemoryLayer::Working, &name, &name))
        .unwrap();
    let error = memory
        .put(entry(MemoryLayer::Working, &format!("{name}x"), "k"))
        .unwrap_err();
    assert!(matches!(
        error,
        MemoryError::TooLong {
            what: "session",
            found: 257
        }
    ));
    // A pattern of a key that is as long as any may be is cut, not lost.
    memory.end_session(&name).unwrap();
    assert_eq!(keys(&memory, MemoryFilter::new())[0].chars().count(), 256);
}
