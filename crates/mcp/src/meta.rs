//! What a request says about itself in `params._meta`.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::McpError;
use crate::logging::level_named;
use metier_tool::LogLevel;

/// The key of the revision, of a modern request.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's capabilities, of a modern request.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key under which a result names the server.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key under which a frame of `subscriptions/listen` names its request.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The members of `params` that admission and headers look at. Everything else stays unread.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    /// The revision the request names, as it came.
    pub(crate) version: Option<Value>,
    /// The client's capabilities, as they came.
    pub(crate) capabilities: Option<Value>,
    /// What the client calls itself.
    pub(crate) client_name: Option<String>,
    /// The JSON text of the progress token.
    pub(crate) progress_token: Option<Box<RawValue>>,
    /// From which level on log lines are wanted (modern).
    pub(crate) log_level: Option<LogLevel>,
    /// Whether a key is there that only a modern client writes.
    pub(crate) is_modern: bool,
    /// `params.name`, where it is a text.
    pub(crate) name: Option<String>,
    /// `params.uri`, where it is a text.
    pub(crate) uri: Option<String>,
}

impl Meta {
    /// Reads them from the JSON text of `params`.
    pub(crate) fn read(params: &str) -> Result<Self, McpError> {
        if params == "{}" {
            return Ok(Self::default());
        }
        let outer: Outer<'_> = serde_json::from_str(params)
            .map_err(|error| McpError::invalid_params(format!("invalid params: {error}")))?;
        let mut meta = Self {
            name: outer.name.and_then(text),
            uri: outer.uri.and_then(text),
            ..Self::default()
        };
        let Some(inner) = outer.meta.filter(|raw| raw.get() != "null") else {
            return Ok(meta);
        };
        let inner: Inner<'_> = serde_json::from_str(inner.get())
            .map_err(|error| McpError::invalid_params(format!("invalid params: _meta: {error}")))?;
        meta.is_modern = inner.version.is_some()
            || inner.capabilities.is_some()
            || inner.client_info.is_some()
            || inner.log_level.is_some();
        meta.version = inner.version.map(value);
        meta.capabilities = inner.capabilities.map(value);
        if let Some(Value::Object(info)) = inner.client_info.map(value) {
            meta.client_name = info.get("name").and_then(Value::as_str).map(str::to_owned);
        }
        if let Some(level) = inner.log_level {
            let name = text(level).unwrap_or_default();
            meta.log_level = Some(level_named(&name)?);
        }
        meta.progress_token = inner
            .progress_token
            .map(progress_token)
            .transpose()?
            .flatten();
        Ok(meta)
    }
}

/// A token is a text or a number, 0 and the empty text included.
fn progress_token(raw: &RawValue) -> Result<Option<Box<RawValue>>, McpError> {
    match raw.get().as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b'"' | b'-' | b'0'..=b'9') => Ok(Some(raw.to_owned())),
        _ => Err(McpError::invalid_params(
            "invalid params: _meta.progressToken must be a string or an integer",
        )),
    }
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/protocolVersion",
        deserialize_with = "present"
    )]
    version: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientCapabilities",
        deserialize_with = "present"
    )]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str::<Cow<'_, str>>(raw.get())
        .ok()
        .map(Cow::into_owned)
}

/// Too deep for a value counts as `null`, which no check accepts.
fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_zero_or_empty_text_is_a_token() {
        for token in ["0", "\"\"", "\"t\"", "-3", "12345678901234567890"] {
            let meta = Meta::read(&format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#)).unwrap();
            assert_eq!(meta.progress_token.unwrap().get(), token);
            assert!(!meta.is_modern);
        }
        assert!(
            Meta::read(r#"{"_meta":{"progressToken":null}}"#)
                .unwrap()
                .progress_token
                .is_none()
        );
        assert!(Meta::read(r#"{"_meta":{"progressToken":[]}}"#).is_err());
    }

    #[test]
    fn a_modern_request_shows_in_its_meta() {
        let meta = Meta::read(
            r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{},
                "io.modelcontextprotocol/clientInfo":{"name":"probe","version":"0"},
                "io.modelcontextprotocol/logLevel":"warning"}}"#,
        )
        .unwrap();
        assert!(meta.is_modern);
        assert_eq!(meta.client_name.as_deref(), Some("probe"));
        assert_eq!(meta.log_level, Some(LogLevel::Warning));
        assert_eq!(meta.name.as_deref(), Some("t"));
    }

    #[test]
    fn a_meta_of_the_wrong_kind_is_refused() {
        assert!(Meta::read(r#"{"_meta":7}"#).is_err());
        assert!(Meta::read(r#"{"_meta":null}"#).is_ok());
    }
}
