//! Calls from the name to the answer.

use std::sync::Arc;
use std::time::Duration;

use metier_catalog::{CallError, CallRequest, RegisterError};
use metier_tool::{BoxFuture, CallContext, CancelSignal, Cancellation, ToolError, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

const SIZE: &str = "
tools:
  - name: take
    source_file: scripts/run.py
    input_schema:
      type: object
      required: [size]
      properties:
        size: {type: number}
        names: {type: array, items: {type: string}}
";

async fn loaded(tools: &str, script: &str) -> Bench {
    let bench = Bench::new();
    bench.skill_with_tools("box", tools, script);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    bench
}

#[tokio::test]
async fn repaired_arguments_reach_the_script() {
    let bench = loaded(SIZE, ECHO).await;
    let answer = bench
        .structured(
            "box__take",
            json!({"size": "5.50", "names": "[\"a\"]", "_workspace_roots": ["/"], "more": 1}),
        )
        .await;
    assert_eq!(
        answer,
        json!({"got": {"size": 5.5, "names": ["a"], "more": 1}})
    );
}

#[tokio::test]
async fn wrong_arguments_name_every_fault() {
    let bench = loaded(SIZE, ECHO).await;
    let answer = bench.output("box__take", json!({"names": 3})).await;
    assert!(answer.is_error);
    insta::assert_snapshot!(answer.joined_text());
    for arguments in [json!([1]), json!("x"), json!(3)] {
        let refused = bench.call("box__take", arguments).await.unwrap_err();
        assert!(
            matches!(refused, CallError::ArgumentsNotObject { .. }),
            "{refused}"
        );
    }
    let nothing = bench
        .dispatcher
        .call(CallRequest::new("box__take", None))
        .await
        .unwrap();
    assert!(
        nothing.is_error && nothing.joined_text().contains("size: required"),
        "{nothing:?}"
    );
}

/// Cancelled from the start.
struct Now;

impl CancelSignal for Now {
    fn is_cancelled(&self) -> bool {
        true
    }
    fn cancelled(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn large_arguments_are_checked_elsewhere_and_end_with_the_call() {
    const LONG: &str = "
tools:
  - name: take
    source_file: scripts/run.py
    input_schema: {type: object, properties: {size: {type: number}, text: {type: string, pattern: '(?!.*--)[a-z-]+$'}}}
";
    let bench = loaded(LONG, ECHO).await;
    let answer = bench
        .structured("box__take", json!({"size": "5", "text": "a".repeat(2_000)}))
        .await;
    assert_eq!(answer["got"]["size"], 5);
    let refused = bench
        .output("box__take", json!({"text": "a".repeat(1_000_000)}))
        .await;
    let text = refused.joined_text();
    assert!(
        refused.is_error && text.contains("text: too long to be checked against the pattern"),
        "{text}"
    );
    let mut request = CallRequest::new("box__take", Some(json!({"text": "a".repeat(2_000)})));
    request.cancel = Cancellation::new(Arc::new(Now));
    let cancelled = bench.dispatcher.call(request).await;
    assert!(
        matches!(cancelled, Err(CallError::Cancelled)),
        "{cancelled:?}"
    );
}

#[tokio::test]
async fn a_tool_answers_to_all_its_names() {
    let bench = loaded(SIZE, ECHO).await;
    for name in ["box__take", "take"] {
        assert!(
            !bench.output(name, json!({"size": 1})).await.is_error,
            "{name}"
        );
    }
    let error = bench.call("box__tkae", json!({})).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown tool: box__tkae (did you mean `box__take`?)"
    );
}

#[tokio::test]
async fn stubs_and_tools_of_unloaded_skills_say_how_to_load() {
    let bench = Bench::new();
    bench.skill_with_tools("box", SIZE, ECHO);
    bench.discover();
    for name in ["__skill__box", "box__take"] {
        let answer = bench.output(name, json!({})).await;
        assert!(answer.is_error);
        let facts = answer.structured.unwrap();
        assert_eq!(
            facts["error"],
            "Skill 'box' is not loaded. Call load_skill(skill_name=\"box\") to register its tools."
        );
        assert_eq!(
            facts["load"],
            json!({"tool": "load_skill", "arguments": {"skill_name": "box"}})
        );
    }
    assert!(matches!(
        bench.call("__skill__nope", json!({})).await,
        Err(CallError::UnknownTool { .. })
    ));
}

#[tokio::test]
async fn a_failure_in_pythons_own_json_is_a_failure() {
    for (printed, word) in [
        (
            "json.dumps({'success': False, 'loss': float('nan')})",
            "null",
        ),
        (
            "json.dumps({'success': False, 'name': '\\udc80'})",
            "\u{fffd}",
        ),
        ("'{\"success\": false, \"loss\": 1e999}'", "null"),
        ("{'success': False}", "json.dumps"),
        (
            "'{\"success\": false, \"a\":' + '[' * 200 + ']' * 200 + '}'",
            "nested deeper",
        ),
    ] {
        let script = format!("import json\nprint({printed})\n");
        let bench = loaded("tools:\n  - name: go\n", &script).await;
        let answer = bench.output("box__go", json!({})).await;
        let text = answer.joined_text();
        assert!(answer.is_error && text.contains(word), "{printed}: {text}");
        let structured = answer.structured.unwrap();
        assert_eq!(structured["success"], false, "{printed}");
        match structured.get("output") {
            Some(printed) => {
                assert!(
                    printed.as_str().unwrap().starts_with('{'),
                    "the text is kept"
                );
                let message = structured["message"].as_str().unwrap();
                assert!(message.contains(word), "the reason is told: {message}");
            }
            None => assert!(answer.meta["dcc"]["note"].is_string(), "{printed}"),
        }
    }
}

#[tokio::test]
async fn integers_beyond_64_bits_stand_in_the_text_as_printed() {
    let script = "print('{\"id\": 123456789012345678901234567890}')\n";
    let bench = loaded("tools:\n  - name: go\n", script).await;
    let answer = bench.output("box__go", json!({})).await;
    assert!(!answer.is_error);
    assert_eq!(
        answer.joined_text(),
        "{\"id\": 123456789012345678901234567890}"
    );
    assert!(
        answer.meta["dcc"]["note"]
            .as_str()
            .unwrap()
            .contains("64 bits")
    );
}

#[tokio::test]
async fn a_failing_script_keeps_what_it_said() {
    let script = "import json, sys\nprint('step one')\nprint('oh no', file=sys.stderr)\nprint(json.dumps({'success': False, 'done': 3}))\nsys.exit(3)\n";
    let bench = loaded("tools:\n  - name: go\n", script).await;
    let answer = bench.output("box__go", json!({})).await;
    assert!(answer.is_error);
    assert_eq!(answer.structured.as_ref().unwrap()["done"], 3);
    assert_eq!(answer.meta["dcc"]["exit_code"], 3);
    assert!(
        answer.meta["dcc"]["log"]
            .as_str()
            .unwrap()
            .contains("step one")
    );
    let text = answer.joined_text();
    insta::assert_snapshot!(text, @r#"
    the script ended with exit code 3

    output:
    step one

    error output:
    oh no
    {"success":false,"done":3}
    "#);
}

#[tokio::test]
async fn the_working_directory_and_the_environment() {
    let script = "import json, os\nprint(json.dumps({'cwd': os.path.basename(os.getcwd()), 'vars': sorted(k for k in os.environ if k.startswith('DCC_MCP_')), 'tool': os.environ['DCC_MCP_TOOL_NAME']}))\n";
    let bench = loaded("tools:\n  - name: go\n", script).await;
    for _ in 0..2 {
        let answer = bench.structured("box__go", json!({})).await;
        assert_eq!(
            answer,
            json!({
                "cwd": "box",
                "vars": ["DCC_MCP_CALL_ID", "DCC_MCP_SKILL_DIR", "DCC_MCP_SKILL_NAME", "DCC_MCP_TOOL_NAME", "DCC_MCP_WORKSPACE_ROOTS"],
                "tool": "go",
            })
        );
    }
}

#[tokio::test]
async fn a_hanging_script_ends_at_the_limit() {
    let bench = Bench::with(|settings| {
        settings.run.limits.deadline = Duration::from_millis(300);
        settings.run.limits.grace = Duration::from_millis(100);
    });
    bench.skill_with_tools(
        "box",
        "tools:\n  - name: go\n",
        "import time\ntime.sleep(600)\n",
    );
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    let answer = bench.output("box__go", json!({})).await;
    assert!(answer.is_error);
    assert!(
        answer.joined_text().contains("time limit"),
        "{}",
        answer.joined_text()
    );
}

struct Fired(tokio_util::sync::CancellationToken);

impl CancelSignal for Fired {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
    fn cancelled(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.0.clone().cancelled_owned())
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_its_script() {
    let bench = loaded(
        "tools:\n  - name: go\n",
        "import os, time\nopen('started', 'w').close()\ntime.sleep(600)\n",
    )
    .await;
    let token = tokio_util::sync::CancellationToken::new();
    let mut request = CallRequest::new("box__go", None);
    request.cancel = Cancellation::new(Arc::new(Fired(token.clone())));
    let dispatcher = bench.dispatcher.clone();
    let call = tokio::spawn(async move { dispatcher.call(request).await });
    let started = bench.path().join("box/started");
    while !started.exists() {
        tokio::task::yield_now().await;
    }
    token.cancel();
    assert_eq!(call.await.unwrap(), Err(CallError::Cancelled));
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[tokio::test]
async fn tools_of_the_host() {
    let bench = Bench::new();
    let registry = bench.catalog.registry();
    let add = || {
        ToolSpec::from_fn("host_add", |input: Add, _: CallContext| async move {
            Ok::<_, ToolError>(Sum {
                sum: input.a + input.b,
            })
        })
    };
    registry.register(add()).unwrap();
    assert_eq!(
        registry.register(add()),
        Err(RegisterError::Taken("host_add".to_owned()))
    );
    assert_eq!(bench.beyond_core(), ["host_add"]);
    assert_eq!(
        bench
            .structured("host_add", json!({"a": "2", "b": 3}))
            .await,
        json!({"sum": 5})
    );
    let shadow = ToolSpec::from_fn("load_skill", |_: Add, _: CallContext| async move {
        Ok::<_, ToolError>(Sum { sum: 0 })
    });
    assert_eq!(
        registry.register(shadow),
        Err(RegisterError::Reserved("load_skill".to_owned()))
    );
    assert!(registry.deregister("host_add"));
    assert!(!registry.deregister("host_add"));
    assert!(bench.beyond_core().is_empty());
}

#[tokio::test]
async fn a_panic_is_that_calls_error() {
    let bench = Bench::new();
    let broken = ToolSpec::from_fn("broken", |_: Value, _: CallContext| async move {
        assert!(!std::hint::black_box(true), "a bug in the host");
        Ok::<Value, ToolError>(Value::Null)
    });
    bench.catalog.registry().register(broken).unwrap();
    assert_eq!(
        bench.call("broken", json!({})).await,
        Err(CallError::Internal)
    );
    assert!(!bench.output("list_skills", json!({})).await.is_error);
}

#[tokio::test]
async fn an_output_schema_is_a_promise() {
    let tools = "tools:\n  - name: go\n    output_schema: {type: object, required: [n], properties: {n: {type: integer}}}\n";
    let kept = loaded(tools, "print('{\"n\": 3}')").await;
    assert!(!kept.output("box__go", json!({})).await.is_error);
    let broken = loaded(tools, "print('{\"n\": \"x\"}')").await;
    let answer = broken.output("box__go", json!({})).await;
    assert!(
        answer.is_error && answer.joined_text().contains("n: expected integer"),
        "{}",
        answer.joined_text()
    );
}

#[tokio::test]
async fn a_main_thread_tool_runs_unless_a_host_is_required() {
    let tools = "tools:\n  - name: go\n    affinity: main\n  - name: inside\n    requires_in_process: true\n    source_file: scripts/run.py\n";
    let bench = loaded(tools, ECHO).await;
    assert!(!bench.output("box__go", json!({})).await.is_error);
    let inside = bench.output("box__inside", json!({})).await;
    assert!(
        inside.is_error && inside.joined_text().contains("needs a host"),
        "{inside:?}"
    );

    let bench = Bench::with(|settings| settings.run.require_host = true);
    bench.skill_with_tools("box", tools, ECHO);
    bench.discover();
    bench.catalog.load_skill("box").await.unwrap();
    assert!(
        bench
            .output("box__go", json!({}))
            .await
            .joined_text()
            .contains("needs a host")
    );
}
