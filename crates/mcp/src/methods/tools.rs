//! `tools/list` and `tools/call`.

use std::sync::Arc;

use bytes::Bytes;
use metier_catalog::{CallError, CallRequest, CallableTool, SELECTION};
use metier_tool::{ArgumentFault, Content, ToolOutput, inexact};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::TryRecvError;

use super::read;
use super::unreadable::unreadable;
use crate::call::{Call, Events, Outcome};
use crate::confirm;
use crate::dispatch::GRACE;
use crate::error::{CAPABILITY_MISSING, McpError};
use crate::input::{self, Gathered};
use crate::notices::ListKind;
use crate::selecting::{self, Selecting};
use crate::shared::Shared;
use crate::table::{Eras, Feature, json_of};
use crate::workspace::{self, Workspace, add_note};

pub(crate) fn methods(shared: &Arc<Shared>) -> Feature {
    let mut feature = Feature::new(shared);
    feature.answers(Eras::Both, "tools/list", list);
    feature.works(
        Eras::Both,
        "tools/call",
        |shared, call, params| async move {
            let wanted = wanted(json_of(&params));
            // The call may wait long for a place to run in, and the text can be megabytes.
            drop(params);
            run(&shared, &call, wanted).await
        },
    );
    feature
}

#[derive(Default, Deserialize)]
struct ListParams<'p> {
    #[serde(borrow, default)]
    cursor: Option<&'p RawValue>,
}

fn list(shared: &Shared, call: &Arc<Call>, params: &str) -> Result<Bytes, McpError> {
    let asked: ListParams<'_> = if params == "{}" {
        ListParams::default()
    } else {
        read(params)?
    };
    let cursor = match asked.cursor {
        None => None,
        Some(cursor) => Some(text("cursor", "a string that this server gave", cursor)?),
    };
    let snapshot = shared.catalog.snapshot();
    let page = shared
        .pages
        .of(&snapshot)
        .page(call.era, cursor.as_deref(), &shared.results)?;
    if let Some(session) = &call.session {
        session.notices.listed(ListKind::Tools);
    }
    Ok(page)
}

#[derive(Deserialize)]
struct CallParams<'p> {
    #[serde(borrow, default)]
    name: Option<&'p RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'p RawValue>,
    #[serde(default, rename = "requestState")]
    state: Option<Value>,
    #[serde(default, rename = "inputResponses")]
    responses: Option<Value>,
}

/// A call as it was sent.
struct Wanted {
    name: String,
    arguments: Option<Value>,
    /// What of the arguments the value does not hold as it was sent.
    inexact: Vec<ArgumentFault>,
    /// What a stateless client adds when it sends a call again.
    retry: Map<String, Value>,
}

fn wanted(params: &str) -> Result<Wanted, McpError> {
    let wanted: CallParams<'_> = read(params)?;
    let name = wanted.name.ok_or_else(|| {
        McpError::invalid_params("invalid params: name is missing; expected the name of a tool")
    })?;
    let name = text("name", "the name of a tool", name)?;
    let mut retry = Map::new();
    for (key, value) in [
        ("requestState", wanted.state),
        ("inputResponses", wanted.responses),
    ] {
        retry.extend(value.map(|value| (key.to_owned(), value)));
    }
    let Some(arguments) = wanted.arguments else {
        return Ok(Wanted {
            name,
            arguments: None,
            inexact: Vec::new(),
            retry,
        });
    };
    let value = match serde_json::from_str::<Value>(arguments.get()) {
        Ok(value) => value,
        // A model sees the result of its call, and seldom an error of the protocol.
        Err(error) => {
            return Ok(Wanted {
                name,
                arguments: None,
                inexact: vec![unreadable(arguments.get(), &error)],
                retry,
            });
        }
    };
    let inexact = if value.is_object() {
        inexact(arguments.get())
    } else {
        Vec::new()
    };
    Ok(Wanted {
        name,
        arguments: Some(value),
        inexact,
        retry,
    })
}

fn text(member: &str, expected: &str, value: &RawValue) -> Result<String, McpError> {
    serde_json::from_str(value.get()).map_err(|_| {
        let found: String = value.get().chars().take(40).collect();
        McpError::invalid_params(format!(
            "invalid params: {member} must be {expected}, found {found}"
        ))
    })
}

