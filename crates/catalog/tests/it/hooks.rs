//! Hooks and vetoes on every way.

use std::sync::{Arc, Mutex};

use metier_catalog::{CallError, LoadError, SearchRequest, SearchSkillsError};
use metier_hooks::{HookContext, HookDeny, HookEvent, HookFailure, HookPayload, LifecycleHooks};
use serde_json::json;

use crate::bench_folder::Bench;

type Seen = Arc<Mutex<Vec<String>>>;

fn recorded(events: &[HookEvent]) -> (LifecycleHooks, Seen) {
    let hooks = LifecycleHooks::new();
    let seen = Seen::default();
    for event in events {
        let seen = Arc::clone(&seen);
        hooks.on(*event, move |context: &HookContext| {
            let what = match &context.payload {
                HookPayload::AfterToolCall {
                    tool_name, outcome, ..
                } => format!("{tool_name}={outcome}"),
                HookPayload::BeforeSkillLoad {
                    skill_name,
                    dependency_of,
                } => format!("{skill_name}<{dependency_of:?}"),
                other => format!("{}", other.event()),
            };
            seen.lock().unwrap().push(what);
            Ok(())
        });
    }
    (hooks, seen)
}

fn bench(hooks: LifecycleHooks) -> Bench {
    let mut bench = Bench::new();
    bench.catalog = bench.catalog.clone().with_hooks(hooks);
    bench.skill_with_tools("box", "tools:\n  - name: go\n    input_schema: {type: object, properties: {n: {type: integer}}}\n", "open('ran', 'w').close()\n");
    bench.skill("needs-box", &["depends: [box]"]);
    bench.discover();
    bench
}

#[tokio::test]
async fn a_veto_stops_the_call_with_reason_and_hint() {
    let (hooks, seen) = recorded(&[HookEvent::AfterToolCall]);
    hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| {
        Err(HookFailure::Failed("cannot decide".to_owned()))
    });
    hooks.on(HookEvent::BeforeToolCall, |context: &HookContext| {
        assert_eq!(context.tool_name(), Some("box__go"));
        Err(HookDeny::new("not today").hint("use the other one").into())
    });
    let bench = bench(hooks);
    bench.catalog.load_skill("box").await.unwrap();
    let answer = bench.output("box__go", json!({})).await;
    assert!(answer.is_error);
    assert_eq!(
        serde_json::to_value(answer.structured.unwrap()).unwrap(),
        json!({"code": "denied", "reason": "not today", "hint": "use the other one"})
    );
    assert!(!bench.path().join("box/ran").exists());
    assert_eq!(*seen.lock().unwrap(), ["box__go=denied"]);
}

#[tokio::test]
async fn the_after_hook_hears_every_outcome_and_never_of_core_tools() {
    let (hooks, seen) = recorded(&[HookEvent::AfterToolCall]);
    let bench = bench(hooks);
    bench
        .output("load_skill", json!({"skill_name": "box"}))
        .await;
    bench.output("box__go", json!({})).await;
    bench.output("box__go", json!({"n": "x"})).await;
    assert_eq!(*seen.lock().unwrap(), ["box__go=ok", "box__go=invalid"]);
}

#[tokio::test]
async fn a_dependency_is_asked_for_and_its_veto_loads_nothing() {
    let (hooks, seen) = recorded(&[HookEvent::BeforeSkillLoad]);
    hooks.on(HookEvent::BeforeSkillLoad, |context: &HookContext| {
        if context.skill_name() == Some("needs-box") {
            return Err(HookDeny::new("no").into());
        }
        Ok(())
    });
    let bench = bench(hooks);
    let refused = bench.catalog.load_skill("needs-box").await.unwrap_err();
    assert!(matches!(refused, LoadError::Denied { .. }), "{refused}");
    assert_eq!(
        *seen.lock().unwrap(),
        ["box<Some(\"needs-box\")", "needs-box<None"]
    );
    assert_eq!(bench.catalog.loaded_count(), 0);
    let answer = bench
        .output("load_skill", json!({"skill_name": "needs-box"}))
        .await;
    assert_eq!(answer.structured.unwrap()["code"], "denied");
}

#[tokio::test]
async fn a_search_can_be_refused() {
    let hooks = LifecycleHooks::new();
    hooks.on(HookEvent::BeforeSearch, |_: &HookContext| {
        Err(HookDeny::new("no").into())
    });
    let bench = bench(hooks);
    let refused = bench
        .catalog
        .search_skills(SearchRequest::new("box"))
        .await
        .unwrap_err();
    assert!(matches!(refused, SearchSkillsError::Denied(_)));
    assert!(
        bench
            .output("search_skills", json!({"query": "box"}))
            .await
            .is_error
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_policy_denies_and_others_go_on() {
    let mut bench =
        Bench::with(|settings| settings.hook_limit = std::time::Duration::from_millis(50));
    let hooks = LifecycleHooks::new();
    let (let_go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    hooks.on(HookEvent::BeforeSearch, move |_: &HookContext| {
        let _ = wait.lock().unwrap().recv();
        Ok(())
    });
    bench.catalog = bench.catalog.clone().with_hooks(hooks);
    bench.discover();
    let refused = bench
        .catalog
        .search_skills(SearchRequest::new("x"))
        .await
        .unwrap_err();
    assert!(matches!(refused, SearchSkillsError::Denied(_)), "{refused}");
    drop(let_go);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_may_use_the_catalog() {
    let bench = Bench::new();
    let hooks = LifecycleHooks::new();
    let catalog = bench.catalog.clone();
    let runtime = tokio::runtime::Handle::current();
    hooks.on(HookEvent::BeforeSearch, move |_: &HookContext| {
        // Searching from inside a search's own policy does not ask the policy again.
        let inner = runtime.block_on(catalog.search_skills(SearchRequest::new("box")));
        inner
            .map(|_| ())
            .map_err(|error| HookFailure::Failed(error.to_string()))
    });
    let catalog = bench.catalog.clone().with_hooks(hooks);
    bench.skill("box", &[]);
    bench.discover();
    let report = catalog
        .search_skills(SearchRequest::new("box"))
        .await
        .unwrap();
    assert_eq!(report.hits.len(), 1);
}

#[tokio::test]
async fn a_dropped_call_still_tells() {
    let (hooks, seen) = recorded(&[HookEvent::AfterToolCall]);
    let bench = bench(hooks);
    bench.file(
        "box/scripts/go.py",
        "import time\nopen('started', 'w').close()\ntime.sleep(600)\n",
    );
    bench.catalog.rediscover();
    bench.catalog.load_skill("box").await.unwrap();
    let dispatcher = bench.dispatcher.clone();
    let call = tokio::spawn(async move {
        let answer: Result<_, CallError> = dispatcher
            .call(metier_catalog::CallRequest::new("box__go", None))
            .await;
        answer
    });
    while !bench.path().join("box/started").exists() {
        tokio::task::yield_now().await;
    }
    call.abort();
    while seen.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*seen.lock().unwrap(), ["box__go=cancelled"]);
}
