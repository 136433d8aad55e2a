//! What happens to arguments before a tool gets them.

use std::sync::Arc;

use metier_tool::{ArgumentFault, CompiledSchema, ToolOutput, repair};
use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Map, Value};

use crate::call::CallError;
use crate::dispatcher::SHOWN_NAME;
use crate::registered_tool::RegisteredTool;
use crate::stub::clipped;

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

/// The format by which a text of a tool's schema is a place in the workspace ("Workspace" in `docs/format-reference.md`).
pub const WORKSPACE_URI: &str = "workspace-uri";

/// Resolves the arguments that the schema marks as workspace paths, and hands the workspace to
/// tools that work with files.
pub(crate) fn resolve_workspace(
    arguments: &mut Map<String, Value>,
    tool: &RegisteredTool,
    roots: &Arc<WorkspaceRoots>,
) -> Result<(), Unresolved> {
    if let Some(schema) = &tool.input
        && schema.has_format(WORKSPACE_URI)
    {
        let mut value = Value::Object(std::mem::take(arguments));
        let places = schema
            .places_of_format(WORKSPACE_URI, &value)
            .map_err(Unresolved::TooMany)?;
        for place in places {
            if let Some(Value::String(text)) = value.pointer_mut(&place.pointer) {
                let path = roots.resolve(text).map_err(|error| {
                    Unresolved::Roots(CallError::Roots {
                        argument: clipped(&place.path, SHOWN_NAME),
                        error,
                    })
                })?;
                *text = path.to_string_lossy().into_owned();
            }
        }
        if let Value::Object(resolved) = value {
            *arguments = resolved;
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

/// Why the workspace paths of a call are not resolved.
pub(crate) enum Unresolved {
    Roots(CallError),
    TooMany(ArgumentFault),
}

pub(crate) type Fitted = Result<Map<String, Value>, Vec<ArgumentFault>>;

/// The arguments as the tool gets them, or all that is wrong with them.
pub(crate) fn fitted(mut arguments: Map<String, Value>, schema: &CompiledSchema) -> Fitted {
    repair(&mut arguments, schema);
    let value = Value::Object(arguments);
    schema.validate(&value)?;
    match value {
        Value::Object(arguments) => Ok(arguments),
        _ => Ok(Map::new()),
    }
}

/// Every wrong argument at once, so that a model mends them in one go.
pub(crate) fn invalid(tool: &str, faults: &[ArgumentFault]) -> ToolOutput {
    let listed: Vec<_> = faults.iter().map(|fault| format!("- {fault}")).collect();
    ToolOutput::error(format!(
        "invalid arguments for `{tool}`:\n{}",
        listed.join("\n")
    ))
}
