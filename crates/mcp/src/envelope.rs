//! One JSON-RPC message, read from bytes.
//!
//! Own parser, because a library's `Id` type loses digits and takes `null`, and because the kind of
//! a message must be known before anything is called. Nested values are skipped without recursion
//! here; a method that reads its parameters stops at 128 levels.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

pub use crate::envelope_start::id_at_start;

use crate::RawId;
use crate::error::{INVALID_PARAMS, INVALID_REQUEST, McpError, PARSE_ERROR};

/// One message of a client.
#[derive(Clone, Debug)]
pub enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification(Notification),
    /// Answers a request of ours (revisions of 2025 only).
    Response(ClientResponse),
}

/// A method call with an id.
#[derive(Clone, Debug)]
pub struct Request {
    /// Echoed in the answer.
    pub id: RawId,
    /// The method's name.
    pub method: String,
    /// What it is called with.
    pub params: RawParams,
}

/// A method call that is not answered.
#[derive(Clone, Debug)]
pub struct Notification {
    /// The method's name.
    pub method: String,
    /// What it is called with.
    pub params: RawParams,
}

/// What a client answers to a request of ours.
#[derive(Clone, Debug)]
pub struct ClientResponse {
    /// The id of our request.
    pub id: RawId,
    /// The JSON text of `result`, or of `error`.
    pub outcome: Result<String, String>,
}

/// The parameters of a message: the JSON text of an object, inside the message it came in.
#[derive(Clone, Debug, Default)]
pub struct RawParams {
    message: String,
    range: Range<usize>,
}

impl RawParams {
    /// The JSON text; absent parameters are `{}`.
    pub fn as_json(&self) -> &str {
        match self.message.get(self.range.clone()) {
            Some(text) if !text.is_empty() => text,
            _ => "{}",
        }
    }
}

/// Why bytes are no message, with the id where one could be read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EnvelopeError {
    /// Echo it when it is there; otherwise the error has no `id` member.
    pub id: Option<RawId>,
    /// What was wrong.
    pub error: McpError,
}

impl EnvelopeError {
    fn new(id: Option<RawId>, code: i32, message: impl Into<String>) -> Self {
        Self {
            id,
            error: McpError::new(code, message),
        }
    }
}

/// Reads exactly one message.
///
/// # Errors
///
/// -32700 for what is no JSON text, -32600 for JSON that is no message (arrays, ids that are
/// neither string nor integer, a member given twice), -32602 for parameters that are no object.
pub fn read(bytes: Vec<u8>) -> Result<Message, EnvelopeError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        EnvelopeError::new(
            None,
            PARSE_ERROR,
            format!("parse error: the text is not UTF-8 at byte {at}"),
        )
    })?;
    check_kind(&text)?;
    let members: Members<'_> = serde_json::from_str(&text).map_err(|error| broken(&error))?;

    let id = match members.id.map(RawValue::get) {
        None => None,
        Some(json) => Some(RawId::new(json).ok_or_else(|| {
            EnvelopeError::new(
                None,
                INVALID_REQUEST,
                format!(
                    "invalid request: id must be a string or an integer, found {}",
                    excerpt(json)
                ),
            )
        })?),
    };
    if members.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
        return Err(EnvelopeError::new(
            id,
            INVALID_REQUEST,
            "invalid request: jsonrpc must be \"2.0\"",
        ));
    }
    let Some(method) = members.method else {
        return read_response(&members, id);
    };
    if members.result.is_some() || members.error.is_some() {
        return Err(EnvelopeError::new(
            id,
            INVALID_REQUEST,
            "invalid request: a message with a method has neither result nor error",
        ));
    }
    let Ok(method) = serde_json::from_str::<Cow<'_, str>>(method.get()) else {
        return Err(EnvelopeError::new(
            id,
            INVALID_REQUEST,
            "invalid request: method must be a string",
        ));
    };
    let method = method.into_owned();
    let range = match members.params.map(RawValue::get) {
        None | Some("null") => 0..0,
        Some(json) if json.starts_with('{') => place_of(json, &text),
        Some(json) => {
            let found = if json.starts_with('[') {
                "a list (by position)"
            } else {
                excerpt(json)
            };
            return Err(EnvelopeError::new(
                id,
                INVALID_PARAMS,
                format!("invalid params: expected an object with named parameters, found {found}"),
            ));
        }
    };
    let params = RawParams {
        message: text,
        range,
    };
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification(Notification { method, params }),
    })
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Tells a member that is `null` from one that is not there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Arrays and scalars are JSON, but no message.
fn check_kind(text: &str) -> Result<(), EnvelopeError> {
    let start = text.trim_ascii_start();
    if start.starts_with('{') {
        return Ok(());
    }
    if start.is_empty() {
        return Err(EnvelopeError::new(
            None,
            PARSE_ERROR,
            "parse error: the message is empty",
        ));
    }
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| broken(&error))?;
    let message = if start.starts_with('[') {
        "invalid request: batches are not supported; send one message at a time"
    } else {
        "invalid request: expected one JSON object"
    };
    Err(EnvelopeError::new(None, INVALID_REQUEST, message))
}

