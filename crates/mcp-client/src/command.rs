//! What a server offers, as commands of the host.

use metier_skill_protocol::{Effect, one_line};
use serde::Serialize;
use serde_json::Value;

use crate::entry::{FileSet, RemoteSkill};
use crate::flag::Flag;
use crate::label::ServerLabel;

/// The most characters of a description.
const DESCRIPTION: usize = 1536;
/// The most characters of a name that a server chose.
const NAME: usize = 128;

/// What kind of command it is. A host has others; from servers come prompts alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandKind {
    /// A text that is put into the conversation.
    Prompt,
    /// Something that the host does by itself.
    Local,
}

/// Where a command was loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoadedFrom {
    /// A skill of an MCP server.
    Mcp,
    /// A prompt of an MCP server: a command beside the skills, and none of them.
    McpPrompt,
    /// A folder of this machine.
    Skills,
    /// It comes with the host.
    Bundled,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SkillCommand {
    /// What kind it is.
    pub kind: CommandKind,
    /// Where it was loaded from.
    pub loaded_from: LoadedFrom,
    /// The host's label for the server.
    pub server: ServerLabel,
    /// `LABEL:NAME`, which no local skill can have; longer where one server has a name twice.
    pub name: String,
    /// What it is for, on one line. Written by a stranger.
    pub description: String,
    /// When to use it; empty when not written.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub when_to_use: String,
    /// The URI of the SKILL.md; none for prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// What the server calls the prompt; none for skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The names of a prompt's arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Only a person may invoke it.
    pub disable_model_invocation: bool,
    /// A person may invoke it.
    pub user_invocable: bool,
    /// What it asks of the host. Nothing of it is given without approval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Effect>,
    /// Why its files cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// The commands that a model may call as skills: of the kind prompt, from the skills of a server, not for persons
/// alone, and only while the flag is on.
pub fn skill_commands(commands: &[SkillCommand], flag: Flag) -> Vec<&SkillCommand> {
    let passes = |command: &&SkillCommand| {
        command.kind == CommandKind::Prompt
            && command.loaded_from == LoadedFrom::Mcp
            && !command.disable_model_invocation
            && flag.is_on()
    };
    commands.iter().filter(passes).collect()
}

impl SkillCommand {
    pub(crate) fn of_skill(server: &ServerLabel, skill: &RemoteSkill) -> Self {
        Self {
            kind: CommandKind::Prompt,
            loaded_from: LoadedFrom::Mcp,
            server: server.clone(),
            name: format!("{server}:{}", skill.name),
            description: one_line(skill.text_of("description"), DESCRIPTION),
            when_to_use: one_line(
                [skill.text_of("when_to_use"), skill.text_of("when-to-use")]
                    .concat()
                    .as_str(),
                DESCRIPTION,
            ),
            uri: Some(skill.uri.clone()),
            prompt: None,
            arguments: Vec::new(),
            disable_model_invocation: is_true(skill.front_matter.get("disable-model-invocation")),
            user_invocable: skill
                .front_matter
                .get("user-invocable")
                .is_none_or(|value| is_true(Some(value))),
            asks: skill.asks(),
            unusable: matches!(skill.files, FileSet::Dynamic).then(|| {
                "its files change all the time, so that nothing can be verified".to_owned()
            }),
        }
    }

    /// A prompt of `prompts/list`; `None` when it has no name that can be shown.
    pub(crate) fn of_prompt(server: &ServerLabel, prompt: &Value) -> Option<Self> {
        let text = |key: &str| prompt.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("name");
        if name.is_empty() || one_line(name, NAME) != name {
            return None;
        }
        let arguments = prompt.get("arguments").and_then(Value::as_array);
        let arguments = arguments.into_iter().flatten().take(64);
        Some(Self {
            kind: CommandKind::Prompt,
            loaded_from: LoadedFrom::McpPrompt,
            server: server.clone(),
            name: format!("{server}:prompt:{name}"),
            description: one_line(text("description"), DESCRIPTION),
            when_to_use: String::new(),
            uri: None,
            prompt: Some(name.to_owned()),
            arguments: arguments
                .filter_map(|argument| argument.get("name")?.as_str())
                .map(|name| one_line(name, NAME))
                .collect(),
            disable_model_invocation: true,
            user_invocable: true,
            asks: Vec::new(),
            unusable: None,
        })
    }
}

/// What a YAML author may mean by yes.
fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(on)) => *on,
        Some(Value::String(word)) => {
            ["true", "yes", "on", "1"].contains(&word.trim().to_lowercase().as_str())
        }
        Some(Value::Number(number)) => number.as_i64() == Some(1),
        _ => false,
    }
}
