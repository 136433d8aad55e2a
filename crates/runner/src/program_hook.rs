//! A program as a handler of lifecycle events.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use metier_hooks::{HookContext, HookEvent, HookFailure, HookResult, NamePattern, Registration};
use tokio_util::sync::CancellationToken;

use crate::resolve_error::Fault;
use crate::{
    EnvLookup, EnvironmentPolicy, FirstLineFault, Gate, Job, Limits, Program, Progress, RunError,
    RunEvents, ScriptKind, first_line, hook_answer, run,
};

/// How long a program may take unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long a program at its limit may take to end, and how much later whoever dispatches gives up.
const GRACE: Duration = Duration::from_millis(500);
const MARGIN: Duration = Duration::from_secs(2);

/// How long it may wait for its turn among the programs that run at once; its own time begins when it starts.
const TURN: Duration = Duration::from_secs(30);

/// What an answer may print.
const OUTPUT: usize = 256 << 10;

/// A program that is told of events and may refuse: the event as one JSON object on standard input, the
/// answer by exit code or by a JSON object on standard output.
///
/// | ends with | means |
/// |---|---|
/// | exit code 0 | no objection; `{"decision": "deny", "reason": "…", "hint": "…"}` on standard output refuses, and `extra` in it is left for later handlers |
/// | exit code 2 | refused, the reason is what it wrote to standard error |
/// | anything else | it failed: no decision, a refusal where [`fail_closed`](Self::fail_closed) or where the JSON object denies |
/// | its time limit | refused on a policy event |
///
/// It runs as scripts do: a deadline, the whole process tree ended, a cap on output, an environment by
/// allow-list. It is looked up anew for every event.
///
/// ```
/// use metier_hooks::{HookEvent, LifecycleHooks};
/// use metier_runner::{EnvLookup, ProgramHook};
///
/// let hooks = LifecycleHooks::new();
/// let policy = ProgramHook::new(["python3", "hooks/policy.py"], "/studio")
///     .environment(EnvLookup::from_process(), Default::default())
///     .only("scene__*")
///     .fail_closed();
/// hooks.register(policy.registration(HookEvent::BeforeToolCall));
/// ```
#[derive(Clone, Debug)]
#[must_use = "a hook does nothing until its registration is handed to `LifecycleHooks::register`"]
pub struct ProgramHook {
    command: Vec<OsString>,
    folder: PathBuf,
    environment: EnvLookup,
    policy: EnvironmentPolicy,
    limits: Limits,
    gate: Gate,
    only: Vec<NamePattern>,
    fail_closed: bool,
    name: Option<String>,
}

/// Why a hook's program cannot be run. The message is for an operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramHookError {
    /// The command is empty.
    #[error("the command is empty: expected a program and its arguments")]
    NoProgram,
    /// The program cannot be used.
    #[error("`{}` {fault}", program.display())]
    Program {
        /// As it was named.
        program: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The system would not start the program.
    #[error("`{}` {fault}", program.display())]
    FirstLine {
        /// As it was named.
        program: PathBuf,
        /// What is wrong with its first line.
        fault: FirstLineFault,
    },
    /// The script that the program is to read is not there.
    #[error("`{}` does not exist", script.display())]
    Script {
        /// The script, with the folder it was looked for in.
        script: PathBuf,
    },
}

impl ProgramHook {
    /// A program with its arguments. A bare name is looked up on the `PATH` of the environment, everything
    /// relative starts from `folder`, where the program also runs.
    pub fn new<A: Into<OsString>>(
        command: impl IntoIterator<Item = A>,
        folder: impl Into<PathBuf>,
    ) -> Self {
        let folder: PathBuf = folder.into();
        let here = folder.as_os_str().is_empty();
        Self {
            command: command.into_iter().map(Into::into).collect(),
            folder: if here { PathBuf::from(".") } else { folder },
            environment: EnvLookup::default(),
            policy: EnvironmentPolicy::default(),
            limits: Limits {
                deadline: TIMEOUT,
                grace: GRACE,
                output_bytes: OUTPUT,
                // All of it: a second answer is looked for there.
                noise_bytes: OUTPUT,
                ..Limits::default()
            },
            gate: Gate::default(),
            only: Vec::new(),
            fail_closed: false,
            name: None,
        }
    }

