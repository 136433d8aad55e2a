//! Headers of a modern request that repeat what its body says. A proxy may route by them, so a
//! request whose two halves disagree is refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use serde_json::Value;

use crate::error::{HEADER_MISMATCH, McpError};

/// Header of the revision.
pub const PROTOCOL_VERSION_HEADER: &str = "mcp-protocol-version";
/// Header of a session's id (revisions of 2025).
pub const SESSION_HEADER: &str = "mcp-session-id";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
const PARAM_PREFIX: &str = "mcp-param-";

/// The value of a header that may appear once, trimmed.
pub(crate) fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, McpError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(mismatch(format!("header {name} was sent twice")));
    }
    match value.to_str() {
        Ok(text) => Ok(Some(text.trim_matches([' ', '\t']))),
        Err(_) => Err(mismatch(format!(
            "header {name} holds characters outside of visible ASCII"
        ))),
    }
}

/// Holds `MCP-Protocol-Version` against the version in the body.
pub(crate) fn check_version(headers: &HeaderMap, version: &str) -> Result<(), McpError> {
    compare(
        PROTOCOL_VERSION_HEADER,
        single(headers, PROTOCOL_VERSION_HEADER)?,
        version,
    )
}

/// Holds `Mcp-Method` against the body.
pub(crate) fn check_method(headers: &HeaderMap, method: &str) -> Result<(), McpError> {
    compare(METHOD_HEADER, single(headers, METHOD_HEADER)?, method)
}

/// Holds `Mcp-Name` against the body's name or uri. A body without one is the method's to refuse.
pub(crate) fn check_name(headers: &HeaderMap, name: Option<&str>) -> Result<(), McpError> {
    let sent = single(headers, NAME_HEADER)?.map(decode).transpose()?;
    match (sent, name) {
        (None, None) => Ok(()),
        (Some(sent), None) => Err(mismatch(format!(
            "header {NAME_HEADER} is {sent:?}, but the body names nothing"
        ))),
        (sent, Some(name)) => compare(NAME_HEADER, sent.as_deref(), name),
    }
}

/// Holds one `Mcp-Param-*` header against the argument it repeats.
pub(crate) fn check_param(
    headers: &HeaderMap,
    suffix: &str,
    value: Option<&Value>,
) -> Result<(), McpError> {
    let name = format!("{PARAM_PREFIX}{}", suffix.to_ascii_lowercase());
    let sent = single(headers, &name)?.map(decode).transpose()?;
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return match sent {
            None => Ok(()),
            Some(sent) => Err(mismatch(format!(
                "header {name} is {sent:?}, but the body has no such argument"
            ))),
        };
    };
    let Some(sent) = sent else {
        return Err(mismatch(format!("header {name} is missing")));
    };
    let equal = match value {
        Value::String(text) => *text == sent,
        Value::Bool(flag) => sent == if *flag { "true" } else { "false" },
        Value::Number(number) => {
            number.to_string() == sent
                || sent
                    .parse::<f64>()
                    .ok()
                    .zip(number.as_f64())
                    .is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
        }
        _ => return Ok(()),
    };
    if equal {
        Ok(())
    } else {
        Err(mismatch(format!(
            "header {name} is {sent:?}, but the body says {value}"
        )))
    }
}

fn compare(name: &str, sent: Option<&str>, body: &str) -> Result<(), McpError> {
    match sent {
        Some(sent) if sent == body => Ok(()),
        Some(sent) => Err(mismatch(format!(
            "header {name} is {sent:?}, but the body says {body:?}"
        ))),
        None => Err(mismatch(format!(
            "header {name} is missing; the body says {body:?}"
        ))),
    }
}

/// Undoes `=?base64?…?=`, the form for values that a header cannot hold.
fn decode(value: &str) -> Result<String, McpError> {
    let Some(inner) = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    else {
        return Ok(value.to_owned());
    };
    let bytes = STANDARD
        .decode(inner)
        .map_err(|error| mismatch(format!("header value {value:?} is no base64: {error}")))?;
    String::from_utf8(bytes)
        .map_err(|error| mismatch(format!("header value {value:?} is no UTF-8: {error}")))
}

fn mismatch(message: String) -> McpError {
    McpError::new(HEADER_MISMATCH, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        headers
    }

    #[test]
    fn a_name_is_compared_after_decoding() {
        check_name(&with("mcp-name", "  create \t"), Some("create")).unwrap();
        check_name(&with("mcp-name", "=?base64?w6k=?="), Some("é")).unwrap();
        assert!(check_name(&with("mcp-name", "=?base64?***?="), Some("é")).is_err());
        assert!(check_name(&with("mcp-name", "Create"), Some("create")).is_err());
        assert!(check_name(&with("mcp-name", "é"), Some("é")).is_err());
        assert!(check_name(&HeaderMap::new(), Some("create")).is_err());
        assert!(check_name(&with("mcp-name", "x"), None).is_err());
    }

    #[test]
    fn a_header_sent_twice_is_refused() {
        let mut headers = with("mcp-method", "ping");
        headers.append("mcp-method", HeaderValue::from_static("ping"));
        assert_eq!(
            check_method(&headers, "ping").unwrap_err().code,
            HEADER_MISMATCH
        );
    }

    #[test]
    fn arguments_are_compared_by_their_kind() {
        let ok = |sent: &str, value: Value| {
            check_param(&with("mcp-param-region", sent), "Region", Some(&value)).is_ok()
        };
        assert!(ok("eu", "eu".into()));
        assert!(ok("42", 42.into()) && ok("42.0", 42.into()) && !ok("43", 42.into()));
        assert!(ok("true", true.into()) && !ok("True", true.into()));
        assert!(check_param(&HeaderMap::new(), "Region", None).is_ok());
        assert!(check_param(&HeaderMap::new(), "Region", Some(&Value::Null)).is_ok());
        assert!(check_param(&HeaderMap::new(), "Region", Some(&"eu".into())).is_err());
    }
}
