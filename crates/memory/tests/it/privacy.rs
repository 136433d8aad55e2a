//! Summaries only: nothing that a person or a model wrote is kept or told.

use std::sync::Arc;

use metier_hooks::{HookContext, HookPayload};
use metier_memory::{MemoryFilter, MemoryQuery, MemoryRecorder};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::clock::{event, memory};

/// Stands in every text that somebody wrote.
const WRITTEN: &str = "zqxjw";

fn words() -> impl Strategy<Value = String> {
    (".{0,40}", ".{0,40}").prop_map(|(before, after)| format!("{before}{WRITTEN}{after}"))
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map(words(), words(), 0..4).prop_map(|members| {
        let nested = json!({"list": members.values().collect::<Vec<_>>()});
        let mut all: Map<String, Value> = members
            .into_iter()
            .map(|(name, text)| (name, text.into()))
            .collect();
        all.insert("nested".to_owned(), nested);
        all
    })
}

/// Any event, with names that a catalog gave and texts that people wrote.
fn events() -> impl Strategy<Value = HookPayload> {
    let tool = || {
        prop::sample::select(vec!["rig__build", "rig__bind", "scene__save"])
            .prop_map(ToOwned::to_owned)
    };
    let skill = || Some("rig".to_owned());
    prop_oneof![
        words().prop_map(|client| HookPayload::SessionStart {
            client: Some(client)
        }),
        words().prop_map(|query| HookPayload::BeforeSearch { query }),
        words().prop_map(|query| HookPayload::AfterSearch {
            query,
            hits: vec!["rig".to_owned()]
        }),
        Just(HookPayload::AfterSkillLoad {
            skill_name: "rig".to_owned(),
            tools: Vec::new()
        }),
        (tool(), arguments()).prop_map(move |(tool_name, arguments)| HookPayload::BeforeToolCall {
            tool_name,
            skill_name: skill(),
            arguments,
        }),
        (tool(), any::<bool>(), words()).prop_map(move |(tool_name, ok, outcome)| {
            HookPayload::AfterToolCall {
                tool_name,
                skill_name: skill(),
                ok,
                outcome,
                elapsed_ms: 1,
            }
        }),
        words().prop_map(|reason| HookPayload::SessionEnd { reason }),
    ]
}

proptest! {
    #[test]
    fn nothing_that_was_written_is_kept_or_told(
        happened in prop::collection::vec((prop::sample::select(vec!["a", "b"]), events()), 0..60)
    ) {
        let recorder = MemoryRecorder::new(Arc::new(memory().0));
        for (session, payload) in happened {
            let context = event(Some(session), payload);
            recorder.observe(&context);
            for name in ["memory_summary", "memory_prefer_tools", "memory_avoid_tools"] {
                let told = context.extra(name).unwrap_or_default().to_string();
                prop_assert!(!told.contains(WRITTEN), "{told}");
            }
        }
        let kept = recorder.memory().query(&MemoryQuery::all(MemoryFilter::new())).unwrap();
        let kept = serde_json::to_string(&kept).unwrap();
        prop_assert!(!kept.contains(WRITTEN), "{kept}");
    }
}

#[test]
fn extra_values_of_others_are_not_kept() {
    let recorder = MemoryRecorder::new(Arc::new(memory().0));
    let context = HookContext::new("maya", None, HookPayload::SessionStart { client: None });
    context.set_extra("prompt", WRITTEN.into());
    recorder.observe(&context);
    let kept = recorder.memory().query(&MemoryQuery::default()).unwrap();
    assert_eq!(kept.len(), 1);
    assert!(!serde_json::to_string(&kept).unwrap().contains(WRITTEN));
}
