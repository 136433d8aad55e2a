//! The steps of a call stand in one order. Each test breaks two steps at once and sees which one speaks.

use std::sync::{Arc, Mutex};

use metier_catalog::{CallError, CallRequest};
use metier_hooks::{HookContext, HookDeny, HookEvent, HookPayload, LifecycleHooks};
use metier_tool::{ArgumentFault, inexact};
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
async fn the_gate_then_refusals_then_the_shape_of_the_arguments() {
    let (bench, heard) = bench(true).await;
    for tool in ["box__gated", "box__broken"] {
        for arguments in [json!({"n": "x", "place": "../up"}), json!([1])] {
            let mut request = CallRequest::new(tool, Some(arguments));
            for faults in [vec![], vec![unreadable()]] {
                request.faults = faults;
                let gated = bench.dispatcher.call(request.clone()).await;
                assert!(
                    matches!(gated, Err(CallError::CapabilityMissing(_))),
                    "{gated:?}"
                );
            }
        }
    }
    bench
        .catalog
        .declare_capabilities(["usd", "filesystem.read"]);
    let refused = bench.output("box__broken", json!({"n": "x"})).await;
    assert!(refused.joined_text().contains("refuses calls"));
    // What fails before the policy is no affair of the policy; the after-hook hears of all.
    let mut expected = vec![json!({"after": "capability"}); 8];
    expected.push(json!({"after": "refused"}));
    assert_eq!(*heard.lock().unwrap(), expected);
    assert!(!bench.script_ran());
}

/// What no value says as it was sent.
fn unreadable() -> ArgumentFault {
    inexact(r#"{"n": 1, "n": 2}"#).remove(0)
}

#[tokio::test]
async fn the_after_hook_hears_of_arguments_that_are_none() {
    let (bench, heard) = bench(true).await;
    let list = bench.call("box__go", json!([1])).await;
    assert!(
        matches!(list, Err(CallError::ArgumentsNotObject { .. })),
        "{list:?}"
    );
    let mut twice = CallRequest::new("box__go", Some(json!({"n": 2, "place": "../up"})));
    twice.faults = vec![unreadable()];
    let refused = bench.dispatcher.call(twice).await.unwrap();
    assert_eq!(
        refused.joined_text(),
        "invalid arguments for `box__go`:\n- n: stands twice in the same object; send it once"
    );
    assert_eq!(*heard.lock().unwrap(), vec![json!({"after": "invalid"}); 2]);
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
async fn an_unknown_name_is_told_before_all_else() {
    let (bench, heard) = bench(true).await;
    let unknown = bench
        .dispatcher
        .call(CallRequest::new("box__nothing", Some(json!([1]))))
        .await;
    assert!(matches!(unknown, Err(CallError::UnknownTool { .. })));
    assert!(
        heard.lock().unwrap().is_empty(),
        "there is no tool to tell of"
    );
}
