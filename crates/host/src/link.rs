//! Calls that run in another process, through its adapter.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use metier_tool::{
    BoxFuture, CallContext, Content, HostExecutor, HostJob, LogLevel, LogLine, Progress, ToolError,
    ToolOutput,
};
use serde_json::{Map, Value};
use tokio::net::TcpStream;
use tokio_util::codec::{Framed, LinesCodec, LinesCodecError};

use crate::message::{JobLine, Reply, Request};
use crate::queue::too_late;
use crate::{Door, DoorError};

/// What a link waits for, and how much it reads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkLimits {
    /// How long the adapter may take to accept a connection.
    pub connect: Duration,
    /// How long a call waits for the application's main thread before it is given up, never run.
    pub begin: Duration,
    /// The longest answer, in bytes.
    pub answer: usize,
    /// What is kept of the words of a failure or a refusal, and of the end of its trace, in bytes each.
    pub words: usize,
    /// What is kept of the end of what a script printed beside its answer, in bytes.
    pub printed: usize,
}

impl Default for LinkLimits {
    /// Two seconds, two minutes, 4 MiB; 8 KiB and 16 KiB, as of a script that runs as a program.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(2),
            begin: Duration::from_mins(2),
            answer: 4 << 20,
            words: 8 << 10,
            printed: 16 << 10,
        }
    }
}

/// An application in another process. The file of its [`Door`] is read anew for every call, so the
/// application may be started after the server, and restarted.
#[derive(Clone, Debug)]
pub struct HostLink {
    door: PathBuf,
    limits: LinkLimits,
}

type Lines = Framed<TcpStream, LinesCodec>;

impl HostLink {
    /// A link to the adapter that writes `door`.
    pub fn new(door: impl Into<PathBuf>) -> Self {
        Self::with_limits(door, LinkLimits::default())
    }

    /// The same with limits of one's own.
    pub fn with_limits(door: impl Into<PathBuf>, limits: LinkLimits) -> Self {
        Self {
            door: door.into(),
            limits,
        }
    }

    /// Who is attached at present: reads the file of the door, and connects.
    ///
    /// # Errors
    /// The reason why a call would not get through, without a path of this machine.
    pub async fn probe(&self) -> Result<Door, String> {
        let (door, _) = self.open().await.map_err(|error| error.to_string())?;
        Ok(door)
    }

    async fn open(&self) -> Result<(Door, Lines), OpenError> {
        let path = self.door.clone();
        let door = tokio::task::spawn_blocking(move || Door::read(&path))
            .await
            .map_err(|_| OpenError::Unreachable)??;
        let stream = tokio::time::timeout(self.limits.connect, TcpStream::connect(door.address))
            .await
            .map_err(|_| OpenError::Unreachable)?
            .map_err(|error| {
                tracing::warn!(address = %door.address, "the attached application cannot be reached: {error}");
                OpenError::Unreachable
            })?;
        // A call is one line; it should not wait for company.
        stream.set_nodelay(true).ok();
        let lines = Framed::new(stream, LinesCodec::new_with_max_length(self.limits.answer));
        Ok((door, lines))
    }

    async fn call(&self, job: &HostJob, context: &CallContext) -> Result<ToolOutput, ToolError> {
        let (door, mut lines) = self.open().await.map_err(|error| {
            ToolError::Failed(format!(
                "the tool `{}` needs the application: {error}",
                job.tool_name
            ))
        })?;
        let roots: Vec<_> = context
            .roots
            .roots()
            .iter()
            .map(|root| root.to_string_lossy())
            .collect();
        let request = Request {
            metier_host: 1,
            secret: &door.secret,
            job: JobLine {
                skill_name: &job.skill_name,
                tool_name: &job.tool_name,
                call_id: &context.call_id,
                skill_dir: &job.skill_dir,
                script: &job.script,
                affinity: job.affinity,
                workspace_roots: roots.iter().map(AsRef::as_ref).collect(),
                arguments: &job.arguments,
            },
        };
        let line = serde_json::to_string(&request).map_err(|error| {
            ToolError::Failed(format!("the call cannot be handed over: {error}"))
        })?;
        lines.send(line).await.map_err(|_| gone())?;
        let began = tokio::time::timeout(self.limits.begin, self.next(&mut lines))
            .await
            .map_err(|_| {
                ToolError::Failed(format!(
                    "the application is busy: it did not begin within {} s, and nothing was run",
                    self.limits.begin.as_secs_f64()
                ))
            })??;
        match began {
            Reply::Begun(_) => {}
            Reply::Refused(reason) => return Err(self.refused(&reason)),
            _ => return Err(not_understood()),
        }
        let rest = self.follow(&mut lines, context);
        match context.deadline {
            Some(deadline) => tokio::time::timeout(deadline, rest)
                .await
                .map_err(|_| ToolError::Failed(too_late(deadline)))?,
            None => rest.await,
        }
    }

