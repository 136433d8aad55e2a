//! What `discover_skills` says of each hit.

use metier_catalog::Discover;
use metier_hooks::{HookContext, HookEvent, LifecycleHooks};
use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

#[tokio::test]
async fn a_hit_says_what_it_lacks_and_how_it_is_used() {
    let bench = Bench::with(|settings| settings.declared_capabilities = vec!["scene.read".into()]);
    bench.skill_with_tools(
        "rig",
        "tools:\n  - name: go\n    source_file: scripts/run.py\n    required_capabilities: [scene.read, scene.write]\n",
        ECHO,
    );
    bench.discover();
    let answer = bench
        .catalog
        .discover_skills(Discover::new("rig"))
        .await
        .unwrap();
    let shown = answer.to_json();
    let by_tool = bench
        .output("discover_skills", json!({"query": "rig"}))
        .await;
    assert_eq!(shown, json!(by_tool.structured));
    let hit = &shown["hits"][0];
    assert_eq!(
        hit["required_capabilities"],
        json!(["scene.read", "scene.write"])
    );
    assert_eq!(hit["missing_capabilities"], json!(["scene.write"]));
    assert_eq!(
        hit["use"],
        json!({"tool": "skill", "arguments": {"skill_name": "rig"}})
    );
    let used = bench.output("skill", hit["use"]["arguments"].clone()).await;
    assert!(!used.is_error, "{used:?}");
}

/// A hook behind the search changes the skills before the answer is written.
#[tokio::test]
async fn a_hit_lacks_what_it_lacked_when_it_was_found() {
    let hooks = LifecycleHooks::new();
    let mut bench = Bench::with(|settings| settings.declared_capabilities = vec!["a".into()]);
    bench.catalog = bench.catalog.clone().with_hooks(hooks.clone());
    bench.skill_with_tools(
        "rig",
        "tools:\n  - {name: go, source_file: scripts/run.py, required_capabilities: [a, b]}\n",
        ECHO,
    );
    bench.discover();
    let (catalog, folder) = (bench.catalog.clone(), bench.path().join("rig"));
    hooks.on(HookEvent::AfterSearch, move |_: &HookContext| {
        catalog.declare_capabilities(["a", "b"]);
        Ok(())
    });
    for tool in ["discover_skills", "search_skills"] {
        bench.catalog.declare_capabilities(["a"]);
        let found = bench.structured(tool, json!({"query": "rig"})).await;
        let hit = &found["hits"][0];
        assert_eq!(hit["required_capabilities"], json!(["a", "b"]), "{tool}");
        assert_eq!(hit["missing_capabilities"], json!(["b"]), "{tool}");
    }
    let catalog = bench.catalog.clone();
    hooks.on(HookEvent::AfterSearch, move |_: &HookContext| {
        std::fs::remove_dir_all(&folder).unwrap();
        catalog.rediscover();
        Ok(())
    });
    bench.catalog.declare_capabilities(["a"]);
    let found = bench.catalog.discover_skills(Discover::new("rig")).await;
    let shown = found.unwrap().to_json();
    let hit = &shown["hits"][0];
    assert_eq!(hit["required_capabilities"], json!(["a", "b"]));
    assert_eq!(hit["missing_capabilities"], json!(["b"]));
}
