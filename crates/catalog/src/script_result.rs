//! What a script printed, as the answer of a tool.

use metier_runner::{Exit, Output, Report};
use metier_tool::{Content, ProgramEnd, ToolError, ToolOutput};
use serde_json::{Map, Value, json};

/// Turns the report of a run into the answer.
///
/// A script that failed keeps what it said: its JSON stays the structured result, and the text
/// holds the reason and the ends of both streams.
pub(crate) fn output(report: Report) -> Result<ToolOutput, ToolError> {
    if report.exit == Exit::Cancelled {
        return Err(ToolError::Cancelled);
    }
    let failure = report.failure();
    let described = report.describe_failure();
    let stderr = report.stderr_tail.to_string();
    let spoke_json = matches!(report.output, Output::Json(_));
    let mut dcc = Map::new();
    if !report.noise.trim().is_empty() {
        dcc.insert("log".to_owned(), Value::from(report.noise.as_str()));
    }
    if report.replaced_bytes {
        dcc.insert(
            "note".to_owned(),
            Value::from("the script printed bytes that are not UTF-8; they were replaced"),
        );
    }
    if let Exit::Code(code) = report.exit
        && code != 0
    {
        dcc.insert("exit_code".to_owned(), Value::from(code));
    }
    let mut output = match report.output {
        Output::Json(value) => of_json(value),
        Output::Text(text) => of_message(&text, failure.is_none()),
        _ if failure.is_none() => of_message("", true),
        _ => ToolOutput::default(),
    };
    if let Some(failure) = failure {
        output.is_error = true;
        let own = std::mem::take(&mut output.content);
        output.content = if spoke_json {
            // The object is the script's own account of the failure; the reason and the other
            // lines stand before it, and nothing stands twice.
            let mut text = failure;
            for (name, lines) in [("output", report.noise.trim()), ("error output", &stderr)] {
                if !lines.is_empty() {
                    text = format!("{text}\n\n{name}:\n{lines}");
                }
            }
            [vec![Content::text(text)], own].concat()
        } else {
            vec![Content::text(described.unwrap_or(failure))]
        };
    }
    if !dcc.is_empty() {
        match output.meta.get_mut("dcc") {
            Some(Value::Object(present)) => present.extend(dcc),
            _ => {
                output.meta.insert("dcc".to_owned(), Value::Object(dcc));
            }
        }
    }
    Ok(output)
}

/// How the script ended, for records.
pub(crate) fn end(report: &Report) -> ProgramEnd {
    let exit_code = match report.exit {
        Exit::Code(code) => Some(code),
        _ => None,
    };
    ProgramEnd {
        exit_code,
        output_bytes: report.output_bytes,
    }
}

fn of_message(text: &str, success: bool) -> ToolOutput {
    let mut object = Map::new();
    object.insert("success".to_owned(), Value::Bool(success));
    object.insert("message".to_owned(), Value::from(text));
    let mut output = ToolOutput::structured(object);
    if !text.is_empty() {
        output.content = vec![Content::text(text)];
    }
    output
}

fn of_json(value: Value) -> ToolOutput {
    let Value::Object(mut object) = value else {
        // A structured result is always an object; the text keeps the script's own form.
        let text = value.to_string();
        let mut output = ToolOutput::structured(wrapped(value));
        output.content = vec![Content::text(text)];
        return output;
    };
    let meta = match object.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        Some(other) => {
            object.insert("_meta".to_owned(), other);
            Map::new()
        }
        None => Map::new(),
    };
    let mut output = mcp_content(&object).unwrap_or_else(|| ToolOutput::structured(object.clone()));
    let says_error =
        object.get("success") == Some(&json!(false)) || object.get("isError") == Some(&json!(true));
    output.is_error = says_error;
    output.meta = meta;
    output
}

fn wrapped(value: Value) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("result".to_owned(), value);
    object
}

/// A result that is MCP's own form: a list of content items, perhaps with structured content. An
/// object whose `content` is something else is an ordinary object.
fn mcp_content(object: &Map<String, Value>) -> Option<ToolOutput> {
    let items = object.get("content")?.as_array()?;
    if items.is_empty() {
        return None;
    }
    let items: Result<Vec<_>, _> = items.iter().cloned().map(Content::from_json).collect();
    let mut output = ToolOutput::content(items.ok()?);
    output.structured = object
        .get("structuredContent")
        .and_then(Value::as_object)
        .cloned();
    Some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structured(value: Value) -> Value {
        of_json(value).structured.map_or(Value::Null, Value::Object)
    }

    #[test]
    fn what_is_no_object_is_wrapped() {
        for value in [json!([1, 2]), json!("text"), json!(3), json!(null)] {
            assert_eq!(structured(value.clone()), json!({"result": value}));
        }
    }

    #[test]
    fn failure_can_be_said_in_the_object() {
        let output = of_json(json!({"success": false, "message": "no selection"}));
        assert!(output.is_error);
        assert!(output.joined_text().contains("no selection"));
    }

    #[test]
    fn content_items_pass_through() {
        let output = of_json(json!({
            "content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}],
            "structuredContent": {"n": 1},
            "_meta": {"x/y": 1},
        }));
        assert_eq!(output.content.len(), 1);
        assert_eq!(output.structured, json!({"n": 1}).as_object().cloned());
        assert_eq!(output.meta.get("x/y"), Some(&json!(1)));
        let plain = of_json(json!({"content": ["words"], "n": 2}));
        assert_eq!(
            plain.structured,
            json!({"content": ["words"], "n": 2}).as_object().cloned()
        );
    }
}
