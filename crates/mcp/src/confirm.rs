//! Asking the person at the client before something is destroyed.

use metier_catalog::ListedTool;
use metier_tool::ToolOutput;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::client_requests::AskError;
use crate::config::ConfirmPolicy;
use crate::error::{MISSING_CLIENT_CAPABILITY, McpError};
use crate::input::Question;

/// The key of the question.
pub(crate) const CONFIRM: &str = "confirm";

/// How much of the arguments a person is shown.
const SHOWN_ARGUMENTS: usize = 400;

/// Whether somebody has to agree to a call of the tool.
pub(crate) fn is_due(policy: ConfirmPolicy, tool: &ListedTool) -> bool {
    policy == ConfirmPolicy::Destructive
        && tool.annotations.get("destructiveHint") == Some(&Value::Bool(true))
}

/// What the person is asked. An empty form: to accept it is to agree.
pub(crate) fn question(tool: &ListedTool, arguments: Option<&Value>) -> Question {
    let shown = match arguments {
        None | Some(Value::Null) => "without arguments".to_owned(),
        Some(arguments) => {
            let text = arguments.to_string();
            let cut: String = text.chars().take(SHOWN_ARGUMENTS).collect();
            let more = if cut.len() < text.len() { " …" } else { "" };
            format!("with {cut}{more}")
        }
    };
    let message = format!(
        "`{}` says of itself that it destroys or overwrites something. Run it {shown}?",
        tool.name
    );
    Question {
        key: CONFIRM,
        method: "elicitation/create",
        params: Some(json!({
            "message": message,
            "requestedSchema": { "type": "object", "properties": {} },
        })),
        is_answer: |answer| answer.get("action").is_some_and(Value::is_string),
    }
}

/// Whether the client can put a form before a person.
pub(crate) fn can_ask(call: &Call) -> bool {
    let declared = match &call.session {
        Some(session) => session.capabilities.get("elicitation"),
        None => call
            .meta
            .capabilities
            .as_ref()
            .and_then(|declared| declared.get("elicitation")),
    };
    // Without a word about modes it means forms.
    declared
        .and_then(Value::as_object)
        .is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

/// What a stateless client is told that cannot ask.
pub(crate) fn missing_capability(tool: &ListedTool) -> McpError {
    McpError::new(MISSING_CLIENT_CAPABILITY, cannot_ask(tool))
        .with_data(json!({ "requiredCapabilities": { "elicitation": {} } }))
}

fn cannot_ask(tool: &ListedTool) -> String {
    format!(
        "`{}` is destructive and this server has each such call confirmed by a person, but the client does not declare elicitation",
        tool.name
    )
}

/// The refusal for a session's client that cannot ask.
pub(crate) fn unable(tool: &ListedTool) -> ToolOutput {
    refusal(&cannot_ask(tool), "unavailable")
}

/// `None` when the person agreed, otherwise what the model is told.
pub(crate) fn verdict(tool: &ListedTool, answer: Result<&Value, &AskError>) -> Option<ToolOutput> {
    let (text, action) = match answer {
        Ok(answer) => match answer.get("action").and_then(Value::as_str) {
            Some("accept") => return None,
            Some("decline") => (
                format!(
                    "`{}` was not run: the person at the client declined",
                    tool.name
                ),
                "declined",
            ),
            _ => (
                format!("`{}` was not run: the question was dismissed", tool.name),
                "dismissed",
            ),
        },
        Err(error) => (
            format!(
                "`{}` was not run, because nobody confirmed it: {error}",
                tool.name
            ),
            "unavailable",
        ),
    };
    Some(refusal(&text, action))
}

fn refusal(text: &str, why: &str) -> ToolOutput {
    let mut facts = Map::new();
    facts.insert("code".to_owned(), "not_confirmed".into());
    facts.insert("reason".to_owned(), why.into());
    ToolOutput::error_with(text, facts)
}