    /// The environment that the program is looked up in, and which part of it the program sees.
    pub fn environment(mut self, environment: EnvLookup, policy: EnvironmentPolicy) -> Self {
        self.environment = environment;
        self.policy = policy;
        self
    }

    /// How long it may take. Five seconds unless told otherwise.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.deadline = limit;
        self
    }

    /// Is told of events about tools and skills of such a name alone; may be called several times.
    /// Events that are about neither are not told then.
    pub fn only(mut self, pattern: impl Into<String>) -> Self {
        self.only.push(NamePattern::new(pattern));
        self
    }

    /// Whether events about a tool or skill of this name are told.
    pub fn is_for(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|pattern| pattern.fits(name))
    }

    /// Its failure refuses what is about to happen.
    pub fn fail_closed(mut self) -> Self {
        self.fail_closed = true;
        self
    }

    /// What bounds how many run at once. Not the gate of the scripts: a policy must not wait for them.
    pub fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// What the log calls it; otherwise its command.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The executable that would be started now, as an absolute path. Looks at the disk.
    ///
    /// # Errors
    /// See [`ProgramHookError`].
    pub fn find(&self) -> Result<PathBuf, ProgramHookError> {
        Ok(self.program()?.interpreter)
    }

    /// The handler for an event. It needs a tokio runtime.
    pub fn registration(self, event: HookEvent) -> Registration {
        let name = self.name.clone().unwrap_or_else(|| self.shown());
        // Each step has its own limit, which comes first.
        let limit = self
            .own_time()
            .saturating_mul(2)
            .saturating_add(TURN + MARGIN);
        let fail_closed = self.fail_closed;
        let hook = Arc::new(self);
        let registration = Registration::future(event, move |context| {
            let hook = Arc::clone(&hook);
            async move { hook.ask(&context).await }
        });
        let registration = registration.name(name).limit(limit);
        if fail_closed {
            registration.fail_closed()
        } else {
            registration
        }
    }

    /// How long it may take, and to end after that.
    fn own_time(&self) -> Duration {
        self.limits.deadline.saturating_add(MARGIN)
    }

    fn shown(&self) -> String {
        let words = self.command.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }

    async fn ask(self: &Arc<Self>, context: &HookContext) -> HookResult {
        if !self.only.is_empty() && !self.only.iter().any(|pattern| pattern.is_about(context)) {
            return Ok(());
        }
        // On a thread that may block: programs stand on network drives too.
        let hook = Arc::clone(self);
        let looked_up = tokio::task::spawn_blocking(move || hook.job());
        let mut job = tokio::time::timeout(self.own_time(), looked_up)
            .await
            .map_err(|_| HookFailure::Late("its program could not be looked up in that time; perhaps its drive does not answer".to_owned()))?
            .map_err(|error| HookFailure::Failed(error.to_string()))?
            .map_err(|error| HookFailure::Failed(error.to_string()))?;
        job.input = context.to_json();
        // Sessions take turns, as they do for scripts.
        job.asker.clone_from(&context.session_id);
        let events = Arc::new(Logged(self.shown()));
        self.gate.watch(&mut job);
        let place = tokio::time::timeout(TURN, self.gate.place(&job))
            .await
            .map_err(|_| {
                HookFailure::Late(format!(
                    "for {} s it had no turn among the programs that run at once",
                    TURN.as_secs()
                ))
            })?
            .map_err(not_asked)?;
        let answer = run(job, &self.limits, CancellationToken::new(), events);
        let report = tokio::time::timeout(self.own_time(), answer)
            .await
            .map_err(|_| {
                HookFailure::Late(format!(
                    "its run was not over {} s after its turn had come",
                    self.own_time().as_secs_f64()
                ))
            })?
            .map_err(not_asked)?;
        drop(place);
        let (answer, extra) = hook_answer::of(&report);
        if let Err(HookFailure::Deny(_)) = &answer
            && let Some(wrong) = hook_answer::wrong_beside(&report)
        {
            let hook = self.name.clone().unwrap_or_else(|| self.shown());
            tracing::warn!(%hook, error = %wrong, "a hook refused, and something is wrong beside that");
        }
        for (key, value) in extra {
            context.set_extra(key, value);
        }
        answer
    }

    fn job(&self) -> Result<Job, ProgramHookError> {
        let mut job = Job::new(self.program()?, &self.folder);
        job.environment = self.policy.filter(self.environment.vars());
        Ok(job)
    }

    fn program(&self) -> Result<Program, ProgramHookError> {
        let Some((named, arguments)) = self.command.split_first() else {
            return Err(ProgramHookError::NoProgram);
        };
        let named = PathBuf::from(named);
        let lookup = self.environment.clone().in_folder(&self.folder);
        let executable = lookup
            .named(&named)
            .map_err(|fault| ProgramHookError::Program {
                program: named.clone(),
                fault,
            })?;
        let executable = std::path::absolute(&executable).unwrap_or(executable);
        if let Some(fault) = first_line::fault(&executable) {
            return Err(ProgramHookError::FirstLine {
                program: named,
                fault,
            });
        }
        self.check_script(arguments)?;
        Ok(Program {
            interpreter: executable.clone(),
            arguments: arguments.to_vec(),
            script: executable,
            kind: ScriptKind::Executable,
            named_by: None,
        })
    }

    /// A first argument that has the extension of a script is one. Interpreters end with 2 when they
    /// cannot find theirs, which would pass for a refusal.
    fn check_script(&self, arguments: &[OsString]) -> Result<(), ProgramHookError> {
        let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
        let first = arguments.iter().find(|word| !is_option(word));
        match first.map(Path::new) {
            Some(script)
                if ScriptKind::of(script).is_some() && !self.folder.join(script).is_file() =>
            {
                Err(ProgramHookError::Script {
                    script: self.folder.join(script),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Why a program did not run. What a flood of calls or of connections can bring about is no failure of the hook, which was
/// not asked: as one that is late it refuses what it may refuse, or whoever floods the server would get past it.
fn not_asked(error: RunError) -> HookFailure {
    match error {
        RunError::Busy { waiting } | RunError::BusyWithOwn { waiting } => {
            HookFailure::Late(format!(
                "it was not asked, because {waiting} hooks wait for their turn already, which is all that may"
            ))
        }
        RunError::Exhausted { .. } | RunError::Unreachable { .. } => {
            HookFailure::Late(format!("it was not asked: {error}"))
        }
        error => {
            let detail = error.operator_detail().unwrap_or_default();
            HookFailure::Failed(format!("{error} {detail}").trim_end().to_owned())
        }
    }
}

/// What a hook says beside its answer, for whoever looks for a fault in it.
struct Logged(String);

impl RunEvents for Logged {
    fn progress(&self, _progress: Progress) {}

    fn log(&self, line: &str) {
        tracing::debug!(hook = %self.0, "{line}");
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn what_a_client_can_bring_about_is_no_failure_of_the_hook() {
        let source = || io::Error::other("x");
        let limit = Duration::from_secs(1);
        for error in [
            RunError::Busy { waiting: 1 },
            RunError::BusyWithOwn { waiting: 1 },
            RunError::Exhausted { source: source() },
            RunError::Unreachable { limit },
        ] {
            assert!(matches!(not_asked(error), HookFailure::Late(_)));
        }
        let system = not_asked(RunError::System { source: source() });
        assert!(matches!(system, HookFailure::Failed(_)));
    }
}
