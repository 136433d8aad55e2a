//! What a running tool knows of its call, and how it speaks before it answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Map, Value};

use crate::{BoxFuture, ToolOutput};

/// Everything about a call but its arguments. Cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub struct CallContext {
    /// Unique among the calls of this process; also in the log.
    pub call_id: String,
    /// The listed name of the tool.
    pub tool_name: String,
    /// The client's session, when there is one.
    pub session: Option<String>,
    /// How long the call may run, counted from the moment the work starts; `None`: as the handler
    /// likes.
    pub deadline: Option<Duration>,
    /// Whether the caller still wants the answer.
    pub cancel: Cancellation,
    /// Where progress and log lines go.
    pub events: Arc<dyn CallEvents>,
    /// The client's workspace.
    pub roots: Arc<WorkspaceRoots>,
    /// What the client was asked before the call and answered, by question.
    pub answers: Arc<Map<String, Value>>,
}

impl CallContext {
    /// A context that is never cancelled, has no deadline and drops what is told to it: for tests
    /// and for hosts that call a handler directly.
    pub fn new(tool_name: impl Into<String>, call_id: impl Into<String>) -> Self {
        Self {
            call_id: call_id.into(),
            tool_name: tool_name.into(),
            session: None,
            deadline: None,
            cancel: Cancellation::never(),
            events: Arc::new(NoEvents),
            roots: Arc::new(WorkspaceRoots::default()),
            answers: Arc::default(),
        }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("call_id", &self.call_id)
            .field("tool_name", &self.tool_name)
            .field("session", &self.session)
            .field("deadline", &self.deadline)
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

/// One step of long work.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far; rises from one report to the next.
    pub progress: f64,
    /// How far it will go, where that is known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// How grave a log line is: the levels of RFC 5424, as MCP has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the standard's")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// A line a tool wrote beside its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// How grave.
    pub level: LogLevel,
    /// Who wrote it, usually the tool's name.
    pub logger: String,
    /// The line, without its end.
    pub text: String,
}

/// How a program that a tool ran came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnd {
    /// Its exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// How many bytes it wrote to standard output, those that were dropped included.
    pub output_bytes: u64,
}

/// Where a call's progress and log lines go. Must not block.
pub trait CallEvents: Send + Sync {
    /// A step of the work is done.
    fn progress(&self, progress: Progress);
    /// The tool wrote a line.
    fn log(&self, line: LogLine);
    /// A program that the tool ran has ended: for whoever keeps a record of calls.
    fn program_ended(&self, _end: &ProgramEnd) {}
    /// The result is there and will not be another one. Hooks after the call hear of it before the caller gets it: for
    /// whoever may have to end without waiting for them.
    fn answered(&self, _output: &Arc<ToolOutput>) {}
}

/// Drops everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl CallEvents for NoEvents {
    fn progress(&self, _: Progress) {}
    fn log(&self, _: LogLine) {}
}

/// A source of cancellation, provided by whoever has a runtime.
pub trait CancelSignal: Send + Sync {
    /// Whether it has fired.
    fn is_cancelled(&self) -> bool;
    /// Completes when it fires; never, if it does not.
    fn cancelled(&self) -> BoxFuture<'static, ()>;
}

/// Whether a caller still wants an answer.
#[derive(Clone, Default)]
pub struct Cancellation(Option<Arc<dyn CancelSignal>>);

impl Cancellation {
    /// One that never fires.
    pub fn never() -> Self {
        Self(None)
    }

    /// One that fires with the signal.
    pub fn new(signal: Arc<dyn CancelSignal>) -> Self {
        Self(Some(signal))
    }

    /// Whether it has fired.
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|signal| signal.is_cancelled())
    }

    /// Completes when it fires.
    pub fn cancelled(&self) -> BoxFuture<'static, ()> {
        match &self.0 {
            Some(signal) => signal.cancelled(),
            None => Box::pin(std::future::pending()),
        }
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancellation")
            .field(&self.is_cancelled())
            .finish()
    }
}