async fn run(shared: &Shared, call: &Arc<Call>, wanted: Result<Wanted, McpError>) -> Outcome {
    let Wanted {
        name,
        arguments,
        inexact,
        retry,
    } = match wanted {
        Ok(wanted) => wanted,
        Err(error) => return error.into(),
    };
    let session = call
        .session
        .as_ref()
        .filter(|_| call.outbound.takes_notices());
    let snapshot = shared.catalog.snapshot();
    let may_change = session.is_some() && {
        let pages = shared.pages.of(&snapshot);
        pages.facts(&name).is_some_and(|facts| facts.may_change)
    };
    let mut changes = may_change.then(|| shared.catalog.subscribe());

    let tool = snapshot.callable(&name);
    // Neither is needed while the call waits and runs.
    drop(snapshot);
    let prepared = if inexact.is_empty() {
        prepare(shared, call, tool, &name, arguments.as_ref(), retry).await
    } else {
        // A call that cannot run is no reason to ask anybody anything.
        Ok(Prepared::Ready(Workspace::default(), Map::new()))
    };
    if call.cancel.is_cancelled() {
        return Outcome::Silence;
    }
    let (workspace, answers) = match prepared {
        Ok(Prepared::Ready(workspace, answers)) => (workspace, answers),
        Ok(Prepared::Answer(bytes)) => return Outcome::Result(bytes),
        Err(error) => return error.into(),
    };

    let events = call.events();
    let mut request = CallRequest::new(name, arguments);
    request.faults = inexact;
    request.session = call.client.clone();
    request.cancel = call.cancellation();
    request.events = Arc::clone(&events) as _;
    request.roots = workspace.roots;
    request.answers = answers;
    let ended = tokio::select! {
        biased;
        ended = shared.dispatcher.call(request) => ended,
        output = last_moment(call, &events) => Ok(output),
    };
    events.close();
    // A tool that had ended before the server began to has an answer for whoever waits for it.
    let is_there = call.stopping.is_cancelled() && !matches!(ended, Err(CallError::Cancelled));
    if call.cancel.is_cancelled() && !is_there {
        return Outcome::Silence;
    }

    // The notice of a change that this very call made goes on its stream, ahead of its answer,
    // when the client has no other stream open.
    if let (Some(session), Some(changes)) = (session, &mut changes) {
        let generation = last_change(changes, shared);
        if generation.is_some_and(|generation| session.notices.claim(ListKind::Tools, generation)) {
            call.outbound.offer(ListKind::Tools.message(None));
        }
    }
    match ended {
        Ok(mut output) => {
            add_note(&mut output.meta, workspace.note);
            result(shared, call, output).into()
        }
        Err(error) => refused(error),
    }
}

/// The result of a tool whose hooks are not done when the time of a server that ends is over. Those go on without us.
async fn last_moment(call: &Call, events: &Events) -> ToolOutput {
    call.stopping.cancelled().await;
    tokio::time::sleep(GRACE).await;
    match events.output() {
        Some(output) => output,
        None => std::future::pending().await,
    }
}

enum Prepared {
    /// With what the client was asked for the tool itself.
    Ready(Workspace, Map<String, Value>),
    /// The call is answered already: with questions, or with a refusal.
    Answer(Bytes),
}

