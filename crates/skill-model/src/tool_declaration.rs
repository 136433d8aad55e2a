//! What `tools.yaml` says of one tool.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::JsonObject;

/// So many seconds a server gives a call at most, whatever its tool asks for, unless it is set up otherwise.
pub const LONGEST_DEADLINE_SECS: u64 = 600;

/// A tool as its author declared it: the seed's table, with what the loader found beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the flags are the file format's own"
)]
pub struct ToolDeclaration {
    /// Unique in the skill; the author's spelling.
    pub name: String,
    /// For people and models; the skill's description stands in when it is empty.
    pub description: String,
    /// JSON Schema of the arguments; `None` means any object.
    pub input_schema: Option<JsonObject>,
    /// JSON Schema of the structured result.
    pub output_schema: Option<JsonObject>,
    /// Further words under which search finds the tool; never part of its name or arguments.
    pub search_aliases: Vec<String>,
    /// Reads only; `false` when not written.
    pub read_only: bool,
    /// May destroy something; `false` when not written, `true` when written unreadably.
    pub destructive: bool,
    /// The same arguments have the same effect; `false` when not written.
    pub idempotent: bool,
    /// The author asks for the schema to be shown only after loading.
    pub defer_loading: bool,
    /// The script, relative to the skill folder; empty: looked up by name.
    pub source_file: String,
    /// What the tool needs of the host, trimmed, each once, in the given order.
    pub required_capabilities: Vec<String>,
    /// The group it belongs to; empty: always active.
    pub group: String,
    /// Hints for clients, only those the author wrote.
    pub annotations: ToolAnnotations,
    /// Whether the call may outlast a request.
    pub execution: Execution,
    /// A longer deadline for this tool, in seconds.
    pub timeout_hint_secs: Option<u64>,
    /// Whether it must run on the host's main thread.
    pub affinity: Affinity,
    /// Whether it can run only inside the host's process.
    pub requires_in_process: bool,
    /// What to do next, on success and on failure.
    pub next_tools: NextTools,
    /// Declared keys that are kept and shown but mean nothing to Metier (`intent`, `risk`, …).
    pub extra: Map<String, Value>,
    /// The script that runs it.
    pub script: ScriptLookup,
    /// Why every call is refused although the tool is listed.
    pub refusal: Option<ToolRefusal>,
}

impl ToolDeclaration {
    /// A tool of which only the name is known: every other field has its default.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// Hints for MCP clients. A hint that the author did not write is absent, because silence is not
/// a claim of safety.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// May destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// May be repeated without further effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// Reaches beyond the host (network, other programs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Whether a call answers at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Execution {
    /// The call answers when the work is done.
    #[default]
    Sync,
    /// The work may take long.
    Async,
}

/// Which thread of a host a tool needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Affinity {
    /// Any.
    #[default]
    Any,
    /// The host's main thread.
    Main,
}

/// Tools that the author suggests after a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NextTools {
    /// After a success.
    pub on_success: Vec<String>,
    /// After a failure.
    pub on_failure: Vec<String>,
}

/// What was found for a tool when its script was looked up.
///
/// Paths are relative to the skill folder with `/` between their parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "found")]
#[non_exhaustive]
pub enum ScriptLookup {
    /// Nothing fits: the tool is listed, and a call answers `no script for tool`.
    #[default]
    None,
    /// This file.
    Script {
        /// Its path.
        path: String,
    },
    /// The declared file does not exist.
    Missing {
        /// The declared path.
        path: String,
        /// A file whose name differs in letter case alone.
        similar: Option<String>,
    },
}

/// Why a listed tool refuses every call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolRefusal {
    /// One sentence for the caller, without absolute paths.
    pub reason: String,
}

impl ToolRefusal {
    /// A refusal with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
