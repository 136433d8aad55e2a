//! The way of a call.
//!
//! name → capability gate → repair and validation → workspace → before-hook → handler → output
//! schema → audit log → after-hook. Each step stands in this file, in this order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use metier_hooks::{HookDeny, HookPayload};
use metier_tool::{BoxFuture, CallContext, CancelSignal, Cancellation, ToolError, ToolOutput};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::arguments::{self, Fitted, Unresolved, fitted, invalid};
use crate::audit::Record;
use crate::call::{CallError, CallRequest};
use crate::denial::denied;
use crate::hook_driver::within_same_events;
use crate::registered_tool::RegisteredTool;
use crate::registry::ToolRegistry;
use crate::snapshot::CatalogSnapshot;
use crate::state::Shared;
use crate::stub;
use crate::tool_names::Located;

/// Calls tools by name: a handle on the same state as [`ToolRegistry`].
#[derive(Clone, Debug)]
pub struct ToolDispatcher {
    shared: Arc<Shared>,
}

/// How long a handler may take to end by itself after a cancellation; then its future is dropped.
const CANCEL_GRACE: std::time::Duration = std::time::Duration::from_secs(5);

/// How long the arguments of a tool without a time limit may take to be checked.
const CHECK_TIME: std::time::Duration = std::time::Duration::from_secs(30);

/// How much of an unknown name is repeated to whoever sent it.
pub(crate) const SHOWN_NAME: usize = 100;

static CALLS: AtomicU64 = AtomicU64::new(1);

impl ToolDispatcher {
    /// A dispatcher for the registry's tools.
    pub fn new(registry: ToolRegistry) -> Self {
        Self {
            shared: registry.shared,
        }
    }

    pub(crate) fn serves(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// Calls a tool.
    ///
    /// Dropping the future cancels the call; what the call started is ended all the same, and the
    /// after-hook runs. A panic in a handler is that call's [`CallError::Internal`].
    ///
    /// # Errors
    /// See [`CallError`]; everything a model can mend is an output with `is_error` instead.
    pub async fn call(&self, request: CallRequest) -> Result<ToolOutput, CallError> {
        let shared = Arc::clone(&self.shared);
        let token = CancellationToken::new();
        let dropped = token.clone().drop_guard();
        let work = within_same_events(async move { run(&shared, request, token).await });
        let answer = tokio::spawn(work).await;
        drop(dropped);
        answer.unwrap_or_else(|error| {
            tracing::error!(%error, "a call ended unexpectedly");
            Err(if error.is_cancelled() {
                CallError::Cancelled
            } else {
                CallError::Internal
            })
        })
    }
}

async fn run(
    shared: &Arc<Shared>,
    mut request: CallRequest,
    dropped: CancellationToken,
) -> Result<ToolOutput, CallError> {
    let record = shared.settings.audit.as_ref().map(|log| {
        let record = Record::begin(log, &request);
        request.events = record.listening_to(&request.events);
        record
    });
    let started = Instant::now();
    let (session, events) = (request.session.clone(), Arc::clone(&request.events));
    let (ended, tool) = answered(shared, request, dropped).await;
    // What happened is written down and handed over before hooks hear of it: one that never ends takes nothing away.
    if let Some(record) = record {
        let listed = tool.as_ref().map(|tool| tool.listed.name.as_str());
        record.end(listed, ended.outcome, started.elapsed()).await;
    }
    let Ended { outcome, answer } = ended;
    let Some(tool) = tool.filter(|tool| !tool.is_own()) else {
        return answer;
    };
    let answer = answer.map(Arc::new);
    if let Ok(output) = &answer {
        events.answered(output);
    }
    tell(shared, session, &tool, outcome, started).await;
    answer.map(Arc::unwrap_or_clone)
}

/// The answer, with the tool that gave it.
async fn answered(
    shared: &Arc<Shared>,
    mut request: CallRequest,
    dropped: CancellationToken,
) -> (Ended, Option<Arc<RegisteredTool>>) {
    // Taken, not copied: a call may wait long for a place to run in.
    let arguments = request.arguments.take();
    let snapshot = shared.snapshot();
    let tool = match snapshot.locate(&request.name) {
        Located::Tool(tool) => tool,
        Located::UnloadedSkill(skill) => {
            return (Ended::new("not_loaded", stub::not_loaded(&skill)), None);
        }
        Located::InactiveGroup { skill, group, tool } => {
            let output = stub::group_inactive(&skill, &group, &tool);
            return (Ended::new("inactive", output), None);
        }
        Located::Unknown => {
            let error = CallError::UnknownTool {
                nearest: snapshot.nearest_tools(&request.name),
                name: stub::clipped(&request.name, SHOWN_NAME),
            };
            return (Ended::failed("unknown", error), None);
        }
    };
    let call = Call {
        shared,
        snapshot: &snapshot,
        tool: &tool,
        request: &request,
        dropped,
    };
    let ended = call.run(arguments).await;
    (ended, Some(tool))
}

struct Call<'a> {
    shared: &'a Arc<Shared>,
    snapshot: &'a CatalogSnapshot,
    tool: &'a Arc<RegisteredTool>,
    request: &'a CallRequest,
    dropped: CancellationToken,
}

