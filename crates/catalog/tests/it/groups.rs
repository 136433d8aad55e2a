//! Groups of tools.

use metier_catalog::LoadRequest;
use serde_json::json;

use crate::bench_folder::{Bench, ECHO};

const TOOLS: &str = "
groups:
  - name: basic
    default-active: true
  - name: expert
tools:
  - {name: one, group: basic, source_file: scripts/run.py}
  - {name: two, group: expert, source_file: scripts/run.py}
  - {name: three, source_file: scripts/run.py}
";

#[tokio::test]
async fn groups_show_and_hide() {
    let bench = Bench::new();
    bench.skill_with_tools("set", TOOLS, ECHO);
    bench.discover();
    let mut request = LoadRequest::new("set");
    request.activate_groups = false;
    let report = bench.catalog.load(request).await.unwrap();
    assert_eq!(report.inactive_groups, ["expert"]);
    assert_eq!(
        bench.beyond_core(),
        [
            "activate_tool_group",
            "deactivate_tool_group",
            "set__one",
            "set__three"
        ]
    );
    let hidden = bench.output("set__two", json!({})).await;
    assert!(
        hidden.is_error && hidden.joined_text().contains("activate_tool_group"),
        "{hidden:?}"
    );

    let answer = bench
        .structured(
            "activate_tool_group",
            json!({"skill_name": "set", "group": "expert"}),
        )
        .await;
    assert_eq!(answer["tools"], json!(["set__two"]));
    assert_eq!(answer["changed"], true);
    assert!(!bench.output("set__two", json!({})).await.is_error);
    let wrong = bench
        .output(
            "activate_tool_group",
            json!({"skill_name": "set", "group": "x"}),
        )
        .await;
    assert!(
        wrong.is_error && wrong.joined_text().contains("basic, expert"),
        "{wrong:?}"
    );
    bench
        .structured(
            "deactivate_tool_group",
            json!({"skill_name": "set", "group": "basic"}),
        )
        .await;
    assert!(!bench.listed().contains(&"set__one".to_owned()));

    bench.catalog.unload_skill("set").unwrap();
    bench.catalog.load_skill("set").await.unwrap();
    assert_eq!(
        bench.beyond_core()[2..],
        ["set__one", "set__two", "set__three"],
        "loading activates all"
    );
}
