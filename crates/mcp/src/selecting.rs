//! Asking the client's own model which skill is right, before `discover_skills` answers.
//!
//! A session is asked by a request of ours; a stateless client gets its call back with the question and repeats it with
//! the answer and the sealed state. The question is made from the snapshot each time, so nothing is kept meanwhile.

use std::time::Duration;

use metier_catalog::SELECTION;
use metier_skill_protocol::{SelectionPrompt, SelectorError};
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::client_requests::{AskError, ask};
use crate::config::ClientSelector;
use crate::input::{Question, way_to};
use crate::shared::Shared;

const METHOD: &str = "sampling/createMessage";
/// How long the client's model may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What comes of asking, before it is asked.
pub(crate) enum Selecting {
    /// There is nothing to ask.
    No,
    /// The client cannot be asked; this goes with the call.
    Unable(Value),
    /// To be asked.
    Ask(Question),
}

/// Whether a call needs a choice of the client's model.
pub(crate) async fn due(
    shared: &Shared,
    call: &Call,
    tool: &str,
    arguments: Option<&Value>,
) -> Selecting {
    if shared.config.selector == ClientSelector::Never {
        return Selecting::No;
    }
    let prompt = shared
        .catalog
        .selection_before(tool, arguments, call.client.as_deref())
        .await;
    let Some(prompt) = prompt else {
        return Selecting::No;
    };
    if can_ask(call) {
        Selecting::Ask(question(&prompt))
    } else {
        let reason = "the client does not declare sampling".to_owned();
        Selecting::Unable(failed(&SelectorError::Unavailable { reason }))
    }
}

fn question(prompt: &SelectionPrompt) -> Question {
    Question {
        key: SELECTION,
        method: METHOD,
        params: Some(json!({
            "systemPrompt": prompt.system,
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt.user } }],
            "maxTokens": prompt.max_tokens,
            "temperature": 0,
            "includeContext": "none",
        })),
        // Whatever comes is an answer: one that cannot be read falls back, and nobody is asked twice.
        is_answer: |_| true,
    }
}

fn can_ask(call: &Call) -> bool {
    let declared = if let Some(session) = &call.session {
        session.capabilities.get("sampling")
    } else {
        let declared = call.meta.capabilities.as_ref();
        declared.and_then(|declared| declared.get("sampling"))
    };
    declared.is_some_and(Value::is_object)
}

/// Asks a session's client, while the call waits.
pub(crate) async fn of_session(call: &Call, question: &Question) -> Value {
    let Some(session) = &call.session else {
        return failed(&SelectorError::TimedOut);
    };
    let via = way_to(call);
    let answer = ask(
        session,
        question.method,
        question.params.as_ref(),
        &via,
        LIMIT,
        &call.cancel,
    );
    match answer.await {
        Ok(answer) => said(&answer),
        Err(error) => failed(&match error {
            AskError::TimedOut { .. } => SelectorError::TimedOut,
            AskError::Refused { .. } => SelectorError::Declined,
            AskError::TooMany | AskError::Unreachable => SelectorError::Unavailable {
                reason: error.to_string(),
            },
            _ => SelectorError::Failed {
                reason: error.to_string(),
            },
        }),
    }
}

/// The text of a message that a model made.
pub(crate) fn said(answer: &Value) -> Value {
    let text = |block: &Value| {
        let is_text = block.get("type").and_then(Value::as_str) == Some("text");
        let text = block.get("text").and_then(Value::as_str);
        text.filter(|_| is_text).map(str::to_owned)
    };
    let text = match answer.get("content") {
        Some(Value::Array(blocks)) => {
            let texts: Vec<String> = blocks.iter().filter_map(text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Some(block) => text(block),
        None => None,
    };
    match text {
        Some(text) => json!({ "text": text }),
        None => failed(&SelectorError::Declined),
    }
}

fn failed(error: &SelectorError) -> Value {
    json!({ "error": error })
}

/// What goes with the call.
pub(crate) fn answers(selection: Option<Value>) -> Map<String, Value> {
    selection
        .map(|said| (SELECTION.to_owned(), said))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_message_is_taken_in_both_forms() {
        let block = json!({"type": "text", "text": "a"});
        assert_eq!(said(&json!({"content": block})), json!({"text": "a"}));
        let many = json!({"content": [block, {"type": "image", "data": "x"}, block]});
        assert_eq!(said(&many), json!({"text": "a\na"}));
        for other in [json!({}), json!({"content": []}), json!(5)] {
            assert_eq!(said(&other), json!({"error": {"kind": "declined"}}));
        }
    }
}
