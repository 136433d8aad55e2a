//! The error a method answers with.

use serde::Serialize;
use serde_json::Value;

/// The text is no JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but no message that this protocol knows.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method in the request's era.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are not what the method takes.
pub const INVALID_PARAMS: i32 = -32602;
/// A fault of the server's own.
pub const INTERNAL_ERROR: i32 = -32603;
/// The host lacks a capability that the tool needs.
pub const CAPABILITY_MISSING: i32 = -32001;
/// A mirrored header is absent or says something else than the body (2026-07-28).
pub const HEADER_MISMATCH: i32 = -32020;
/// The client did not declare a capability that the answer needs (2026-07-28).
pub const MISSING_CLIENT_CAPABILITY: i32 = -32021;
/// The request names a revision that is not served (2026-07-28).
pub const UNSUPPORTED_VERSION: i32 = -32022;
/// A policy of the host refused; its reason and hint are in `data`.
pub const DENIED: i32 = 1001;
/// As many sessions as allowed are busy.
pub const TOO_MANY_SESSIONS: i32 = 1002;
/// As many requests as allowed are under way on one connection.
pub const TOO_MANY_REQUESTS: i32 = 1003;

/// A JSON-RPC error: what was found, what was expected, and, where it helps, facts as data.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{message} ({code})")]
#[non_exhaustive]
pub struct McpError {
    /// One of this module's codes.
    pub code: i32,
    /// For people.
    pub message: String,
    /// For programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl McpError {
    /// An error without data.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds facts for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Parameters that the method does not take.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// The server goes down while the request is under way.
    pub fn stopping() -> Self {
        Self::new(
            INTERNAL_ERROR,
            "the server is stopping and has ended this request; ask again when it is back",
        )
    }

    /// A fault of ours. The details belong in the log, never in the answer.
    pub fn internal() -> Self {
        Self::new(
            INTERNAL_ERROR,
            "internal error: the server failed on this request; its log has the details",
        )
    }
}
