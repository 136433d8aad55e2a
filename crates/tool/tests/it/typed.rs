//! Tools from typed functions.

use futures_util::FutureExt as _;
use metier_tool::{CallContext, ToolError, ToolOutput, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What to export.
#[derive(Deserialize, JsonSchema)]
struct Export {
    /// The scene file.
    scene_path: String,
    /// First and last frame.
    #[serde(default)]
    frames: Option<Frames>,
}

#[derive(Deserialize, JsonSchema)]
struct Frames {
    start: i64,
    end: i64,
}

#[derive(Serialize, JsonSchema)]
struct Exported {
    path: String,
    frames: i64,
}

fn export() -> ToolSpec {
    ToolSpec::from_fn("export", |input: Export, _: CallContext| async move {
        let Some(Frames { start, end }) = input.frames else {
            return Err(ToolError::Failed("no frames".to_owned()));
        };
        Ok(Exported {
            path: input.scene_path,
            frames: end - start + 1,
        })
    })
}

fn call(spec: &ToolSpec, arguments: Value) -> Result<ToolOutput, ToolError> {
    let Value::Object(arguments) = arguments else {
        unreachable!()
    };
    let context = CallContext::new(&spec.name, "c1");
    spec.handler
        .call(arguments, context)
        .now_or_never()
        .unwrap()
}

#[test]
fn schemas_come_from_the_types() {
    let spec = export();
    insta::assert_json_snapshot!(json!({"input": spec.input_schema, "output": spec.output_schema}));
}

#[test]
fn the_result_is_structured() {
    let output = call(
        &export(),
        json!({"scene_path": "a.ma", "frames": {"start": 1, "end": 10}}),
    )
    .unwrap();
    assert_eq!(
        Value::Object(output.structured.unwrap()),
        json!({"path": "a.ma", "frames": 10})
    );
}

#[test]
fn failures_stay_failures() {
    assert_eq!(
        call(&export(), json!({"scene_path": "a"})),
        Err(ToolError::Failed("no frames".to_owned()))
    );
    let wrong = call(&export(), json!({"scene_path": 5})).unwrap_err();
    assert!(matches!(wrong, ToolError::InvalidArguments(_)), "{wrong}");
}

#[test]
fn a_plain_result_is_wrapped() {
    let spec = ToolSpec::from_fn("count", |_: Export, _: CallContext| async move {
        Ok::<_, ToolError>(3)
    });
    assert_eq!(spec.output_schema, None);
    let output = call(&spec, json!({"scene_path": "a"})).unwrap();
    assert_eq!(
        Value::Object(output.structured.unwrap()),
        json!({"result": 3})
    );
}
