//! What a script says, as the answer of a tool: the same reading whether the script ran as a program
//! or inside a host application.

use serde_json::{Map, Value};

use crate::schema_fault::clipped;
use crate::{Content, ToolOutput};

impl ToolOutput {
    /// Takes the JSON that a script printed or returned.
    ///
    /// An object is the structured result; `success: false` or `isError: true` in it is a failure,
    /// and a member `_meta` moves to the result's, without its `dcc`, which is what this server says of the call.
    /// An object whose `content` is a list of MCP content items is taken as MCP's own form, and what else stands in
    /// it is told by a [note](Self::add_note). Any other value becomes `{"result": …}`, and so does a
    /// `structuredContent` that is no object, because a structured result is always an object.
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
        let mut meta = match object.remove("_meta") {
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
        let mut output = match of_mcp(&object) {
            Mcp::Form(output) => output,
            Mcp::Broken(fault) => Self::structured(object).with_note(&fault),
            Mcp::Other => Self::structured(object),
        };
        output.is_error = says_error;
        // The server's own word is the only one there under `dcc`.
        meta.append(&mut output.meta);
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

/// What an object with a `content` is.
enum Mcp {
    /// MCP's own form: a list of content items, perhaps with structured content.
    Form(ToolOutput),
    /// Content items were meant, but one of them is none.
    Broken(String),
    /// Nothing says that content items were meant.
    Other,
}

fn of_mcp(object: &Map<String, Value>) -> Mcp {
    let items = object.get("content").and_then(Value::as_array);
    let Some(items) = items.filter(|items| !items.is_empty()) else {
        return Mcp::Other;
    };
    let mut content = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        match Content::from_json(item.clone()) {
            Ok(item) => content.push(item),
            Err(error) if items.iter().all(|item| item.get("type").is_some()) => {
                return Mcp::Broken(format!(
                    "`content[{number}]` is no content item of MCP ({error}), so the object is passed on as it is"
                ));
            }
            Err(_) => return Mcp::Other,
        }
    }
    let mut output = ToolOutput::content(content);
    output.structured = match object.get("structuredContent") {
        None | Some(Value::Null) => None,
        Some(Value::Object(structured)) => Some(structured.clone()),
        Some(other) => Some(wrapped(other.clone())),
    };
    Mcp::Form(match left_out(object) {
        Some(note) => output.with_note(&note),
        None => output,
    })
}

/// So many members that stand beside `content` are named.
const NAMED: usize = 5;

/// What of MCP's own form is in no result.
fn left_out(object: &Map<String, Value>) -> Option<String> {
    let is_carried = |(name, value): &(&String, &Value)| match name.as_str() {
        "content" | "structuredContent" => true,
        "success" | "isError" => value.is_boolean(),
        _ => false,
    };
    let others = object.iter().filter(|member| !is_carried(member));
    let mut named: Vec<String> = others
        .map(|(name, _)| format!("`{}`", clipped(name)))
        .collect();
    if named.is_empty() {
        return None;
    }
    if let Some(more @ 1..) = named.len().checked_sub(NAMED) {
        named.truncate(NAMED);
        named.push(format!("{more} more"));
    }
    Some(format!(
        "beside `content` these members are left out: {}; what programs are to read belongs in `structuredContent`",
        named.join(", ")
    ))
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

    fn note(value: Value) -> Option<String> {
        let output = ToolOutput::from_script_json(value);
        let note = output.meta.get("dcc")?.get("note")?.as_str()?;
        Some(note.to_owned())
    }

    #[test]
    fn what_stands_beside_content_is_carried_or_told() {
        let text = json!([{"type": "text", "text": "x"}]);
        for scalar in [json!([1]), json!(7), json!("t"), json!(false)] {
            let answer = json!({"content": text, "structuredContent": scalar});
            assert_eq!(structured(answer.clone()), json!({"result": scalar}));
            assert_eq!(note(answer), None);
        }
        let answer =
            json!({"content": text, "structuredContent": null, "success": true, "isError": false});
        assert_eq!(note(answer.clone()), None);
        assert_eq!(structured(answer), Value::Null);

        let answer = json!({"content": text, "other": 1, "success": false, "message": "m", "_meta": {"a": 1}});
        assert_eq!(
            note(answer.clone()).unwrap(),
            "beside `content` these members are left out: `other`, `message`; what programs are to read belongs in `structuredContent`"
        );
        let output = ToolOutput::from_script_json(answer);
        assert!(output.is_error);
        assert_eq!(output.meta.get("a"), Some(&json!(1)));

        let odd = json!({"content": text, "success": "no", "_meta": 5});
        assert!(note(odd).unwrap().contains("`success`, `_meta`;"));
        let mut many = json!({"content": text});
        for number in 0..9 {
            many[format!("m{number}")] = json!(number);
        }
        assert!(note(many).unwrap().contains("`m4`, 4 more;"));
    }

    #[test]
    fn an_item_that_is_none_is_told() {
        let broken = json!({"content": [{"type": "txt", "text": "done"}]});
        let told = note(broken.clone()).unwrap();
        assert!(
            told.starts_with("`content[0]` is no content item of MCP"),
            "{told}"
        );
        assert_eq!(structured(broken.clone()), broken);
        for data in [json!({"content": ["words"]}), json!({"content": []})] {
            assert_eq!(note(data), None);
        }
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