fn read_response(members: &Members<'_>, id: Option<RawId>) -> Result<Message, EnvelopeError> {
    let outcome = match (members.result, members.error) {
        (Some(result), None) => Ok(result.get().to_owned()),
        (None, Some(error)) => Err(error.get().to_owned()),
        (Some(_), Some(_)) => {
            return Err(EnvelopeError::new(
                id,
                INVALID_REQUEST,
                "invalid request: a response has either result or error, not both",
            ));
        }
        (None, None) => {
            return Err(EnvelopeError::new(
                id,
                INVALID_REQUEST,
                "invalid request: method is missing",
            ));
        }
    };
    match id {
        Some(id) => Ok(Message::Response(ClientResponse { id, outcome })),
        None => Err(EnvelopeError::new(
            None,
            INVALID_REQUEST,
            "invalid request: a response needs an id",
        )),
    }
}

fn broken(error: &serde_json::Error) -> EnvelopeError {
    match error.classify() {
        Category::Data => {
            EnvelopeError::new(None, INVALID_REQUEST, format!("invalid request: {error}"))
        }
        _ => EnvelopeError::new(None, PARSE_ERROR, format!("parse error: {error}")),
    }
}

/// Where a part lies in the text it was borrowed from.
fn place_of(part: &str, whole: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

/// The first characters of a value, for an error text.
fn excerpt(json: &str) -> &str {
    let end = json.char_indices().nth(40).map_or(json.len(), |(at, _)| at);
    json.get(..end).unwrap_or(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (i32, Option<String>) {
        let error = read(text.as_bytes().to_vec()).unwrap_err();
        (error.error.code, error.id.map(|id| id.as_json().to_owned()))
    }

    #[test]
    fn ids_come_back_as_written() {
        for id in ["\"1\"", "1", "\"\"", "0", "-1", "9007199254740993", "\"é\""] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let Message::Request(request) = read(text.into_bytes()).unwrap() else {
                panic!()
            };
            assert_eq!(request.id.as_json(), id);
            assert_eq!(request.params.as_json(), "{}");
        }
    }

    #[test]
    fn other_ids_are_refused_and_never_echoed() {
        for id in ["null", "1.5", "1e2", "{}", "[1]", "true"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(fault(&text), (INVALID_REQUEST, None), "{id}");
        }
        assert_eq!(
            fault(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#),
            (INVALID_REQUEST, None)
        );
    }

    #[test]
    fn arrays_are_refused_as_batches() {
        for text in ["[]", r#"[{"jsonrpc":"2.0","method":"ping"}]"#, " [1]"] {
            let error = read(text.as_bytes().to_vec()).unwrap_err();
            assert_eq!(error.error.code, INVALID_REQUEST);
            assert!(error.error.message.contains("batches are not supported"));
        }
    }

    #[test]
    fn broken_text_is_a_parse_error_and_json_without_sense_an_invalid_request() {
        for text in ["{", "", "  ", "{\"a\":NaN}", "nonsense", "{} {}"] {
            assert_eq!(fault(text), (PARSE_ERROR, None), "{text:?}");
        }
        assert_eq!(fault(&"[".repeat(100_000)), (PARSE_ERROR, None));
        for text in ["123", "\"x\"", "null"] {
            assert_eq!(fault(text), (INVALID_REQUEST, None), "{text}");
        }
        let four = Some("4".to_owned());
        assert_eq!(
            fault(r#"{"id": 4, "method": "ping"}"#),
            (INVALID_REQUEST, four.clone())
        );
        assert_eq!(
            fault(r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#),
            (INVALID_REQUEST, four.clone())
        );
        assert_eq!(
            fault(r#"{"jsonrpc":"2.0","id":4,"method":7}"#),
            (INVALID_REQUEST, four)
        );
        assert_eq!(read(vec![0xff, 0xfe]).unwrap_err().error.code, PARSE_ERROR);
    }

    #[test]
    fn params_are_an_object_or_absent() {
        for params in ["\"x\"", "[1]", "7"] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
            assert_eq!(
                fault(&text),
                (INVALID_PARAMS, Some("7".to_owned())),
                "{params}"
            );
        }
        let text = r#"{"jsonrpc":"2.0","method":"m","params": {"a": "é"} }"#;
        let Message::Notification(note) = read(text.as_bytes().to_vec()).unwrap() else {
            panic!()
        };
        assert_eq!(note.params.as_json(), r#"{"a": "é"}"#);
    }

    #[test]
    fn an_answer_to_us_is_told_from_a_request() {
        let Message::Response(answer) =
            read(br#"{"jsonrpc":"2.0","id":"s1","result":{}}"#.to_vec()).unwrap()
        else {
            panic!()
        };
        assert_eq!(answer.outcome, Ok("{}".to_owned()));
        assert_eq!(
            fault(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#),
            (INVALID_REQUEST, Some("1".to_owned()))
        );
        assert_eq!(
            fault(r#"{"jsonrpc":"2.0","result":{}}"#),
            (INVALID_REQUEST, None)
        );
    }
}
