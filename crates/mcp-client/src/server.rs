//! The seam to whatever carries the messages.

use std::fmt;
use std::pin::Pin;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

/// An answer that a server still owes.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ServerFault>> + Send + 'a>>;

/// What a server said of itself when it was connected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Declared {
    /// What it calls itself. Shown, and nothing more: the host knows a server by its label.
    pub name: String,
    /// Its version, as it says.
    pub version: String,
    /// The revision of the protocol that is spoken.
    pub revision: String,
    /// The extension `io.modelcontextprotocol/skills`.
    pub skills: bool,
    /// The capability `resources`; without it no skill is asked for.
    pub resources: bool,
    /// The capability `prompts`.
    pub prompts: bool,
}

/// One page of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The entries as they came; each is judged alone, so that a bad one costs no other.
    pub items: Vec<Value>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// Why a server gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ServerFault {
    /// The connection is gone.
    #[error("the server is gone: {0}")]
    Gone(String),
    /// It answered with an error.
    #[error("the server refused ({code}): {message}")]
    Refused {
        /// The JSON-RPC code.
        code: i64,
        /// Its words, on one line.
        message: String,
    },
    /// What it sent is not what the protocol says.
    #[error("the server's answer cannot be read: {0}")]
    Unreadable(String),
    /// It took too long.
    #[error("the server did not answer within {seconds} s")]
    Late {
        /// The limit.
        seconds: u64,
    },
}

/// A connected server, as far as skills go. Each method sends one request.
///
/// Implementations keep no answers: what is asked again is sent again. They bound what one answer may hold
/// in memory; how long an answer may take is the caller's business.
pub trait SkillServer: Send + Sync + fmt::Debug {
    /// What it declared.
    fn declared(&self) -> Declared;
    /// `skills/list`.
    fn skills(&self, cursor: Option<String>) -> Answer<'_, Page>;
    /// `skills/get`: the entry.
    fn skill(&self, uri: String) -> Answer<'_, Value>;
    /// `resources/list`.
    fn resources(&self, cursor: Option<String>) -> Answer<'_, Page>;
    /// `prompts/list`.
    fn prompts(&self, cursor: Option<String>) -> Answer<'_, Page>;
    /// `prompts/get`: the result.
    fn prompt(&self, name: String, arguments: Map<String, Value>) -> Answer<'_, Value>;
    /// `resources/read`: the bytes of the one content.
    fn read(&self, uri: String) -> Answer<'_, Vec<u8>>;
}
