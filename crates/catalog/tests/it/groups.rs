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

#[tokio::test]
async fn what_was_active_in_an_earlier_run_is_active_again_and_nothing_else() {
    let bench = Bench::new();
    bench.skill_with_tools("set", TOOLS, ECHO);
    bench.skill("needs-set", &["depends: [set]"]);
    bench.discover();
    let request = |name: &str, groups: &[&str]| {
        let mut request = LoadRequest::new(name);
        request.groups = Some(groups.iter().map(|group| (*group).to_owned()).collect());
        request
    };
    // As a dependency it would be given all of its groups.
    let requests = vec![
        request("needs-set", &[]),
        request("set", &["expert", "gone"]),
    ];
    for report in bench.catalog.load_all(requests).await {
        report.unwrap();
    }
    let kept = bench.catalog.snapshot().loaded_skills();
    let groups: Vec<_> = kept
        .iter()
        .map(|it| {
            (
                it.name.as_str(),
                it.active_groups.iter().collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(
        groups,
        [("needs-set", vec![]), ("set", vec![&"expert".to_owned()])]
    );
    assert_eq!(kept[1].path, bench.path().join("set"));
    // The tool of no group is there.
    assert!(bench.beyond_core().contains(&"set__three".to_owned()));
    // A skill that is loaded keeps the groups that it has.
    bench
        .catalog
        .load(request("set", &["basic"]))
        .await
        .unwrap();
    let kept = bench.catalog.snapshot().loaded_skills();
    assert!(!kept[1].active_groups.contains("basic"));
}
