//! Forgetting takes what is meant, and nothing else.

use metier_memory::{MemoryEntry, MemoryError, MemoryFilter, MemoryLayer, MemoryQuery};
use proptest::option::of;
use proptest::prelude::*;

use crate::clock::{entry, keys, memory};

#[test]
fn two_sessions_in_three_layers() {
    let (memory, _) = memory();
    for (layer, session, key) in [
        (MemoryLayer::Ephemeral, "A", "k1"),
        (MemoryLayer::Working, "A", "k2"),
        (MemoryLayer::LongTerm, "A", "pattern:a"),
        (MemoryLayer::Working, "B", "k3"),
        (MemoryLayer::LongTerm, "B", "pattern:b"),
    ] {
        memory.put(entry(layer, session, key)).unwrap();
    }
    let long_term = || MemoryFilter::new().layer(MemoryLayer::LongTerm);
    assert_eq!(memory.forget(&long_term().session("A")).unwrap(), 1);
    assert_eq!(keys(&memory, long_term()), ["pattern:b"]);
    assert_eq!(memory.forget(&MemoryFilter::new().session("A")).unwrap(), 2);
    assert_eq!(
        keys(&memory, MemoryFilter::new().session("B")),
        ["k3", "pattern:b"]
    );
    for nothing in [MemoryFilter::new(), MemoryFilter::new().key_prefix("")] {
        let refused = memory.forget(&nothing).unwrap_err();
        assert!(matches!(refused, MemoryError::NoFilter), "{refused}");
    }
    assert_eq!(memory.len().unwrap(), 2);
    assert_eq!(memory.clear().unwrap(), 2);
    assert!(memory.is_empty().unwrap());
}

fn layer() -> impl Strategy<Value = MemoryLayer> {
    prop::sample::select(vec![
        MemoryLayer::Ephemeral,
        MemoryLayer::Working,
        MemoryLayer::LongTerm,
    ])
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "ab", "b", ""]).prop_map(ToOwned::to_owned)
}

prop_compose! {
    pub(crate) fn filters()(
        layer in of(layer()), session in of(name()), dcc in of(name()), prefix in of(name())
    ) -> MemoryFilter {
        let mut filter = MemoryFilter::new();
        filter.layer = layer;
        filter.session_id = session;
        filter.dcc_name = dcc;
        filter.key_prefix = prefix;
        filter
    }
}

prop_compose! {
    pub(crate) fn entries()(layer in layer(), key in name(), session in name(), dcc in name()) -> MemoryEntry {
        MemoryEntry::new(layer, key, session, dcc)
    }
}

proptest! {
    #[test]
    fn case_144_what_goes_is_what_matches_and_the_count_is_right(
        given in prop::collection::vec(entries(), 0..60), filter in filters()
    ) {
        let (memory, _) = memory();
        for entry in given {
            memory.put(entry).unwrap();
        }
        let all = memory.query(&MemoryQuery::all(MemoryFilter::new())).unwrap();
        let (meant, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|entry| filter.matches(entry));
        prop_assert_eq!(memory.query(&MemoryQuery::all(filter.clone())).unwrap(), meant.clone());
        let gone = if filter.is_everything() {
            prop_assert!(memory.forget(&filter).is_err());
            memory.clear().unwrap()
        } else {
            memory.forget(&filter).unwrap()
        };
        prop_assert_eq!(gone, meant.len());
        prop_assert_eq!(memory.query(&MemoryQuery::all(MemoryFilter::new())).unwrap(), others);
    }
}
