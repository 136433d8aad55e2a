//! A call, and how it can fail before a tool has anything to say.

use std::fmt;
use std::sync::Arc;

use metier_capability::CapabilityMissing;
use metier_tool::{ArgumentFault, CallEvents, Cancellation, NoEvents};
use metier_workspace_roots::{WorkspaceResolveError, WorkspaceRoots};
use serde_json::{Map, Value};

/// One call of a tool.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallRequest {
    /// A wire name, a canonical one, `skill-name__tool`, or a declared name that only one loaded
    /// tool has.
    pub name: String,
    /// The arguments as they came. Absent and `null` mean none; anything but an object is refused.
    pub arguments: Option<Value>,
    /// What of the arguments could not be read as it was sent, so that no value says it. Such a call is refused where
    /// arguments are looked at, behind the gate.
    pub faults: Vec<ArgumentFault>,
    /// The client's session.
    pub session: Option<String>,
    /// Whether the answer is still wanted.
    pub cancel: Cancellation,
    /// Where progress and log lines go.
    pub events: Arc<dyn CallEvents>,
    /// The client's workspace; `None`: the server's.
    pub roots: Option<Arc<WorkspaceRoots>>,
    /// What the client was asked before the call and answered, by question.
    pub answers: Map<String, Value>,
}

impl CallRequest {
    /// A call without a session, which is never cancelled and whose progress nobody hears.
    pub fn new(name: impl Into<String>, arguments: Option<Value>) -> Self {
        Self {
            name: name.into(),
            arguments,
            faults: Vec::new(),
            session: None,
            cancel: Cancellation::never(),
            events: Arc::new(NoEvents),
            roots: None,
            answers: Map::new(),
        }
    }
}

impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("name", &self.name)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Why a call has no answer of a tool: an error of the protocol, not of the tool.
///
/// Everything a model can mend itself (wrong arguments, a skill that is not loaded, a refusal by
/// policy, a script that failed) is an output with `is_error` instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No tool has this name.
    #[error("unknown tool: {name}{}", offer(.nearest))]
    UnknownTool {
        /// The name as called.
        name: String,
        /// Names that look like it, best first.
        nearest: Vec<String>,
    },
    /// The arguments are not an object.
    #[error("arguments must be an object, found {found}")]
    ArgumentsNotObject {
        /// What came instead.
        found: &'static str,
    },
    /// The host lacks what the tool needs.
    #[error(transparent)]
    CapabilityMissing(#[from] CapabilityMissing),
    /// A path argument cannot be resolved against the workspace.
    #[error("{argument}: {error}")]
    Roots {
        /// The argument.
        argument: String,
        /// Why.
        error: WorkspaceResolveError,
    },
    /// The caller gave up, or the server is going down.
    #[error("the call was cancelled")]
    Cancelled,
    /// A bug in the tool's code. The details are in the log.
    #[error("the tool failed unexpectedly; the server's log has the details")]
    Internal,
}

fn offer(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let names: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
    format!(" (did you mean {}?)", names.join(" or "))
}
