//! What `discover_skills` says of each hit.

use metier_catalog::Discover;
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
    let shown = bench.catalog.discovery_json(answer);
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
