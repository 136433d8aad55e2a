//! A recorder on a catalog: what was learned comes with the answer to a search.

use std::sync::Arc;

use metier::catalog::{CallRequest, SearchRequest};
use metier::{
    AgentMemory, CatalogSettings, HookDeny, HookEvent, MemoryFilter, MemoryQuery, MemoryRecorder,
    SkillCatalog, ToolDispatcher, ToolError, ToolRegistry, ToolSpec,
};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    works: bool,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Output {
    done: bool,
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_told_with_the_next_search_and_policies_see_them() {
    let registry = ToolRegistry::with_settings(CatalogSettings::default());
    let dispatcher = ToolDispatcher::new(registry.clone());
    let catalog = SkillCatalog::new(registry.clone()).with_dispatcher(dispatcher.clone());
    let tool = ToolSpec::from_fn("scene_wipe", |input: Input, _| async move {
        if input.works {
            Ok(Output { done: true })
        } else {
            Err(ToolError::Failed("zqxjw: no".to_owned()))
        }
    });
    registry.register(tool).unwrap();
    let recorder = MemoryRecorder::new(Arc::new(AgentMemory::in_memory()));
    recorder.install(&catalog.hooks());
    // A policy that reads the memory.
    catalog.hooks().on(
        HookEvent::BeforeToolCall,
        |context: &metier::hooks::HookContext| match context.extra("memory_avoid_tools") {
            Some(_) => Err(HookDeny::new("it failed before").into()),
            None => Ok(()),
        },
    );

    let call = |works: bool| {
        let arguments = json!({"works": works, "zqxjw": "a prompt"});
        let arguments = if works {
            json!({"works": true})
        } else {
            arguments
        };
        dispatcher.call(CallRequest::new("scene_wipe", Some(arguments)))
    };
    assert!(
        call(false).await.unwrap().is_error,
        "an unknown argument teaches nothing"
    );
    let wrong = CallRequest::new("scene_wipe", Some(json!({"works": false})));
    assert!(dispatcher.call(wrong).await.unwrap().is_error);
    let denied = call(true).await.unwrap();
    assert_eq!(denied.structured.unwrap()["reason"], "it failed before");

    let found = catalog
        .search_skills(SearchRequest::new("zqxjw"))
        .await
        .unwrap();
    assert_eq!(
        json!(found.memory),
        json!({
            "memory_summary": {"scene_wipe": {"ok_count": 0, "fail_count": 2, "last_outcome": "denied"}},
            "memory_avoid_tools": ["scene_wipe"],
        })
    );
    let kept = recorder
        .memory()
        .query(&MemoryQuery::all(MemoryFilter::new()))
        .unwrap();
    assert_eq!(kept.len(), 3);
    assert!(!serde_json::to_string(&kept).unwrap().contains("zqxjw"));
}
