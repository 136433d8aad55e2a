//! A declared script as a tool that can be called.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use metier_loader::{LoadedSkill, ReadFileError};
use metier_runner::{Allowance, Job, LongOptions, RunEvents, ScriptKind, long_options};
use metier_skill_model::{Affinity, ScriptLookup, ToolDeclaration};
use metier_tool::{
    BoxFuture, CallContext, CallEvents, HostJob, LogLevel, LogLine, ProgramEnd, Progress,
    ToolError, ToolHandler, ToolOutput,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::script_result;
use crate::settings::RunSettings;
use crate::state::Shared;

/// Runs one tool's script, in the host application where the tool says so and there is one,
/// otherwise as a program of its own.
pub(crate) struct ScriptHandler {
    /// Weak, because the state owns the tools that own their handlers.
    shared: Weak<Shared>,
    skill: Arc<LoadedSkill>,
    tool_name: String,
    script: ScriptLookup,
    affinity: Affinity,
    requires_in_process: bool,
}

impl ScriptHandler {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        skill: &Arc<LoadedSkill>,
        tool: &ToolDeclaration,
    ) -> Self {
        Self {
            shared: Arc::downgrade(shared),
            skill: Arc::clone(skill),
            tool_name: tool.name.clone(),
            script: tool.script.clone(),
            affinity: tool.affinity,
            requires_in_process: tool.requires_in_process,
        }
    }

    /// The file to run, looked up again at every call: it may have gone since the skill was loaded.
    fn script(&self) -> Result<PathBuf, ToolError> {
        match &self.script {
            ScriptLookup::Script { path } => self.skill.files.resolve(path).map_err(|error| {
                ToolError::Failed(match error {
                    ReadFileError::NotFound { path } => format!("script not found: {path}"),
                    other => format!("the script cannot be run: {other}"),
                })
            }),
            ScriptLookup::Missing { path, similar } => {
                let offer = similar.as_ref().map_or_else(
                    || "; `metier check` shows the place and the cure".to_owned(),
                    |similar| format!("; there is `{similar}`, and letter case counts"),
                );
                Err(ToolError::Failed(format!(
                    "script not found: {path}{offer}"
                )))
            }
            _ => Err(ToolError::Failed(format!(
                "no script for tool `{}`: set `source_file`, or name a script in `scripts/` after the tool",
                self.tool_name
            ))),
        }
    }

    /// Whether the tool belongs into the host, and what to say when there is none.
    fn needs_host(&self, run: &RunSettings, script: &Path) -> Result<bool, ToolError> {
        let main = self.affinity == Affinity::Main;
        if run.host.is_some() {
            return Ok(run.runs_in_host(self.affinity, self.requires_in_process, script));
        }
        let why = if self.requires_in_process {
            "it can run only inside the application"
        } else if main && run.require_host {
            "it needs the application's main thread"
        } else {
            return Ok(false);
        };
        Err(ToolError::Failed(format!(
            "the tool `{}` needs a host: {why}, and no application is attached to this server; whoever runs it \
             starts the adapter that `metier host-adapter` prints in the application and names its file with --attach",
            self.tool_name
        )))
    }

    fn job(
        &self,
        run: &RunSettings,
        script: &Path,
        arguments: Map<String, Value>,
        context: &CallContext,
    ) -> Result<Job, ToolError> {
        let metadata = &self.skill.metadata;
        let program = run
            .interpreters
            .resolve(script, Some(metadata.dcc.as_str()), &run.environment)
            .map_err(|error| {
                tell_operator(&context.tool_name, error.operator_detail(), &error);
                ToolError::Failed(error.to_string())
            })?;
        let mut job = Job::new(program, self.skill.files.folder());
        job.input = arguments;
        job.asker.clone_from(&context.session);
        job.environment = run.environment_policy.filter(run.environment.vars());
        let roots: Vec<_> = context
            .roots
            .roots()
            .iter()
            .map(|root| root.to_string_lossy())
            .collect();
        let call: [(&str, OsString); 5] = [
            ("DCC_MCP_SKILL_DIR", self.skill.files.folder().into()),
            ("DCC_MCP_SKILL_NAME", metadata.name.as_str().into()),
            ("DCC_MCP_TOOL_NAME", self.tool_name.as_str().into()),
            ("DCC_MCP_CALL_ID", context.call_id.as_str().into()),
            (
                "DCC_MCP_WORKSPACE_ROOTS",
                serde_json::json!(roots).to_string().into(),
            ),
        ];
        job.environment
            .extend(call.map(|(name, value)| (name.into(), value)));
        Ok(job)
    }
}

