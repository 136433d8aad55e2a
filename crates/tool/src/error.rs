//! How a handler fails.

use std::fmt;

use serde::Serialize;

use crate::ToolOutput;

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArgumentFault {
    /// The argument as a path: `radius`, `names[2]`, `frame.start`; empty for the arguments as a
    /// whole.
    pub path: String,
    /// What was wanted and what came.
    pub message: String,
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Why a call has no output.
///
/// A tool that ran and failed answers with a [`crate::ToolOutput`] whose `is_error` is set, so that
/// what it did before is kept.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The caller gave up, or the server is going down.
    #[error("the call was cancelled")]
    Cancelled,
    /// The arguments passed the schema but not the tool's own reading.
    #[error("invalid arguments: {}", join(.0))]
    InvalidArguments(Vec<ArgumentFault>),
    /// The tool answers with this failure: a typed function's way to say more than a text.
    #[error("{}", .0.joined_text())]
    Refused(Box<ToolOutput>),
    /// The tool could not run; the text is for the caller and holds no absolute path.
    #[error("{0}")]
    Failed(String),
}

fn join(faults: &[ArgumentFault]) -> String {
    faults
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
