//! Hooks and vetoes on every way.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use metier_catalog::{CallError, CallRequest, LoadError, SearchRequest, SearchSkillsError};
use metier_hooks::{
    HookContext, HookDeny, HookEvent, HookFailure, HookPayload, LifecycleHooks, Registration,
};
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
async fn case_141_a_veto_stops_the_call_with_reason_and_hint() {
    let (hooks, seen) = recorded(&[HookEvent::AfterToolCall]);
    hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| {
        Err(HookFailure::Failed("cannot decide".to_owned()))
    });
    hooks.on(HookEvent::BeforeToolCall, |context: &HookContext| {
        assert_eq!(context.tool_name(), Some("box__go"));
        Err(HookDeny::new("not today").hint("use the other one").into())
    });
    hooks.on(HookEvent::BeforeToolCall, |_: &HookContext| {
        panic!("a handler after the refusal")
    });
    hooks.on(HookEvent::AfterToolCall, |_: &HookContext| {
        Err(HookFailure::Failed("secret of the handler".to_owned()))
    });
    let bench = bench(hooks);
    bench.catalog.load_skill("box").await.unwrap();
    let answer = bench.output("box__go", json!({})).await;
    assert!(answer.is_error);
    assert_eq!(
        answer.joined_text(),
        "denied by policy: not today\nuse the other one"
    );
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
async fn case_142_a_late_policy_denies_and_others_go_on() {
    let by_default = metier_catalog::CatalogSettings::default().hook_limit;
    assert_eq!(by_default, std::time::Duration::from_secs(5));
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
    let search = bench.catalog.search_skills(SearchRequest::new("x"));
    // Another client is not held up while the policy hangs.
    let (refused, other) = tokio::join!(search, bench.output("list_skills", json!({})));
    assert!(!other.is_error);
    let refused = refused.unwrap_err();
    assert!(matches!(refused, SearchSkillsError::Denied(_)), "{refused}");
    drop(let_go);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_hangs_for_ever_does_not_take_every_thread() {
    let bench = Bench::with(|settings| settings.hook_limit = std::time::Duration::from_millis(5));
    let hooks = LifecycleHooks::new();
    let (let_go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let begun = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&begun);
    hooks.on(HookEvent::BeforeSearch, move |_: &HookContext| {
        count.fetch_add(1, Ordering::SeqCst);
        // A second call waits for the lock, and so hangs too.
        let _ = wait.lock().unwrap().recv();
        Ok(())
    });
    let catalog = bench.catalog.clone().with_hooks(hooks);
    let search = || catalog.search_skills(SearchRequest::new("x"));
    for _ in 0..40 {
        assert!(matches!(search().await, Err(SearchSkillsError::Denied(_))));
    }
    // A thread may come to the handler after the call that asked for it was answered.
    while begun.load(Ordering::SeqCst) < 16 {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        begun.load(Ordering::SeqCst),
        16,
        "the others were late at once"
    );
    // It is well again, and is asked again.
    drop(let_go);
    while search().await.is_err() {
        tokio::task::yield_now().await;
    }
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
        let answer: Result<_, CallError> = dispatcher.call(CallRequest::new("box__go", None)).await;
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

#[tokio::test]
async fn a_policy_may_call_tools_and_is_not_asked_about_its_own_calls() {
    let (hooks, seen) = recorded(&[HookEvent::BeforeToolCall, HookEvent::BeforeSkillLoad]);
    let bench = bench(hooks.clone());
    let asks = |event, tool: &'static str, arguments: serde_json::Value| {
        let dispatcher = bench.dispatcher.clone();
        hooks.register(Registration::future(event, move |_| {
            let (dispatcher, arguments) = (dispatcher.clone(), arguments.clone());
            async move {
                let answer = dispatcher
                    .call(CallRequest::new(tool, Some(arguments)))
                    .await;
                let answer = answer.map_err(|error| HookFailure::Failed(error.to_string()))?;
                if answer.is_error {
                    return Err(HookDeny::new(answer.joined_text()).into());
                }
                Ok(())
            }
        }));
    };
    asks(HookEvent::BeforeToolCall, "box__go", json!({"n": 1}));
    // The load that the policy asks for goes through the core tool, which runs on a task of its own.
    asks(
        HookEvent::BeforeSkillLoad,
        "load_skill",
        json!({"skill_name": "box"}),
    );
    bench.catalog.load_skill("needs-box").await.unwrap();
    let answer = bench.output("box__go", json!({})).await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "box<Some(\"needs-box\")",
            "needs-box<None",
            "before_tool_call"
        ]
    );
}

