//! The steps of a call stand in one order. Each test breaks two steps at once and sees which one speaks.

use std::sync::{Arc, Mutex};

use metier_catalog::{CallError, CallRequest};
use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Value, json};

use crate::bench_folder::Bench;

const TOOLS: &str = "
tools:
  - name: gated
    source_file: scripts/run.py
    required_capabilities: [usd]
    input_schema:
      type: object
      required: [n]
      properties: {n: {type: integer}, place: {type: string, format: workspace-uri}, also: {type: boolean}}
  - name: broken
    source_file: scripts/run.py
    required_capabilities: [usd]
    input_schema: {type: string}
  - name: go
    source_file: scripts/run.py
    input_schema:
      type: object
      required: [n]
      properties: {n: {type: integer}, place: {type: string, format: workspace-uri}, also: {type: boolean}}
    output_schema: {type: object, required: [sum], properties: {sum: {type: integer}}}
    required_capabilities: [filesystem.read]
";

const SCRIPT: &str = "open('ran', 'w').close()\nprint('{\"sum\": \"many\"}')\n";

/// Every event of a call, in the order in which it was heard.
type Heard = Arc<Mutex<Vec<Value>>>;

async fn bench(denies: bool) -> (Bench, Heard) {
    let hooks = LifecycleHooks::new();
    let heard = Heard::default();
    for event in [HookEvent::BeforeToolCall, HookEvent::AfterToolCall] {
        let heard = Arc::clone(&heard);
        hooks.on(event, move |context: &HookContext| {
            heard.lock().unwrap().push(match &context.payload {
                HookPayload::BeforeToolCall { arguments, .. } => json!({"before": arguments}),
                HookPayload::AfterToolCall { outcome, ok, .. } => {
                    assert!(!ok);
                    json!({"after": outcome})
                }
                other => panic!("{other:?}"),
            });
            match event {
                HookEvent::BeforeToolCall if denies => Err(HookDeny::new("no").into()),
                _ => Ok(()),
            }
        });
    }
    let mut bench = Bench::with(|settings| {
        settings.workspace_roots = Arc::new(WorkspaceRoots::new(["/projects/hero"]));
        settings.declared_capabilities = vec!["filesystem.read".to_owned()];
    });
    bench.catalog = bench.catalog.clone().with_hooks(hooks);
    bench.skill_with_tools("box", TOOLS, SCRIPT);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    (bench, heard)
}

impl Bench {
    fn script_ran(&self) -> bool {
        self.path().join("box/ran").exists()
    }
}

#[tokio::test]
async fn the_shape_of_the_arguments_then_the_gate_then_refusals_then_validation() {
    let (bench, heard) = bench(true).await;
    let list = bench.call("box__gated", json!([1])).await;
    assert!(
        matches!(list, Err(CallError::ArgumentsNotObject { .. })),
        "{list:?}"
    );
    for tool in ["box__gated", "box__broken"] {
        let gated = bench.call(tool, json!({"n": "x", "place": "../up"})).await;
        assert!(
            matches!(gated, Err(CallError::CapabilityMissing(_))),
            "{gated:?}"
        );
    }
    bench
        .catalog
        .declare_capabilities(["usd", "filesystem.read"]);
    let refused = bench.output("box__broken", json!({"n": "x"})).await;
    assert!(refused.joined_text().contains("refuses calls"));
    // What fails before the policy is no affair of the policy; the after-hook hears of all but the first,
    // which named no tool that could be called.
    let expected = [
        json!({"after": "capability"}),
        json!({"after": "capability"}),
        json!({"after": "refused"}),
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
    assert!(!bench.script_ran());
}

#[tokio::test]
async fn validation_comes_before_the_workspace_and_both_before_the_policy() {
    let (bench, heard) = bench(true).await;
    let invalid = bench
        .output("box__go", json!({"n": "x", "place": "../up"}))
        .await;
    assert!(invalid.joined_text().starts_with("invalid arguments"));
    let outside = bench
        .call("box__go", json!({"n": 1, "place": "../up"}))
        .await;
    assert!(
        matches!(outside, Err(CallError::Roots { .. })),
        "{outside:?}"
    );
    let expected = [json!({"after": "invalid"}), json!({"after": "invalid"})];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[tokio::test]
async fn the_policy_sees_the_arguments_as_the_tool_will_and_comes_before_it() {
    let (bench, heard) = bench(true).await;
    let arguments =
        json!({"n": "3", "place": "workspace://a.usd", "also": null, "_workspace_roots": ["/"]});
    let denied = bench.output("box__go", arguments).await;
    assert_eq!(denied.structured.unwrap()["code"], "denied");
    let expected = [
        json!({"before": {"n": 3, "place": "/projects/hero/a.usd", "_workspace_roots": ["/projects/hero"]}}),
        json!({"after": "denied"}),
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
    assert!(!bench.script_ran());
}

#[tokio::test]
async fn the_output_schema_comes_before_the_after_hook() {
    let (bench, heard) = bench(false).await;
    let answer = bench.output("box__go", json!({"n": 1})).await;
    assert!(answer.is_error && bench.script_ran());
    assert!(answer.joined_text().contains("output schema"));
    assert_eq!(heard.lock().unwrap()[1], json!({"after": "error"}));
}

#[tokio::test]
async fn an_unknown_name_is_told_before_all_else_but_the_shape() {
    let (bench, heard) = bench(true).await;
    let unknown = bench
        .dispatcher
        .call(CallRequest::new("box__nothing", Some(json!({"n": "x"}))))
        .await;
    assert!(matches!(unknown, Err(CallError::UnknownTool { .. })));
    assert!(
        heard.lock().unwrap().is_empty(),
        "there is no tool to tell of"
    );
}
