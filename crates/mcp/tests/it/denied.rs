//! A policy's refusal in both eras, on every way that leads to it.

use metier_hooks::{HookContext, HookDeny, HookEvent, LifecycleHooks};
use serde_json::{Value, json};

use crate::bench::Bench;

/// Nothing is searched for, `one` is not loaded, and `echo` is not called.
fn policies() -> LifecycleHooks {
    let hooks = LifecycleHooks::new();
    for event in [
        HookEvent::BeforeSearch,
        HookEvent::BeforeSkillLoad,
        HookEvent::BeforeToolCall,
    ] {
        hooks.on(event, move |context: &HookContext| {
            let about = context.skill_name().or(context.tool_name());
            if matches!(about, None | Some("one" | "echo")) {
                return Err(HookDeny::new("closed today").hint("come tomorrow").into());
            }
            Ok(())
        });
    }
    hooks
}

#[tokio::test]
async fn case_143_a_refusal_has_its_reason_and_hint_on_every_route_of_both_eras() {
    let bench = Bench::new();
    let _ = bench.catalog.clone().with_hooks(policies());
    std::fs::create_dir(bench.root().join("rig")).unwrap();
    std::fs::write(
        bench.root().join("rig/SKILL.md"),
        "---\nname: rig\ndescription: Needs one.\nmetadata: {dcc-mcp: {depends: [one]}}\n---\n",
    )
    .unwrap();
    bench.rediscover();
    let client = bench.session().await;
    let denial = json!({"code": "denied", "reason": "closed today", "hint": "come tomorrow"});
    let of_skill = |name: &str| {
        let mut denial = denial.clone();
        denial["skill_name"] = json!(name);
        denial
    };
    let load = |name: &str| json!({"skill_name": name});
    for (tool, arguments, expected) in [
        ("echo", json!({}), denial.clone()),
        ("search_skills", json!({"query": "one"}), denial.clone()),
        ("load_skill", load("one"), of_skill("one")),
        ("load_skill", load("rig"), of_skill("one")),
    ] {
        let params = json!({"name": tool, "arguments": arguments});
        for heard in [
            client.request("tools/call", params.clone()).await,
            bench.modern("tools/call", params.clone()).await,
        ] {
            let result: &Value = &heard.answer["result"];
            assert_eq!(result["isError"], true, "{tool}: {}", heard.raw);
            assert_eq!(result["structuredContent"], expected, "{tool}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(
                text.contains("closed today") && text.contains("come tomorrow"),
                "{text}"
            );
        }
    }
    assert_eq!(bench.catalog.loaded_count(), 0, "nothing is half loaded");
    // A stub loads nothing behind the policy's back.
    let stub = client.call("__skill__one", json!({})).await;
    assert_eq!(stub.answer["result"]["isError"], true);
    assert_eq!(bench.catalog.loaded_count(), 0);
}
