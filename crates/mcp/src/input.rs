//! What a request needs from its client before it can be served, in both eras.
//!
//! A session is asked by requests of ours while the call waits. A stateless client gets its call
//! back with the questions, and sends it again with the answers and the sealed state: nothing is
//! kept here meanwhile.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::client_requests::{AskError, Via, ask};
use crate::error::McpError;
use crate::sealed::{Purpose, digest_of};
use crate::shared::Shared;

/// How long a person may think about a question while a call waits.
const PERSON_TIME: Duration = Duration::from_mins(5);

/// One thing that only the client can tell.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Names it among the questions of one call.
    pub(crate) key: &'static str,
    /// What a client would be asked with.
    pub(crate) method: &'static str,
    pub(crate) params: Option<Value>,
    /// Whether a value can be an answer to it; anything else is asked for again.
    pub(crate) is_answer: fn(&Value) -> bool,
}

/// What came of the questions.
#[derive(Debug)]
pub(crate) enum Gathered {
    /// Every answer by its key.
    All(Map<String, Value>),
    /// The result that sends the questions to the client.
    Asking(Bytes),
}

/// Reads the answers that a stateless request brings, or makes the result that asks for them.
///
/// A state is held against its request even when there is nothing to ask.
pub(crate) fn from_retry(
    shared: &Shared,
    call: &Call,
    method: &str,
    params: &Map<String, Value>,
    questions: &[Question],
) -> Result<Gathered, McpError> {
    let state = match params.get("requestState") {
        None | Some(Value::Null) => None,
        Some(Value::String(state)) => Some(state),
        Some(_) => {
            return Err(McpError::invalid_params(
                "invalid params: requestState must be the string that this server gave",
            ));
        }
    };
    if state.is_none() && questions.is_empty() {
        return Ok(Gathered::All(Map::new()));
    }
    let digest = digest_of(params);
    let purpose = Purpose {
        principal: call.client.as_deref().unwrap_or_default(),
        method,
        digest: &digest,
    };
    let mut answers = match state {
        Some(state) => shared.sealer.open(purpose, state)?,
        None => Map::new(),
    };
    // Answers count beside the state that asked for them, and not without it.
    if state.is_some()
        && let Some(given) = params
            .get("inputResponses")
            .filter(|given| !given.is_null())
    {
        let given = given.as_object().ok_or_else(|| {
            McpError::invalid_params("invalid params: inputResponses must be an object")
        })?;
        for question in questions {
            if let Some(answer) = given
                .get(question.key)
                .filter(|answer| (question.is_answer)(answer))
            {
                answers.insert(question.key.to_owned(), answer.clone());
            }
        }
    }
    let open: Map<String, Value> = questions
        .iter()
        .filter(|question| !answers.contains_key(question.key))
        .map(|question| {
            let params = question.params.clone().unwrap_or_else(|| json!({}));
            let request = json!({ "method": question.method, "params": params });
            (question.key.to_owned(), request)
        })
        .collect();
    if open.is_empty() {
        return Ok(Gathered::All(answers));
    }
    let state = shared.sealer.seal(purpose, answers)?;
    let asking = shared.results.input_required(call.era, &open, &state)?;
    Ok(Gathered::Asking(asking))
}

/// Asks a session's client one question that a person answers, while the call waits.
pub(crate) async fn from_session(call: &Call, question: &Question) -> Result<Value, AskError> {
    let session = call.session.as_ref().ok_or(AskError::Unreachable)?;
    let answer = ask(
        session,
        question.method,
        question.params.as_ref(),
        &way_to(call),
        PERSON_TIME,
        &call.cancel,
    )
    .await?;
    if (question.is_answer)(&answer) {
        Ok(answer)
    } else {
        Err(AskError::Unreadable {
            method: question.method,
        })
    }
}

/// The call's own stream where it can have one, otherwise that of its session.
pub(crate) fn way_to(call: &Call) -> Via {
    if call.outbound.is_open() {
        Via::Call(call.outbound.clone())
    } else {
        Via::Stream
    }
}