/// An answer with the one word that hooks and counters get.
struct Ended {
    outcome: &'static str,
    answer: Result<ToolOutput, CallError>,
}

impl Ended {
    fn new(outcome: &'static str, output: ToolOutput) -> Self {
        Self {
            outcome,
            answer: Ok(output),
        }
    }

    fn failed(outcome: &'static str, error: impl Into<CallError>) -> Self {
        Self {
            outcome,
            answer: Err(error.into()),
        }
    }
}

impl Call<'_> {
    async fn run(&self, arguments: Option<Value>) -> Ended {
        let tool = self.tool;
        let name = tool.listed.name.as_str();
        if let Err(missing) = self.snapshot.parts.declared.gate(name, &tool.required) {
            return Ended::failed("capability", missing);
        }
        if let Some(reason) = &tool.refusal {
            return Ended::new(
                "refused",
                ToolOutput::error(format!(
                    "the tool `{name}` refuses calls: {reason}; `metier check` shows the place and the cure"
                )),
            );
        }
        if !self.request.faults.is_empty() {
            return Ended::new("invalid", invalid(name, &self.request.faults));
        }
        let mut arguments = match arguments::object(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return Ended::failed("invalid", error),
        };
        arguments::drop_private(&mut arguments);
        if let Some(schema) = &tool.input {
            let fitted = if schema.takes_long(&arguments) {
                self.fitted_elsewhere(arguments).await
            } else {
                Ok(fitted(arguments, schema))
            };
            arguments = match fitted {
                Ok(Ok(arguments)) => arguments,
                Ok(Err(faults)) => return Ended::new("invalid", invalid(name, &faults)),
                Err(ended) => return ended,
            };
        }
        let roots = self
            .request
            .roots
            .clone()
            .unwrap_or_else(|| Arc::clone(&self.shared.settings.workspace_roots));
        match arguments::resolve_workspace(&mut arguments, tool, &roots) {
            Ok(()) => {}
            Err(Unresolved::Roots(error)) => return Ended::failed("invalid", error),
            Err(Unresolved::TooMany(fault)) => {
                return Ended::new("invalid", invalid(name, &[fault]));
            }
        }
        if !tool.is_own() {
            // A policy that is still asked is not waited for when nobody waits for the call.
            let asked = tokio::select! {
                biased;
                asked = self.ask(&arguments) => asked,
                () = self.given_up() => return Ended::failed("cancelled", CallError::Cancelled),
            };
            if let Err(deny) = asked {
                return Ended::new("denied", denied(&deny));
            }
        }
        let mut context = CallContext::new(
            name,
            format!("call-{}", CALLS.fetch_add(1, Ordering::Relaxed)),
        );
        context.session.clone_from(&self.request.session);
        context.deadline = tool.deadline;
        context.events = Arc::clone(&self.request.events);
        context.roots = roots;
        context.answers = Arc::new(self.request.answers.clone());
        self.handle(arguments, context).await
    }

    /// Repair and validation on a thread that no other call waits for, as long as the call may take.
    async fn fitted_elsewhere(&self, arguments: Map<String, Value>) -> Result<Fitted, Ended> {
        let tool = Arc::clone(self.tool);
        let work = self.shared.long_checks.run(move || match &tool.input {
            Some(schema) => fitted(arguments, schema),
            None => Ok(arguments),
        });
        let limit = self.tool.deadline.unwrap_or(CHECK_TIME);
        tokio::select! {
            biased;
            () = self.given_up() => Err(Ended::failed("cancelled", CallError::Cancelled)),
            worked = tokio::time::timeout(limit, work) => match worked {
                Ok(Ok(fitted)) => Ok(fitted),
                Ok(Err(error)) => {
                    tracing::error!(tool = %self.tool.listed.name, %error, "a check of arguments broke off");
                    Err(Ended::failed("panic", CallError::Internal))
                }
                Err(_) => Err(Ended::new("error", ToolOutput::error(format!(
                    "the arguments for `{}` could not be checked within its time limit of {} s; send less at once",
                    self.tool.listed.name,
                    limit.as_secs_f64()
                )))),
            },
        }
    }

    /// Runs the handler on a task of its own, so that its panic is not ours.
    async fn handle(&self, arguments: Map<String, Value>, mut context: CallContext) -> Ended {
        let token = CancellationToken::new();
        context.cancel = cancellation(&token);
        let handler = Arc::clone(&self.tool.handler);
        let work = within_same_events(async move { handler.call(arguments, context).await });
        let mut task = tokio::spawn(work);
        let _ended = EndWith(task.abort_handle());
        let joined = tokio::select! {
            joined = &mut task => joined,
            () = self.given_up() => {
                token.cancel();
                match tokio::time::timeout(CANCEL_GRACE, &mut task).await {
                    Ok(joined) => joined,
                    Err(_) => return Ended::failed("cancelled", CallError::Cancelled),
                }
            }
        };
        match joined {
            Ok(Ok(output)) => self.checked(output).await,
            Ok(Err(ToolError::Cancelled)) => Ended::failed("cancelled", CallError::Cancelled),
            Ok(Err(ToolError::InvalidArguments(faults))) => {
                Ended::new("invalid", invalid(&self.tool.listed.name, &faults))
            }
            Ok(Err(ToolError::Refused(output))) => Ended::new("error", *output),
            Ok(Err(error)) => Ended::new("error", ToolOutput::error(error.to_string())),
            Err(error) => {
                tracing::error!(tool = %self.tool.listed.name, %error, "a tool's code panicked");
                Ended::failed("panic", CallError::Internal)
            }
        }
    }

    async fn given_up(&self) {
        tokio::select! {
            () = self.request.cancel.cancelled() => {}
            () = self.dropped.cancelled() => {}
        }
    }

    /// A success must keep the promise of the tool's output schema.
    async fn checked(&self, output: ToolOutput) -> Ended {
        if output.is_error {
            return Ended::new("error", output);
        }
        let Some(schema) = &self.tool.output else {
            return Ended::new("ok", output);
        };
        let structured = output.structured.clone().unwrap_or_default();
        let takes_long = schema.takes_long(&structured);
        let value = Value::Object(structured);
        let checked = if takes_long {
            let tool = Arc::clone(self.tool);
            let check = move || {
                tool.output
                    .as_ref()
                    .map_or(Ok(()), |schema| schema.validate(&value))
            };
            self.shared.long_checks.run(check).await
        } else {
            Ok(schema.validate(&value))
        };
        match checked {
            Ok(Ok(())) => Ended::new("ok", output),
            Err(error) => {
                tracing::error!(tool = %self.tool.listed.name, %error, "a check of a result broke off");
                Ended::failed("panic", CallError::Internal)
            }
            Ok(Err(faults)) => {
                let listed: Vec<_> = faults.iter().map(|fault| format!("- {fault}")).collect();
                let text = format!(
                    "the result of `{}` does not match its output schema:\n{}\n\nthe result was:\n{}",
                    self.tool.listed.name,
                    listed.join("\n"),
                    output.joined_text()
                );
                let mut failed = ToolOutput::error(text);
                failed.meta = output.meta;
                Ended::new("error", failed)
            }
        }
    }

    async fn ask(&self, arguments: &Map<String, Value>) -> Result<(), HookDeny> {
        let payload = HookPayload::BeforeToolCall {
            tool_name: self.tool.listed.name.clone(),
            skill_name: self.tool.skill.as_ref().map(ToString::to_string),
            arguments: arguments.clone(),
        };
        self.shared
            .dispatch(self.request.session.clone(), payload)
            .await
    }
}

async fn tell(
    shared: &Shared,
    session: Option<String>,
    tool: &RegisteredTool,
    outcome: &str,
    started: Instant,
) {
    let payload = HookPayload::AfterToolCall {
        tool_name: tool.listed.name.clone(),
        skill_name: tool.skill.as_ref().map(ToString::to_string),
        ok: outcome == "ok",
        outcome: outcome.to_owned(),
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    // After-handlers cannot refuse; what they say is in the log.
    let _ = shared.dispatch(session, payload).await;
}

/// Ends a handler's task when the future that waits for it goes away.
pub(crate) struct EndWith(pub(crate) tokio::task::AbortHandle);

impl Drop for EndWith {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn cancellation(token: &CancellationToken) -> Cancellation {
    struct Token(CancellationToken);
    impl CancelSignal for Token {
        fn is_cancelled(&self) -> bool {
            self.0.is_cancelled()
        }
        fn cancelled(&self) -> BoxFuture<'static, ()> {
            Box::pin(self.0.clone().cancelled_owned())
        }
    }
    Cancellation::new(Arc::new(Token(token.clone())))
}
