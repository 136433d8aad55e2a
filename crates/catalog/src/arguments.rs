//! What happens to arguments beside repair and validation.

use std::sync::Arc;

use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Map, Value};

use crate::call::CallError;
use crate::registered_tool::RegisteredTool;

/// The key under which a tool finds the workspace.
const WORKSPACE_ROOTS: &str = "_workspace_roots";

/// Absent and `null` are no arguments; anything but an object is refused.
pub(crate) fn object(arguments: Option<Value>) -> Result<Map<String, Value>, CallError> {
    let found = match arguments {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(object)) => return Ok(object),
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "text",
        Some(Value::Array(_)) => "a list",
    };
    Err(CallError::ArgumentsNotObject { found })
}

/// Keys that begin with `_` are the server's to give; a caller could forge them otherwise.
pub(crate) fn drop_private(arguments: &mut Map<String, Value>) {
    arguments.retain(|key, _| !key.starts_with('_'));
}

/// Resolves the arguments that the schema marks as workspace paths, and hands the workspace to
/// tools that work with files.
pub(crate) fn resolve_workspace(
    arguments: &mut Map<String, Value>,
    tool: &RegisteredTool,
    roots: &Arc<WorkspaceRoots>,
) -> Result<(), CallError> {
    let properties = tool
        .listed
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if schema.get("format") != Some(&Value::from("workspace-uri")) {
            continue;
        }
        if let Some(Value::String(text)) = arguments.get(name) {
            let path = roots.resolve(text).map_err(|error| CallError::Roots {
                argument: name.clone(),
                error,
            })?;
            arguments.insert(name.clone(), Value::from(path.to_string_lossy()));
        }
    }
    if tool.takes_roots() {
        let paths: Vec<_> = roots
            .roots()
            .iter()
            .map(|root| root.to_string_lossy())
            .collect();
        arguments.insert(WORKSPACE_ROOTS.to_owned(), serde_json::json!(paths));
    }
    Ok(())
}
