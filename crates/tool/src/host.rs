//! Running a script inside a host application.

use std::path::PathBuf;

use metier_skill_model::Affinity;
use serde_json::{Map, Value};

use crate::{BoxFuture, CallContext, ToolError, ToolOutput};

/// A script that a host is asked to run in its own process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HostJob {
    /// The skill whose tool it is.
    pub skill_name: String,
    /// The tool as declared.
    pub tool_name: String,
    /// The folder of the skill.
    pub skill_dir: PathBuf,
    /// The script, absolute and known to lie in the folder.
    pub script: PathBuf,
    /// Which thread it needs.
    pub affinity: Affinity,
    /// The arguments, repaired and validated.
    pub arguments: Map<String, Value>,
}

impl HostJob {
    /// A job.
    pub fn new(
        skill_name: impl Into<String>,
        tool_name: impl Into<String>,
        skill_dir: PathBuf,
        script: PathBuf,
        affinity: Affinity,
        arguments: Map<String, Value>,
    ) -> Self {
        Self {
            skill_name: skill_name.into(),
            tool_name: tool_name.into(),
            skill_dir,
            script,
            affinity,
            arguments,
        }
    }
}

/// A host application that runs scripts inside itself: the main thread of Maya, an interpreter
/// that stays open. Tools that say so, and all tools of a server that requires a host, run here.
pub trait HostExecutor: Send + Sync {
    /// Runs the script and answers with its output. The deadline and the cancellation are in the
    /// context; a host that cannot stop a running script answers when it ends.
    fn execute(
        &self,
        job: HostJob,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>>;
}
