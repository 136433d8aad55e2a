//! A message on its way in, and what its transport knows of it.

use http::HeaderMap;

use crate::error::McpError;
use crate::headers::{PROTOCOL_VERSION_HEADER, single};
use crate::outbound::Streaming;

/// One message on its way in, with what its transport knows.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Incoming {
    /// The bytes of one JSON-RPC message.
    pub body: Vec<u8>,
    /// The headers it came with; `None` on a transport that has none, which then mirrors nothing.
    pub headers: Option<HeaderMap>,
    /// The id of the session it belongs to.
    pub session: Option<String>,
    /// Whether messages may go ahead of the answer.
    pub streaming: Streaming,
}

impl Incoming {
    /// A message from a transport without headers.
    pub fn new(body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::default()
        }
    }
}

/// What the transport told about a message.
pub(crate) struct Way<'a> {
    pub(crate) headers: Option<&'a HeaderMap>,
    pub(crate) session: Option<&'a str>,
    pub(crate) streaming: Streaming,
}

impl<'a> Way<'a> {
    /// `initialize` does not look at the header, so nothing about it can be wrong.
    pub(crate) fn version_header(&self, method: &str) -> Result<Option<&'a str>, Refused> {
        match self.headers {
            Some(headers) if method != "initialize" => {
                single(headers, PROTOCOL_VERSION_HEADER).map_err(Refused::bad)
            }
            _ => Ok(None),
        }
    }
}

/// A message that no method gets to see.
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) error: McpError,
}

impl Refused {
    pub(crate) fn bad(error: McpError) -> Self {
        Self { status: 400, error }
    }
}
