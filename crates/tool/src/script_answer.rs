//! What a script says, as the answer of a tool: the same reading whether the script ran as a program
//! or inside a host application.

use serde_json::{Map, Value};

use crate::{Content, ToolOutput};

impl ToolOutput {
    /// Takes the JSON that a script printed or returned.
    ///
    /// An object is the structured result; `success: false` or `isError: true` in it is a failure,
    /// and a member `_meta` moves to the result's, without its `dcc`, which is what this server says of the call. An object whose `content` is a list of MCP content
    /// items is taken as MCP's own form. Any other value becomes `{"result": …}`, because a structured
    /// result is always an object.
    ///
    /// ```
    /// use metier_tool::ToolOutput;
    ///
    /// let output = ToolOutput::from_script_json(serde_json::json!([1, 2]));
    /// assert_eq!(serde_json::json!(output.structured), serde_json::json!({"result": [1, 2]}));
    /// ```
    pub fn from_script_json(value: Value) -> Self {
        let Value::Object(mut object) = value else {
            // The text keeps the script's own form.
            let text = value.to_string();
            let mut output = Self::structured(wrapped(value));
            output.content = vec![Content::text(text)];
            return output;
        };
        let meta = match object.remove("_meta") {
            Some(Value::Object(mut meta)) => {
                meta.remove("dcc");
                meta
            }
            Some(other) => {
                object.insert("_meta".to_owned(), other);
                Map::new()
            }
            None => Map::new(),
        };
        let says_error = object.get("success") == Some(&Value::Bool(false))
            || object.get("isError") == Some(&Value::Bool(true));
        let mut output = mcp_content(&object).unwrap_or_else(|| Self::structured(object));
        output.is_error = says_error;
        output.meta = meta;
        output
    }

    /// Takes the plain text of a script that printed no JSON: `{"success": …, "message": text}`.
    pub fn from_script_text(text: &str, success: bool) -> Self {
        let mut object = Map::new();
        object.insert("success".to_owned(), Value::Bool(success));
        object.insert("message".to_owned(), Value::from(text));
        let mut output = Self::structured(object);
        if !text.is_empty() {
            output.content = vec![Content::text(text)];
        }
        output
    }
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

/// Why an object that looks like MCP's own form is taken as plain data: one of the items in its `content` is no
/// content item. `None` where nothing says that content items were meant.
///
/// ```
/// let answer = serde_json::json!({"content": [{"type": "txt", "text": "done"}]});
/// let fault = metier_tool::content_fault(&answer).unwrap();
/// assert!(fault.starts_with("`content[0]` is no content item of MCP"), "{fault}");
/// ```
pub fn content_fault(value: &Value) -> Option<String> {
    let items = value.get("content")?.as_array()?;
    if !items.iter().all(|item| item.get("type").is_some()) {
        return None;
    }
    let mut faults = items.iter().enumerate().filter_map(|(number, item)| {
        let error = Content::from_json(item.clone()).err()?;
        Some(format!(
            "`content[{number}]` is no content item of MCP ({error}), so the object is passed on as it is"
        ))
    });
    faults.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn structured(value: Value) -> Value {
        ToolOutput::from_script_json(value)
            .structured
            .map_or(Value::Null, Value::Object)
    }

    #[test]
    fn what_is_no_object_is_wrapped() {
        for value in [json!([1, 2]), json!("text"), json!(3), json!(null)] {
            assert_eq!(structured(value.clone()), json!({"result": value}));
        }
    }

    #[test]
    fn failure_can_be_said_in_the_object() {
        let output =
            ToolOutput::from_script_json(json!({"success": false, "message": "no selection"}));
        assert!(output.is_error);
        assert!(output.joined_text().contains("no selection"));
    }

    #[test]
    fn content_items_pass_through() {
        let output = ToolOutput::from_script_json(json!({
            "content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}],
            "structuredContent": {"n": 1},
            "_meta": {"x/y": 1, "dcc": {"exit_code": 0}},
        }));
        assert_eq!(output.meta.get("dcc"), None, "the server's own word");
        assert_eq!(output.content.len(), 1);
        assert_eq!(output.structured, json!({"n": 1}).as_object().cloned());
        assert_eq!(output.meta.get("x/y"), Some(&json!(1)));
        let plain = ToolOutput::from_script_json(json!({"content": ["words"], "n": 2}));
        assert_eq!(
            plain.structured,
            json!({"content": ["words"], "n": 2}).as_object().cloned()
        );
    }
}
