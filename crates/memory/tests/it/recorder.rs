//! From events to what is told of them.

use std::sync::Arc;

use futures_util::FutureExt as _;
use metier_hooks::{HookContext, HookPayload, LifecycleHooks};
use metier_memory::{MemoryFilter, MemoryLayer, MemoryRecorder};
use serde_json::json;

use crate::clock::{called, ended, event, keys, memory, search};

fn installed() -> (MemoryRecorder, LifecycleHooks) {
    let recorder = MemoryRecorder::new(Arc::new(memory().0));
    let hooks = LifecycleHooks::new();
    recorder.install(&hooks);
    (recorder, hooks)
}

fn fire(hooks: &LifecycleHooks, context: Arc<HookContext>) -> Arc<HookContext> {
    hooks.dispatch(&context).now_or_never().unwrap().unwrap();
    context
}

fn told(context: &HookContext) -> serde_json::Value {
    json!({
        "summary": context.extra("memory_summary"),
        "prefer": context.extra("memory_prefer_tools"),
        "avoid": context.extra("memory_avoid_tools"),
    })
}

fn before_call(session: Option<&str>, tool: &str) -> Arc<HookContext> {
    let payload = HookPayload::BeforeToolCall {
        tool_name: tool.to_owned(),
        skill_name: None,
        arguments: serde_json::Map::new(),
    };
    event(session, payload)
}

#[test]
fn a_search_is_told_what_went_well_and_what_did_not() {
    let (_, hooks) = installed();
    let nothing = json!({"summary": null, "prefer": null, "avoid": null});
    assert_eq!(told(&fire(&hooks, search(Some("a")))), nothing);
    for (tool, outcome) in [
        ("good", "ok"),
        ("good", "ok"),
        ("mixed", "ok"),
        ("mixed", "panic"),
        ("bad", "error"),
        ("gated", "capability"),
        ("given_up", "cancelled"),
        ("misused", "invalid"),
    ] {
        fire(&hooks, called(Some("a"), tool, outcome));
    }
    let expected = json!({
        "summary": {
            "good": {"ok_count": 2, "fail_count": 0, "last_outcome": "ok"},
            "bad": {"ok_count": 0, "fail_count": 1, "last_outcome": "error"},
            "gated": {"ok_count": 0, "fail_count": 1, "last_outcome": "capability"},
        },
        "prefer": ["good"],
        "avoid": ["bad", "gated"],
    });
    assert_eq!(told(&fire(&hooks, search(Some("a")))), expected);
    assert_eq!(
        told(&fire(&hooks, search(Some("b")))),
        nothing,
        "another session's work is its own"
    );
    fire(&hooks, ended(Some("a")));
    assert_eq!(
        told(&fire(&hooks, search(Some("b")))),
        expected,
        "until it has become a pattern"
    );
}

#[test]
fn a_call_is_told_of_its_tool_alone() {
    let (_, hooks) = installed();
    for tool in ["rig", "rig__build", "other"] {
        fire(&hooks, called(Some("a"), tool, "error"));
    }
    let told = told(&fire(&hooks, before_call(Some("a"), "rig")));
    assert_eq!(told["avoid"], json!(["rig"]));
    assert_eq!(told["summary"].as_object().unwrap().len(), 1);
}

#[test]
fn what_a_handler_has_left_before_stays() {
    let (_, hooks) = installed();
    fire(&hooks, called(None, "t", "ok"));
    let context = search(None);
    context.set_extra("memory_prefer_tools", json!(["mine"]));
    assert_eq!(told(&fire(&hooks, context))["prefer"], json!(["mine"]));
}

#[test]
fn the_session_and_its_skills_are_in_the_ring() {
    let (recorder, hooks) = installed();
    fire(
        &hooks,
        event(
            Some("a"),
            HookPayload::SessionStart {
                client: Some("X".to_owned()),
            },
        ),
    );
    let loaded = HookPayload::AfterSkillLoad {
        skill_name: "rig".to_owned(),
        tools: vec!["rig__build".to_owned()],
    };
    fire(&hooks, event(Some("a"), loaded));
    let ring = MemoryFilter::new()
        .session("a")
        .layer(MemoryLayer::Ephemeral);
    assert_eq!(
        keys(recorder.memory(), ring),
        ["skill_loaded:rig", "session_start"]
    );
}

#[test]
fn the_privacy_switch() {
    let (recorder, hooks) = installed();
    fire(&hooks, called(Some("a"), "t", "ok"));
    recorder.set_enabled(false);
    fire(&hooks, called(Some("a"), "t", "ok"));
    assert_eq!(recorder.memory().len().unwrap(), 1, "nothing is written");
    assert_eq!(
        fire(&hooks, search(Some("a"))).extra("memory_summary"),
        None,
        "nothing is told"
    );
    fire(&hooks, ended(Some("a")));
    assert!(
        recorder.memory().is_empty().unwrap(),
        "an end leaves nothing"
    );
    recorder.set_enabled(true);
    fire(&hooks, called(Some("a"), "t", "ok"));
    assert_eq!(
        recorder.memory().len().unwrap(),
        1,
        "no handler has to be registered again"
    );
    recorder.uninstall(&hooks);
    fire(&hooks, called(Some("a"), "t", "ok"));
    assert_eq!(recorder.memory().len().unwrap(), 1);
}
