//! What is told has a size, and is made of names that were called.

use metier_memory::MemoryLayer;
use proptest::prelude::*;

use crate::clock::{entry, memory};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn at_most_twelve_hundred_characters(
        calls in prop::collection::vec((".{0,140}", any::<bool>()), 0..120)
    ) {
        let (memory, _) = memory();
        for (tool, ok) in &calls {
            let key = format!("tool_call:{tool}:{}", if *ok { "ok" } else { "fail" });
            memory
                .put(entry(MemoryLayer::Working, "a", &key).score(if *ok { 1 } else { -1 }).fact("tool_name", tool.as_str()))
                .unwrap();
        }
        let summary = memory.summary("maya", Some("a")).unwrap();
        prop_assert!(serde_json::to_string(&summary).unwrap().chars().count() <= 1_200);
        prop_assert!(summary.memory_prefer_tools.len() <= 8 && summary.memory_avoid_tools.len() <= 8);
        let plain = calls.iter().any(|(tool, _)| tool.len() < 40 && tool.chars().all(char::is_alphanumeric));
        let balanced = calls.len() > 1;
        prop_assert!(!summary.is_empty() || !plain || balanced);
    }
}

#[test]
fn another_application_is_another_memory() {
    let (memory, _) = memory();
    let call = entry(MemoryLayer::Working, "a", "tool_call:t:ok")
        .score(1)
        .fact("tool_name", "t");
    memory.put(call).unwrap();
    assert!(!memory.summary("maya", Some("a")).unwrap().is_empty());
    assert!(memory.summary("blender", Some("a")).unwrap().is_empty());
    assert!(memory.summary("maya", None).unwrap().is_empty());
}