impl ToolHandler for ScriptHandler {
    fn call(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let Some(shared) = self.shared.upgrade() else {
                return Err(ToolError::Cancelled);
            };
            let run = &shared.settings.run;
            let script = self.script()?;
            if self.needs_host(run, &script)?
                && let Some(host) = &run.host
            {
                let job = HostJob::new(
                    self.skill.metadata.name.as_str(),
                    self.tool_name.as_str(),
                    self.skill.files.folder().to_owned(),
                    script,
                    self.affinity,
                    arguments,
                );
                let mut context = context;
                context.deadline.get_or_insert(run.limits.deadline);
                // An application is as talkative as a script.
                context.events = Arc::new(Within {
                    allowance: Allowance::new(&run.limits),
                    to: context.events,
                });
                return host.execute(job, context).await;
            }
            let mut job = self.job(run, &script, arguments, &context)?;
            let line = run.argv.then(|| command_line(&mut job));
            let mut limits = run.limits.clone();
            if let Some(deadline) = context.deadline {
                limits.deadline = deadline;
            }
            let events = Arc::new(Forward {
                to: Arc::clone(&context.events),
                logger: context.tool_name.clone(),
            });
            // The token fires when the call is cancelled, and also when this future is dropped.
            let token = CancellationToken::new();
            let fired = token.clone();
            let gate = run.gate.clone();
            let mut running = Box::pin(gate.run(job, &limits, token, events));
            let report = tokio::select! {
                report = &mut running => report,
                () = context.cancel.cancelled() => {
                    fired.cancel();
                    running.await
                }
            };
            match report {
                Ok(report) => {
                    context.events.program_ended(&script_result::end(&report));
                    script_result::output(report, line.as_ref())
                }
                Err(error) => {
                    tell_operator(&context.tool_name, error.operator_detail(), &error);
                    Err(ToolError::Failed(error.to_string()))
                }
            }
        })
    }
}

/// Gives a script its arguments as options too, as far as they can be some; a batch file none, which would read them as
/// commands.
fn command_line(job: &mut Job) -> LongOptions {
    if job.program.kind == ScriptKind::Batch {
        return LongOptions::default();
    }
    let mut line = long_options(&job.input);
    job.script_arguments = std::mem::take(&mut line.options);
    line
}

/// The caller is told the error; the path behind it, which a client must not see, is for the log.
fn tell_operator(tool: &str, detail: Option<String>, error: &dyn std::error::Error) {
    if let Some(detail) = detail {
        tracing::warn!(%tool, "{error}: {detail}");
    } else {
        tracing::debug!(%tool, "{error}");
    }
}

/// Hands a script's progress and log lines to the call.
struct Forward {
    to: Arc<dyn CallEvents>,
    logger: String,
}

impl RunEvents for Forward {
    fn progress(&self, progress: metier_runner::Progress) {
        self.to.progress(Progress {
            progress: progress.progress,
            total: progress.total,
            message: progress.message,
        });
    }

    fn log(&self, line: &str) {
        self.to.log(LogLine {
            level: LogLevel::Info,
            logger: self.logger.clone(),
            text: line.to_owned(),
        });
    }
}

/// Hands on what an application says of a call, within the bounds of a script.
struct Within {
    allowance: Allowance,
    to: Arc<dyn CallEvents>,
}

impl CallEvents for Within {
    fn progress(&self, progress: Progress) {
        if self.allowance.step(progress.progress, progress.total) {
            self.to.progress(progress);
        }
    }

    fn log(&self, line: LogLine) {
        if let Some(text) = self.allowance.line(&line.text) {
            let text = text.into_owned();
            self.to.log(LogLine { text, ..line });
        }
    }

    fn program_ended(&self, end: &ProgramEnd) {
        self.to.program_ended(end);
    }

    fn answered(&self, output: &Arc<ToolOutput>) {
        self.to.answered(output);
    }
}
