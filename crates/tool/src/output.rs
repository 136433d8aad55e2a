//! What a tool answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::content_members;

/// One item of a result: an MCP content object, kept as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Content(Map<String, Value>);

/// Why a JSON value is not a content item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a content item: {0}")]
pub struct NotContent(String);

impl Content {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(json!({"type": "text", "text": text.into()}))
    }

    /// A picture; `mime_type` such as `image/png`.
    pub fn image(bytes: &[u8], mime_type: &str) -> Self {
        Self::of(json!({"type": "image", "data": STANDARD.encode(bytes), "mimeType": mime_type}))
    }

    /// Sound; `mime_type` such as `audio/wav`.
    pub fn audio(bytes: &[u8], mime_type: &str) -> Self {
        Self::of(json!({"type": "audio", "data": STANDARD.encode(bytes), "mimeType": mime_type}))
    }

    /// A text resource with its content.
    pub fn resource(uri: &str, mime_type: &str, text: impl Into<String>) -> Self {
        Self::of(json!({
            "type": "resource",
            "resource": {"uri": uri, "mimeType": mime_type, "text": text.into()},
        }))
    }

    /// A pointer to a resource that the client may read.
    pub fn resource_link(uri: &str, name: &str) -> Self {
        Self::of(json!({"type": "resource_link", "uri": uri, "name": name}))
    }

    /// Takes an item that a script wrote. Members beyond the required ones stay.
    ///
    /// # Errors
    /// Names the member that is missing or has the wrong type.
    pub fn from_json(value: Value) -> Result<Self, NotContent> {
        let Value::Object(item) = value else {
            return Err(NotContent("expected an object".to_owned()));
        };
        let Some(kind) = item.get("type").and_then(Value::as_str) else {
            return Err(NotContent("`type` is missing".to_owned()));
        };
        let wanted: &[&str] = match kind {
            "text" => &["text"],
            "image" | "audio" => &["data", "mimeType"],
            "resource_link" => &["uri", "name"],
            "resource" => {
                let complete = item.get("resource").is_some_and(|resource| {
                    let has = |key: &str| resource.get(key).is_some_and(Value::is_string);
                    has("uri") && (has("text") || has("blob"))
                });
                if !complete {
                    return Err(NotContent(
                        "`resource` must hold `uri` and `text` or `blob`".to_owned(),
                    ));
                }
                &[]
            }
            other => return Err(NotContent(format!("unknown type `{other}`"))),
        };
        if let Some(missing) = wanted
            .iter()
            .find(|key| !item.get(**key).is_some_and(Value::is_string))
        {
            return Err(NotContent(format!(
                "`{missing}` must be text in an item of type `{kind}`"
            )));
        }
        if let Some(data) = item.get("data").and_then(Value::as_str) {
            STANDARD
                .decode(data)
                .map_err(|error| NotContent(format!("`data` is not base64: {error}")))?;
        }
        // A client with types refuses the whole answer for one member, and its model sees nothing.
        match content_members::fault(&item) {
            Some(fault) => Err(NotContent(fault)),
            None => Ok(Self(item)),
        }
    }

    /// The text of a text item.
    pub fn as_text(&self) -> Option<&str> {
        match self.0.get("type")?.as_str()? {
            "text" => self.0.get("text")?.as_str(),
            _ => None,
        }
    }

    /// The item as MCP has it.
    pub fn as_json(&self) -> &Map<String, Value> {
        &self.0
    }

    fn of(value: Value) -> Self {
        match value {
            Value::Object(item) => Self(item),
            _ => Self(Map::new()),
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The answer of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// For models and people.
    pub content: Vec<Content>,
    /// For programs; always an object.
    pub structured: Option<Map<String, Value>>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Further facts (`dcc.log`, …), for the result's `_meta`.
    pub meta: Map<String, Value>,
}

impl ToolOutput {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![Content::text(text)],
            ..Self::default()
        }
    }

    /// An object, repeated as JSON text for clients that know no structured results.
    pub fn structured(object: Map<String, Value>) -> Self {
        let text = Value::Object(object.clone()).to_string();
        Self {
            content: vec![Content::text(text)],
            structured: Some(object),
            ..Self::default()
        }
    }

    /// A failure the caller can act on.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![Content::text(text)],
            is_error: true,
            ..Self::default()
        }
    }

    /// A failure with facts for programs beside its text.
    pub fn error_with(text: impl Into<String>, object: Map<String, Value>) -> Self {
        Self {
            structured: Some(object),
            ..Self::error(text)
        }
    }

    /// The given items.
    pub fn content(items: Vec<Content>) -> Self {
        Self {
            content: items,
            ..Self::default()
        }
    }

    /// Adds an entry to `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: Value) -> Self {
        self.meta.insert(key.into(), value);
        self
    }

    /// Says something of this answer to whoever reads `_meta.dcc.note`, behind what is said there already.
    pub fn add_note(&mut self, note: &str) {
        let dcc = self.meta.entry("dcc").or_insert_with(|| json!({}));
        let Value::Object(dcc) = dcc else {
            return;
        };
        let note = match dcc.get("note").and_then(Value::as_str) {
            Some(before) => format!("{before}; {note}"),
            None => note.to_owned(),
        };
        dcc.insert("note".to_owned(), note.into());
    }

    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.add_note(note);
        self
    }

    /// The text items, joined by line ends.
    pub fn joined_text(&self) -> String {
        let texts: Vec<_> = self.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_checked_and_kept() {
        for item in [
            json!({"type": "text", "text": "hi", "annotations": {"priority": 1, "audience": ["user"]}, "x": 5}),
            json!({"type": "text", "text": "hi", "annotations": {"priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"}, "_meta": {"a": 1}}),
            json!({"type": "resource_link", "uri": "skill://a/b", "name": "b", "mimeType": "text/plain", "size": 5, "title": "B"}),
            json!({"type": "resource", "resource": {"uri": "a:b", "blob": "aGk=", "mimeType": "a/b"}}),
        ] {
            let content = Content::from_json(item.clone()).unwrap();
            assert_eq!(serde_json::to_value(&content).unwrap(), item);
        }
        for (broken, word) in [
            (json!("x"), "object"),
            (json!({"text": "x"}), "type"),
            (json!({"type": "text"}), "`text`"),
            (
                json!({"type": "image", "data": "!", "mimeType": "image/png"}),
                "base64",
            ),
            (json!({"type": "image", "data": "aGk="}), "mimeType"),
            (
                json!({"type": "resource", "resource": {"uri": "a:b"}}),
                "blob",
            ),
            (
                json!({"type": "text", "text": "x", "annotations": "x"}),
                "annotations",
            ),
            (
                json!({"type": "text", "text": "x", "annotations": {"priority": 5}}),
                "priority",
            ),
            (
                json!({"type": "text", "text": "x", "annotations": {"priority": true}}),
                "priority",
            ),
            (
                json!({"type": "text", "text": "x", "annotations": {"audience": ["all"]}}),
                "audience",
            ),
            (
                json!({"type": "text", "text": "x", "annotations": {"lastModified": 5}}),
                "lastModified",
            ),
            (json!({"type": "text", "text": "x", "_meta": 5}), "_meta"),
            (
                json!({"type": "image", "data": "aGk=", "mimeType": ""}),
                "mimeType",
            ),
            (
                json!({"type": "resource_link", "uri": "a:b", "name": "b", "mimeType": 5}),
                "mimeType",
            ),
            (
                json!({"type": "resource_link", "uri": "b", "name": "b"}),
                "uri",
            ),
            (
                json!({"type": "resource_link", "uri": "a:b", "name": "b", "size": "5"}),
                "size",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "a:b", "text": "x", "mimeType": 5}}),
                "mimeType",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "a:b", "blob": "!"}}),
                "base64",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "a:b", "text": "x", "_meta": []}}),
                "_meta",
            ),
            (json!({"type": "video"}), "video"),
        ] {
            let error = Content::from_json(broken).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn an_object_is_also_text() {
        let mut object = Map::new();
        object.insert("n".to_owned(), json!(1));
        assert_eq!(ToolOutput::structured(object).joined_text(), r#"{"n":1}"#);
    }
}
