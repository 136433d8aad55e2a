//! The gate.

use metier_catalog::CallError;
use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Value, json};

use crate::bench_folder::{Bench, ECHO};

const TOOLS: &str = "
tools:
  - name: import_usd
    source_file: scripts/run.py
    required_capabilities: [usd, scene.mutate, filesystem.write]
    input_schema: {type: object, required: [path], properties: {path: {type: string, format: workspace-uri}}}
  - name: ping
    source_file: scripts/run.py
";

async fn bench(declared: &[&str]) -> Bench {
    let bench = Bench::with(|settings| {
        settings.declared_capabilities = declared.iter().map(|name| (*name).to_owned()).collect();
        settings.workspace_roots = std::sync::Arc::new(WorkspaceRoots::new(["/projects/hero"]));
    });
    bench.skill_with_tools("caps", TOOLS, ECHO);
    bench.discover();
    bench.catalog.load_skill("caps").await.unwrap();
    bench
}

fn dcc(bench: &Bench, name: &str) -> Value {
    let snapshot = bench.catalog.snapshot();
    let tool = snapshot
        .tools()
        .iter()
        .find(|tool| tool.name == name)
        .unwrap();
    tool.meta.get("dcc").cloned().unwrap_or(Value::Null)
}

#[tokio::test]
async fn case_104_capability_refusal_before_validation() {
    let bench = bench(&["usd", "scene.read"]).await;
    let refused = bench
        .call("caps__import_usd", json!({"path": 5}))
        .await
        .unwrap_err();
    let CallError::CapabilityMissing(missing) = refused else {
        panic!("{refused}");
    };
    insta::assert_snapshot!(missing.to_string(), @"capability_missing: tool 'caps__import_usd' requires scene.mutate, filesystem.write");
    insta::assert_json_snapshot!(missing, @r#"
    {
      "tool": "caps__import_usd",
      "required": [
        "usd",
        "scene.mutate",
        "filesystem.write"
      ],
      "missing": [
        "scene.mutate",
        "filesystem.write"
      ],
      "declared": [
        "usd",
        "scene.read"
      ],
      "retry": false
    }
    "#);
    let listed = dcc(&bench, "caps__import_usd");
    assert_eq!(
        listed["missing_capabilities"],
        json!(["scene.mutate", "filesystem.write"])
    );
    assert_eq!(dcc(&bench, "caps__ping"), Value::Null);
    assert!(!bench.output("caps__ping", json!({})).await.is_error);
}

#[tokio::test]
async fn case_107_nothing_declared_is_nothing_there_on_every_route() {
    let mut seen = Vec::new();
    for bench in [bench(&[]).await, {
        let unset = Bench::new();
        unset.skill_with_tools("caps", TOOLS, ECHO);
        unset.discover();
        unset.catalog.load_skill("caps").await.unwrap();
        unset
    }] {
        let required = json!(["usd", "scene.mutate", "filesystem.write"]);
        let refused = bench
            .call("caps__import_usd", json!({"path": "a"}))
            .await
            .unwrap_err();
        let CallError::CapabilityMissing(refusal) = refused else {
            panic!("{refused}");
        };
        assert_eq!(json!(refusal.missing), required);
        assert_eq!(json!(refusal.declared), json!([]));
        // By its other name as well.
        let by_name = bench.call("import_usd", json!({"path": "a"})).await;
        assert_eq!(by_name, Err(CallError::CapabilityMissing(refusal)));
        let listed = dcc(&bench, "caps__import_usd");
        assert_eq!(listed["missing_capabilities"], required);
        bench.catalog.unload_skill("caps").unwrap();
        let found = bench
            .structured("search_skills", json!({"query": "import usd"}))
            .await;
        let lacking = bench
            .structured(
                "search_skills",
                json!({"query": "import usd", "usable": true}),
            )
            .await;
        seen.push((found, lacking));
    }
    let [declared_nothing, unset] = seen.try_into().unwrap();
    assert_eq!(declared_nothing, unset);
}

#[tokio::test]
async fn declaring_more_opens_the_gate_and_tells_listeners() {
    let bench = bench(&[]).await;
    let mut events = bench.catalog.subscribe();
    bench
        .catalog
        .declare_capabilities(["usd", "scene.mutate", "filesystem.write"]);
    assert!(events.try_recv().unwrap().tools_changed);
    bench
        .catalog
        .declare_capabilities(["usd", "scene.mutate", "filesystem.write"]);
    assert!(events.try_recv().is_err(), "nothing changed");
    assert_eq!(
        dcc(&bench, "caps__import_usd").get("missing_capabilities"),
        None
    );

    let answer = bench
        .structured("caps__import_usd", json!({"path": "workspace://a.usd"}))
        .await;
    assert_eq!(
        answer["got"],
        json!({"path": "/projects/hero/a.usd", "_workspace_roots": ["/projects/hero"]})
    );
    let escaped = bench
        .call("caps__import_usd", json!({"path": "workspace://../a.usd"}))
        .await;
    assert!(
        matches!(escaped, Err(CallError::Roots { .. })),
        "{escaped:?}"
    );
}

#[tokio::test]
async fn lists_and_searches_tell_what_the_host_lacks_and_leave_it_out_when_asked() {
    let bench = Bench::new();
    bench.skill_with_tools("caps", TOOLS, ECHO);
    bench.skill_with_tools("free", "tools: [{name: go}]\n", ECHO);
    bench.discover();
    let names = async |tool: &str, rows: &str, usable: bool| -> Vec<String> {
        let answer = bench.structured(tool, json!({"usable": usable})).await;
        assert_eq!(answer["total"], answer[rows].as_array().unwrap().len());
        let rows = answer[rows].as_array().unwrap();
        let name = |row: &Value| format!("{} lacks {}", row["name"], row["missing_capabilities"]);
        rows.iter().map(name).collect()
    };
    let free = r#""free" lacks null"#;
    for loaded in [false, true] {
        bench.catalog.declare_capabilities(["usd"]);
        let lacking = r#""caps" lacks ["filesystem.write","scene.mutate"]"#;
        for (tool, rows) in [("list_skills", "skills"), ("search_skills", "hits")] {
            assert_eq!(names(tool, rows, false).await, [lacking, free], "{tool}");
            assert_eq!(names(tool, rows, true).await, [free], "{tool}");
        }
        bench
            .catalog
            .declare_capabilities(["usd", "scene.mutate", "filesystem.write"]);
        for (tool, rows) in [("list_skills", "skills"), ("search_skills", "hits")] {
            let all = names(tool, rows, true).await;
            assert_eq!(all, [r#""caps" lacks null"#, free], "{tool}");
        }
        if !loaded {
            bench.catalog.load_skill("caps").await.unwrap();
        }
    }
}

#[tokio::test]
async fn every_way_to_say_that_a_text_is_a_workspace_path_counts() {
    let path = r#"{"type": "string", "format": "workspace-uri"}"#;
    for (schema, inner, argument) in [
        (
            r#"{"properties": {"a": {"type": "array", "items": PATH}}}"#,
            r#"{"a": ["ok", TEXT]}"#,
            "a[1]",
        ),
        (
            r#"{"properties": {"a": {"prefixItems": [{}, PATH]}}}"#,
            r#"{"a": ["../x", TEXT]}"#,
            "a[1]",
        ),
        (
            r#"{"properties": {"a": {"anyOf": [PATH, {"type": "null"}]}}}"#,
            r#"{"a": TEXT}"#,
            "a",
        ),
        (
            r#"{"properties": {"a": {"oneOf": [{"type": "integer"}, PATH]}}}"#,
            r#"{"a": TEXT}"#,
            "a",
        ),
        (
            r#"{"properties": {"a": {"allOf": [PATH]}}}"#,
            r#"{"a": TEXT}"#,
            "a",
        ),
        (
            r##"{"properties": {"a": {"$ref": "#/$defs/P"}}, "$defs": {"P": PATH}}"##,
            r#"{"a": TEXT}"#,
            "a",
        ),
        (
            r#"{"properties": {"a": {"properties": {"b/c": PATH}}}}"#,
            r#"{"a": {"b/c": TEXT}}"#,
            "a.b/c",
        ),
        (
            r#"{"properties": {"n": {}}, "additionalProperties": PATH}"#,
            r#"{"n": "../x", "a": TEXT}"#,
            "a",
        ),
        (
            r#"{"patternProperties": {"^a": PATH}}"#,
            r#"{"n": "../x", "a": TEXT}"#,
            "a",
        ),
        (
            r##"{"$ref": "#/$defs/P", "$defs": {"P": {"properties": {"a": PATH}}}}"##,
            r#"{"a": TEXT}"#,
            "a",
        ),
        (
            r#"{"allOf": [{"properties": {"a": PATH}}]}"#,
            r#"{"a": TEXT}"#,
            "a",
        ),
    ] {
        let bench = Bench::with(|settings| {
            settings.workspace_roots = std::sync::Arc::new(WorkspaceRoots::new(["/projects/hero"]));
        });
        let schema = schema.replace("PATH", path);
        let tools = format!(
            "tools:\n  - name: go\n    source_file: scripts/run.py\n    input_schema: {schema}\n"
        );
        bench.skill_with_tools("caps", &tools, ECHO);
        bench.discover();
        bench.catalog.load_skill("caps").await.unwrap();
        assert!(
            bench
                .catalog
                .snapshot()
                .callable("caps__go")
                .unwrap()
                .takes_roots,
            "{schema}"
        );
        let with = |text: &str| -> Value {
            serde_json::from_str(
                &inner
                    .replace("TEXT", &Value::from(text).to_string())
                    .replace("\"ok\"", "\"/ok\""),
            )
            .unwrap()
        };
        let answer = bench
            .structured("caps__go", with("workspace://a.usd"))
            .await;
        assert_eq!(answer["got"], with("/projects/hero/a.usd"), "{schema}");
        let escaped = bench.call("caps__go", with("../x")).await.unwrap_err();
        assert!(
            matches!(&escaped, CallError::Roots { argument: found, .. } if found == argument),
            "{schema}: {escaped:?}"
        );
    }
}