    /// Passes on what the script says until it answers.
    async fn follow(
        &self,
        lines: &mut Lines,
        context: &CallContext,
    ) -> Result<ToolOutput, ToolError> {
        loop {
            match self.next(lines).await? {
                Reply::Progress {
                    progress,
                    total,
                    message,
                } => context.events.progress(Progress {
                    progress,
                    total,
                    message,
                }),
                Reply::Log(text) => context.events.log(LogLine {
                    level: LogLevel::Info,
                    logger: context.tool_name.clone(),
                    text,
                }),
                Reply::Result { value, output } => {
                    return Ok(answer(value, &output, self.limits.printed));
                }
                Reply::Failed {
                    kind,
                    message,
                    trace,
                } => {
                    let most = self.limits.words;
                    let (kind, message) = (head(&kind, most), head(&message, most));
                    return Ok(failure(&kind, &message, &tail(&trace, most)));
                }
                Reply::Refused(reason) => return Err(self.refused(&reason)),
                Reply::Begun(_) => return Err(not_understood()),
            }
        }
    }

    fn refused(&self, reason: &str) -> ToolError {
        let reason = head(reason, self.limits.words);
        ToolError::Failed(format!("the application refused the call: {reason}"))
    }

    async fn next(&self, lines: &mut Lines) -> Result<Reply, ToolError> {
        match lines.next().await {
            Some(Ok(line)) => serde_json::from_str(&line).map_err(|error| {
                tracing::warn!("the attached application sent what is no reply: {error}");
                not_understood()
            }),
            Some(Err(LinesCodecError::MaxLineLengthExceeded)) => Err(ToolError::Failed(format!(
                "the answer is longer than {} bytes; let the script write a file and answer with its path",
                self.limits.answer
            ))),
            Some(Err(LinesCodecError::Io(_))) | None => Err(gone()),
        }
    }
}

impl HostExecutor for HostLink {
    fn execute(
        &self,
        job: HostJob,
        context: CallContext,
    ) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            // Leaving closes the connection, which is how the adapter learns that nobody waits.
            tokio::select! {
                result = self.call(&job, &context) => result,
                () = context.cancel.cancelled() => Err(ToolError::Cancelled),
            }
        })
    }
}

#[derive(Debug, thiserror::Error)]
enum OpenError {
    #[error(transparent)]
    Door(#[from] DoorError),
    #[error(
        "no application is attached: its adapter does not answer (it may have ended without taking its file away); start it again"
    )]
    Unreachable,
}

fn gone() -> ToolError {
    ToolError::Failed(
        "the application ended, or closed the connection, before it answered".to_owned(),
    )
}

fn not_understood() -> ToolError {
    ToolError::Failed("the application answered with something that is no reply".to_owned())
}

/// What a script returned; what it printed is its answer when it returned nothing, and its log
/// otherwise.
fn answer(value: Value, output: &str, most: usize) -> ToolOutput {
    if value.is_null() {
        return ToolOutput::from_script_text(output.trim_end(), true);
    }
    let mut answer = ToolOutput::from_script_json(value);
    note(&mut answer, &tail(output, most));
    answer
}

fn failure(kind: &str, message: &str, trace: &str) -> ToolOutput {
    let mut object = Map::new();
    object.insert("success".to_owned(), Value::Bool(false));
    object.insert("message".to_owned(), Value::from(message));
    object.insert("error".to_owned(), serde_json::json!({ "type": kind }));
    let mut output = ToolOutput::structured(object);
    output.is_error = true;
    output.content = vec![Content::text(if message.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}: {message}")
    })];
    note(&mut output, trace);
    output
}

fn note(output: &mut ToolOutput, log: &str) {
    if log.trim().is_empty() {
        return;
    }
    let dcc = output
        .meta
        .entry("dcc")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(dcc) = dcc {
        dcc.insert("log".to_owned(), Value::from(log.trim_end()));
    }
}

/// The beginning of a text, cut at a character.
fn head(text: &str, most: usize) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(most)) {
        Some(head) if head.len() < text.len() => format!("{head}…").into(),
        _ => text.into(),
    }
}

/// The end of a text, cut at a character.
fn tail(text: &str, most: usize) -> Cow<'_, str> {
    let from = text.ceil_char_boundary(text.len().saturating_sub(most));
    match text.get(from..) {
        Some(tail) if from > 0 => format!("…{tail}").into(),
        _ => text.into(),
    }
}