/// What the client has to tell before the call can run: its workspace, that a person agrees, and which skill its model
/// takes for right.
async fn prepare(
    shared: &Shared,
    call: &Arc<Call>,
    tool: Option<CallableTool>,
    name: &str,
    arguments: Option<&Value>,
    retry: Map<String, Value>,
) -> Result<Prepared, McpError> {
    let takes_roots = tool.as_ref().is_some_and(|tool| tool.takes_roots);
    let destructive = tool.filter(|tool| confirm::is_due(shared.config.confirm, &tool.listed));
    let (selection, mut selected) = match selecting::due(shared, call, name, arguments).await {
        Selecting::No => (None, None),
        Selecting::Unable(why) => (None, Some(why)),
        Selecting::Ask(question) => (Some(question), None),
    };
    if call.era.is_modern() {
        let mut questions = Vec::new();
        if takes_roots && workspace::has_roots(call) {
            questions.push(workspace::question());
        }
        if let Some(tool) = &destructive {
            if !confirm::can_ask(call) {
                return Err(confirm::missing_capability(&tool.listed));
            }
            questions.push(confirm::question(&tool.listed, arguments));
        }
        let is_selecting = selection.is_some();
        questions.extend(selection);
        let mut params = retry;
        if !questions.is_empty() || params.contains_key("requestState") {
            params.insert("name".to_owned(), name.into());
            params.extend(arguments.map(|arguments| ("arguments".to_owned(), arguments.clone())));
        }
        let answers = match input::from_retry(shared, call, "tools/call", &params, &questions)? {
            Gathered::All(answers) => answers,
            Gathered::Asking(bytes) => return Ok(Prepared::Answer(bytes)),
        };
        if let (Some(tool), Some(answer)) = (&destructive, answers.get(confirm::CONFIRM))
            && let Some(refusal) = confirm::verdict(&tool.listed, Ok(answer))
        {
            return result(shared, call, refusal).map(Prepared::Answer);
        }
        // What is due no more, or refused by now, is not taken from an earlier round.
        if is_selecting && let Some(answer) = answers.get(SELECTION) {
            selected = Some(selecting::said(answer));
        }
        let workspace = workspace::of_answer(shared, answers.get(workspace::ROOTS));
        return Ok(Prepared::Ready(workspace, selecting::answers(selected)));
    }
    let workspace = workspace::of_session(shared, call, takes_roots).await?;
    if let Some(tool) = destructive {
        let refusal = if confirm::can_ask(call) {
            let question = confirm::question(&tool.listed, arguments);
            let answer = input::from_session(call, &question).await;
            confirm::verdict(&tool.listed, answer.as_ref())
        } else {
            Some(confirm::unable(&tool.listed))
        };
        if let Some(refusal) = refusal {
            return result(shared, call, refusal).map(Prepared::Answer);
        }
    }
    if let Some(question) = selection {
        selected = Some(selecting::of_session(call, &question).await);
    }
    Ok(Prepared::Ready(workspace, selecting::answers(selected)))
}

/// The generation of the last change of the list among the events that have come.
fn last_change(
    changes: &mut tokio::sync::broadcast::Receiver<metier_catalog::CatalogEvent>,
    shared: &Shared,
) -> Option<u64> {
    let mut last = None;
    loop {
        match changes.try_recv() {
            Ok(event) if event.tools_changed => last = Some(event.generation),
            Ok(_) => {}
            Err(TryRecvError::Lagged(_)) => last = Some(shared.catalog.snapshot().generation()),
            Err(TryRecvError::Empty | TryRecvError::Closed) => return last,
        }
    }
}

#[derive(Serialize)]
struct CallResult<'a> {
    content: &'a [Content],
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<&'a Map<String, Value>>,
    #[serde(rename = "isError")]
    is_error: bool,
}

fn result(shared: &Shared, call: &Call, mut output: ToolOutput) -> Result<Bytes, McpError> {
    if output.content.is_empty()
        && let Some(structured) = &output.structured
    {
        output
            .content
            .push(Content::text(Value::Object(structured.clone()).to_string()));
    }
    let own = CallResult {
        content: &output.content,
        structured: output.structured.as_ref(),
        is_error: output.is_error,
    };
    shared
        .results
        .build(call.era, &own, None, std::mem::take(&mut output.meta))
}

fn refused(error: CallError) -> Outcome {
    let message = error.to_string();
    Outcome::Error(match error {
        CallError::UnknownTool { name, nearest } => {
            McpError::invalid_params(message).with_data(json!({ "name": name, "nearest": nearest }))
        }
        CallError::CapabilityMissing(missing) => {
            let error = McpError::new(CAPABILITY_MISSING, message);
            match serde_json::to_value(&missing) {
                Ok(data) => error.with_data(data),
                Err(_) => error,
            }
        }
        // The host gave up on a call that the client still wants.
        CallError::Cancelled => {
            return Outcome::Error(McpError::new(crate::error::INTERNAL_ERROR, message));
        }
        CallError::Internal => McpError::internal(),
        _ => McpError::invalid_params(message),
    })
}
