//! Which workspace a call works in: the client's own, then what the server was started with.

use std::sync::Arc;
use std::time::Duration;

use metier_workspace_roots::WorkspaceRoots;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::error::McpError;
use crate::input::{Question, way_to};
use crate::session::Session;
use crate::session_roots::{ClientWorkspace, MOST_ROOTS, ask_if_due, read};
use crate::shared::Shared;

/// How long a call waits for a client that was asked for its roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// The key of the question.
pub(crate) const ROOTS: &str = "roots";

/// The workspace of one call.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// `None`: the server's own.
    pub(crate) roots: Option<Arc<WorkspaceRoots>>,
    /// Why it may be less than the client's whole workspace.
    pub(crate) note: Option<String>,
}

/// The question that a stateless client answers with its roots.
pub(crate) fn question() -> Question {
    Question {
        key: ROOTS,
        method: "roots/list",
        params: None,
        is_answer: |answer| read(answer).is_some(),
    }
}

/// Whether a stateless request's client has roots to tell.
pub(crate) fn has_roots(call: &Call) -> bool {
    call.meta
        .capabilities
        .as_ref()
        .is_some_and(|declared| declared.get("roots").is_some_and(Value::is_object))
}

/// The workspace of a stateless call, from its client's answer.
pub(crate) fn of_answer(shared: &Shared, answer: Option<&Value>) -> Workspace {
    match answer.and_then(read) {
        Some(told) => together(shared, &told, None),
        None => Workspace::default(),
    }
}

/// The workspace of a session's call. A call that needs it waits for the newest list.
///
/// # Errors
///
/// A client that has roots and did not tell them is none without: its relative paths would lead elsewhere.
pub(crate) async fn of_session(
    shared: &Shared,
    call: &Call,
    needed: bool,
) -> Result<Workspace, McpError> {
    let Some(session) = call.session.as_ref() else {
        return Ok(Workspace::default());
    };
    if needed {
        let answered = tokio::select! {
            answered = tokio::time::timeout(PATIENCE, newest(session, call)) => answered,
            () = call.cancel.cancelled() => Ok(false),
        };
        let reason = match answered {
            Ok(true) => None,
            Ok(false) => session.roots.unanswered(),
            Err(_) => Some(format!(
                "the client did not answer roots/list within {} s",
                PATIENCE.as_secs()
            )),
        };
        if !matches!(answered, Ok(true)) {
            return Err(McpError::invalid_params(format!(
                "this tool works in the client's workspace, which is not known: {}; the call was not run, and the next one asks for the roots again",
                reason.as_deref().unwrap_or("the client was not asked")
            )));
        }
    }
    let (known, fault) = session.roots.current();
    let note = fault.filter(|_| needed);
    Ok(match known {
        Some(known) => together(shared, &known, note),
        None => Workspace { roots: None, note },
    })
}

/// Returns when the newest list is there (true), or when the client cannot be asked on this call's way.
async fn newest(session: &Arc<Session>, call: &Call) -> bool {
    loop {
        let asks = ask_if_due(session, way_to(call));
        // Another call's way may close under its question; then this one asks on its own.
        if session.roots.settled().await {
            return true;
        }
        if asks {
            return false;
        }
    }
}

fn together(shared: &Shared, client: &ClientWorkspace, note: Option<String>) -> Workspace {
    let own = shared.catalog.workspace_roots();
    let roots = if own.is_empty() {
        Arc::clone(&client.roots)
    } else {
        let roots = WorkspaceRoots::clone(&client.roots);
        Arc::new(roots.followed_by(WorkspaceRoots::clone(&own)))
    };
    Workspace {
        note: note.or_else(|| less_than_all(client)),
        roots: Some(roots),
    }
}

/// So many roots that do not count are told by name.
const NAMED: usize = 5;

/// What of a client's roots is not in the workspace.
fn less_than_all(client: &ClientWorkspace) -> Option<String> {
    let unusable = client.roots.unusable();
    let mut told: Vec<String> = Vec::new();
    if !unusable.is_empty() {
        let mut named: Vec<_> = unusable
            .iter()
            .take(NAMED)
            .map(ToString::to_string)
            .collect();
        if let Some(more @ 1..) = unusable.len().checked_sub(NAMED) {
            named.push(format!("and {more} more"));
        }
        told.push(format!(
            "roots of the client that do not count: {}",
            named.join("; ")
        ));
    }
    if client.beyond > 0 {
        told.push(format!(
            "of the client's {} roots the first {MOST_ROOTS} are taken, and no tool is told of the others; name a folder \
             that holds several of them",
            MOST_ROOTS + client.beyond
        ));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

/// Writes the note where a client finds it: `_meta.dcc.workspace`.
pub(crate) fn add_note(meta: &mut Map<String, Value>, note: Option<String>) {
    let Some(note) = note else {
        return;
    };
    let dcc = meta.entry("dcc").or_insert_with(|| json!({}));
    if let Value::Object(dcc) = dcc {
        dcc.insert("workspace".to_owned(), note.into());
    }
}