#[tokio::test]
async fn handlers_see_a_skill_whole_or_not_at_all() {
    let hooks = LifecycleHooks::new();
    let bench = bench(hooks.clone());
    let seen = Seen::default();
    for event in [HookEvent::BeforeSkillLoad, HookEvent::AfterSkillLoad] {
        let (catalog, seen) = (bench.catalog.clone(), Arc::clone(&seen));
        hooks.on(event, move |context: &HookContext| {
            let snapshot = catalog.snapshot();
            let listed = snapshot.tools().iter().any(|tool| tool.name == "box__go");
            let loaded = ["box", "needs-box"].map(|name| catalog.is_loaded(name));
            let skill = context.skill_name().unwrap_or_default();
            let line = format!("{} {skill} {loaded:?} {listed}", context.event);
            seen.lock().unwrap().push(line);
            Ok(())
        });
    }
    bench.catalog.load_skill("needs-box").await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "before_skill_load box [false, false] false",
            "before_skill_load needs-box [false, false] false",
            "after_skill_load box [true, true] true",
            "after_skill_load needs-box [true, true] true",
        ]
    );
}

#[tokio::test]
async fn a_handler_with_a_limit_of_its_own_has_that_one() {
    let mut bench = Bench::with(|settings| settings.hook_limit = std::time::Duration::ZERO);
    let hooks = LifecycleHooks::new();
    bench.catalog = bench.catalog.clone().with_hooks(hooks.clone());
    bench.discover();
    let policy = || {
        Registration::future(HookEvent::BeforeSearch, |_| async {
            tokio::task::yield_now().await;
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            Ok(())
        })
    };
    let patient = hooks.register(policy().limit(std::time::Duration::from_mins(10)));
    let search = || bench.catalog.search_skills(SearchRequest::new("x"));
    search().await.unwrap();
    assert!(hooks.off(patient));
    hooks.register(policy());
    assert!(search().await.is_err());
}

#[tokio::test]
async fn a_host_fires_events_of_its_own() {
    let (hooks, seen) = recorded(&HookEvent::ALL);
    hooks.on(HookEvent::BeforeToolCall, |context: &HookContext| {
        context.set_extra("heard", true.into());
        Err(HookDeny::new("no").into())
    });
    let bench = Bench::with(|settings| settings.hooks = hooks);
    let catalog = &bench.catalog;
    catalog.dispatch_session_start("s", Some("host")).await;
    let denied = catalog
        .dispatch_before_tool_call("own", serde_json::Map::new(), Some("s"))
        .await;
    assert_eq!(denied, Err(HookDeny::new("no")));
    catalog
        .dispatch_after_tool_call("own", false, std::time::Duration::ZERO, Some("s"))
        .await;
    catalog.dispatch_session_end("s", "closed").await;
    let context = Arc::new(HookContext::new(
        "maya",
        None,
        HookPayload::BeforeToolCall {
            tool_name: "own".into(),
            skill_name: None,
            arguments: serde_json::Map::new(),
        },
    ));
    assert!(
        catalog
            .dispatch_context(Arc::clone(&context))
            .await
            .is_err()
    );
    assert_eq!(context.extra("heard"), Some(true.into()));
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "on_session_start",
            "before_tool_call",
            "own=error",
            "on_session_end",
            "before_tool_call"
        ]
    );
}

#[tokio::test]
async fn of_several_skills_that_are_refused_each_is_named() {
    let hooks = LifecycleHooks::new();
    hooks.on(HookEvent::BeforeSkillLoad, |_: &HookContext| {
        Err(HookDeny::new("no").hint("ask").into())
    });
    let bench = bench(hooks);
    let both = json!({"skill_names": ["box", "needs-box"]});
    let answer = bench.output("load_skill", both).await;
    let facts = answer.structured.as_ref().unwrap();
    assert_eq!(
        (&facts["code"], &facts["hint"]),
        (&json!("denied"), &json!("ask"))
    );
    assert_eq!(
        answer.joined_text(),
        "loading `box` was denied by policy: no; ask\nloading `box`, which `needs-box` needs, was denied by policy: no; ask"
    );
}
