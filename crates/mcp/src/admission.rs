//! Whether a request is fit for the revision it speaks, in the order that revision prescribes.

use http::HeaderMap;
use serde_json::{Map, Value, json};

use crate::envelope::Request;
use crate::era::{LegacyVersion, ModernVersion, is_legacy_date};
use crate::error::{INVALID_REQUEST, McpError, UNSUPPORTED_VERSION};
use crate::headers;
use crate::meta::{CLIENT_CAPABILITIES, Meta, PROTOCOL_VERSION};
use crate::pages::Pages;

/// Whether a message is stateless: its `_meta` says so, its header names no revision with
/// sessions, or its method exists only there. `initialize` without such a `_meta` never is,
/// whatever its header says, for a client cannot know the version before the answer.
pub(crate) fn is_modern(method: &str, meta: &Meta, header: Option<&str>) -> bool {
    if meta.is_modern {
        return true;
    }
    match method {
        "initialize" => false,
        "server/discover" => true,
        _ => header.is_some_and(|version| !is_legacy_date(version)),
    }
}

/// The version header of a message with a session: absent means as negotiated, and any revision
/// with sessions that is served is answered as negotiated.
pub(crate) fn check_legacy_header(header: Option<&str>) -> Result<(), McpError> {
    match header {
        Some(version) if LegacyVersion::parse(version).is_none() => Err(McpError::new(
            INVALID_REQUEST,
            format!(
                "header {} is {version:?}, which this server does not speak; it speaks {}",
                headers::PROTOCOL_VERSION_HEADER,
                LegacyVersion::ALL.map(LegacyVersion::as_str).join(", ")
            ),
        )),
        _ => Ok(()),
    }
}

/// The version header of a message that is not answered, where nothing else tells its revision:
/// any that is served.
pub(crate) fn check_any_header(header: Option<&str>) -> Result<(), McpError> {
    match header {
        Some(version) if ModernVersion::parse(version).is_some() => Ok(()),
        header => check_legacy_header(header),
    }
}

/// Holds a stateless request against its `_meta` and its headers. `None`: a transport that has
/// no headers.
pub(crate) fn admit(
    request: &Request,
    meta: &Meta,
    headers: Option<&HeaderMap>,
    pages: impl FnOnce() -> std::sync::Arc<Pages>,
) -> Result<ModernVersion, McpError> {
    let version = match &meta.version {
        Some(Value::String(version)) => version,
        Some(other) => {
            return Err(lacking(
                PROTOCOL_VERSION,
                &format!("must be a string, found {other}"),
            ));
        }
        None => return Err(lacking(PROTOCOL_VERSION, "is missing")),
    };
    match &meta.capabilities {
        Some(Value::Object(_)) => {}
        Some(_) => return Err(lacking(CLIENT_CAPABILITIES, "must be an object")),
        None => {
            return Err(lacking(
                CLIENT_CAPABILITIES,
                "is missing; send {} when there are none",
            ));
        }
    }
    if let Some(headers) = headers {
        headers::check_version(headers, version)?;
    }
    let served = ModernVersion::parse(version).ok_or_else(|| {
        let supported = ModernVersion::ALL.map(ModernVersion::as_str);
        McpError::new(
            UNSUPPORTED_VERSION,
            format!(
                "unsupported protocol version {version:?}; stateless requests are served for {}",
                supported.join(", ")
            ),
        )
        .with_data(json!({ "supported": supported, "requested": version }))
    })?;
    let Some(headers) = headers else {
        return Ok(served);
    };
    headers::check_method(headers, &request.method)?;
    match request.method.as_str() {
        "tools/call" => {
            headers::check_name(headers, meta.name.as_deref())?;
            check_mirrored(request, meta, headers, &pages())?;
        }
        "prompts/get" => headers::check_name(headers, meta.name.as_deref())?,
        "resources/read" => headers::check_name(headers, meta.uri.as_deref())?,
        _ => {}
    }
    Ok(served)
}

/// Arguments that the tool's schema wants repeated in headers.
fn check_mirrored(
    request: &Request,
    meta: &Meta,
    headers: &HeaderMap,
    pages: &Pages,
) -> Result<(), McpError> {
    let Some(facts) = meta.name.as_deref().and_then(|name| pages.facts(name)) else {
        return Ok(());
    };
    if facts.mirrored.is_empty() {
        return Ok(());
    }
    let params: Map<String, Value> = serde_json::from_str(request.params.as_json())
        .map_err(|error| McpError::invalid_params(format!("invalid params: {error}")))?;
    for (path, header) in &facts.mirrored {
        let value = path
            .iter()
            .try_fold(params.get("arguments"), |node, key| match node {
                Some(Value::Object(map)) => Some(map.get(key)),
                _ => None,
            });
        headers::check_param(headers, header, value.flatten())?;
    }
    Ok(())
}

fn lacking(key: &str, what: &str) -> McpError {
    McpError::invalid_params(format!(
        "invalid params: params._meta[\"{key}\"] {what}; a client of a revision with sessions starts with initialize instead"
    ))
}
