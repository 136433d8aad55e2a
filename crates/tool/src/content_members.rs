//! The members of a content item that MCP gives a type, beside those that make its kind.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// What of an item has not the form that MCP gives it; members of other names are the script's own.
pub(crate) fn fault(item: &Map<String, Value>) -> Option<String> {
    of_one(item, "").or_else(|| {
        let resource = item.get("resource")?.as_object()?;
        of_one(resource, "resource.")
    })
}

fn of_one(item: &Map<String, Value>, at: &str) -> Option<String> {
    let wrong = |name: &str, wanted: &str| Some(format!("`{at}{name}` must be {wanted}"));
    for name in ["mimeType", "uri", "name", "title", "description"] {
        if item.get(name).is_some_and(|value| !value.is_string()) {
            return wrong(name, "text");
        }
    }
    if item
        .get("mimeType")
        .and_then(Value::as_str)
        .is_some_and(|kind| !is_media_type(kind))
    {
        return wrong("mimeType", "a media type such as image/png");
    }
    if item
        .get("uri")
        .and_then(Value::as_str)
        .is_some_and(|uri| !is_uri(uri))
    {
        return wrong("uri", "a URI with a scheme");
    }
    if item.get("size").is_some_and(|size| !size.is_u64()) {
        return wrong("size", "a number of bytes");
    }
    if item.get("_meta").is_some_and(|meta| !meta.is_object()) {
        return wrong("_meta", "an object");
    }
    let blob = item.get("blob").and_then(Value::as_str);
    if !at.is_empty() && blob.is_some_and(|blob| STANDARD.decode(blob).is_err()) {
        return wrong("blob", "base64");
    }
    let annotations = item.get("annotations")?;
    let Some(annotations) = annotations.as_object() else {
        return wrong("annotations", "an object");
    };
    let is_audience = |value: &Value| {
        value.as_array().is_some_and(|all| {
            all.iter()
                .all(|one| matches!(one.as_str(), Some("user" | "assistant")))
        })
    };
    let is_priority = |value: &Value| value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n));
    for (name, is_right, wanted) in [
        (
            "audience",
            &is_audience as &dyn Fn(&Value) -> bool,
            "a list of `user` and `assistant`",
        ),
        ("priority", &is_priority, "a number from 0 to 1"),
        ("lastModified", &Value::is_string, "text"),
    ] {
        if annotations.get(name).is_some_and(|value| !is_right(value)) {
            return wrong(&format!("annotations.{name}"), wanted);
        }
    }
    None
}

fn is_media_type(text: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic());
    let essence = text.split(';').next().unwrap_or(text).trim();
    essence
        .split_once('/')
        .is_some_and(|(kind, sub)| word(kind) && word(sub))
}

fn is_uri(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            && !text.contains(char::is_whitespace)
    })
}
