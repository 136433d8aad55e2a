//! A prompt of a server, filled in.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::connection::Connection;
use crate::origin::Origin;
use crate::reading::ReadFault;
use crate::server::ServerFault;

/// The most messages of a prompt.
const MOST_MESSAGES: usize = 200;

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who is to have said it.
    pub role: PromptRole,
    /// A text, framed by its origin; none when the content is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Any other content, as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Value>,
}

/// Who is to have said a message. A server cannot speak as anybody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptRole {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Connection {
    /// Fills in a prompt by the whole name of its command. Only a person may ask for that: a prompt is no skill, and
    /// nothing of it can be verified.
    pub async fn prompt(
        &self,
        command: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<PromptMessage>, ReadFault> {
        self.allowed()?;
        let offer = self.offer();
        let name = offer
            .command(command)
            .and_then(|command| command.prompt.clone());
        let name = name.ok_or_else(|| ReadFault::NoSuchPrompt(crate::entry::shown(command)))?;
        let answer = self.ask(self.inner.server.prompt(name, arguments)).await?;
        let messages = answer.get("messages").and_then(Value::as_array);
        let messages = messages.ok_or_else(|| unreadable("it has no list of messages"))?;
        if messages.len() > MOST_MESSAGES {
            return Err(unreadable(&format!(
                "it has more than {MOST_MESSAGES} messages"
            )));
        }
        messages
            .iter()
            .map(|message| self.message(command, message))
            .collect()
    }

    fn message(&self, command: &str, message: &Value) -> Result<PromptMessage, ReadFault> {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("user") => PromptRole::User,
            Some("assistant") => PromptRole::Assistant,
            _ => {
                return Err(unreadable(
                    "a message is neither the user's nor the model's",
                ));
            }
        };
        let content = message.get("content").unwrap_or(&Value::Null);
        let text = match content.get("type").and_then(Value::as_str) {
            Some("text") => content.get("text").and_then(Value::as_str),
            _ => None,
        };
        let framed =
            |text: &str| Origin::of(self.label().clone(), command, text.as_bytes()).framed(text);
        Ok(PromptMessage {
            role,
            text: text.map(framed),
            other: text.is_none().then(|| content.clone()),
        })
    }
}

fn unreadable(what: &str) -> ReadFault {
    ServerFault::Unreadable(format!("the prompt: {what}")).into()
}
