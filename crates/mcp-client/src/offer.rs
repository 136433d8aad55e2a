//! What a server offers right now, as one immutable value.

use std::fmt::Display;
use std::sync::Arc;

use metier_skill_protocol::one_line;
use serde::Serialize;
use serde_json::Value;

use crate::command::SkillCommand;
use crate::entry::RemoteSkill;
use crate::label::ServerLabel;
use crate::names::told_apart;

/// How a connection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// The flag is off: nothing was asked, and nothing will be.
    #[default]
    Off,
    /// The server answers.
    Open,
    /// The server or the transport ended it.
    Closed,
    /// This host ended it.
    Disconnected,
}

/// Something about a server that a person should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it is about: a URI, or the method that was asked.
    pub about: String,
    /// What was found.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(about: &str, message: &dyn Display) -> Self {
        Self {
            about: one_line(about, 300),
            message: one_line(&message.to_string(), 500),
        }
    }
}

/// A resource, as listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResourceCard {
    /// Its URI.
    pub uri: String,
    /// Its name.
    pub name: String,
}

/// What one server offers. It never changes; a refresh makes another one.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Offer {
    /// One more for each change that was published.
    pub generation: u64,
    /// How the connection stands.
    pub state: ConnectionState,
    /// Prompts and skills as commands, prompts first.
    pub commands: Vec<SkillCommand>,
    /// The skills, in the order of the server's list.
    pub skills: Vec<Arc<RemoteSkill>>,
    /// The resources.
    pub resources: Vec<ResourceCard>,
    /// What is wrong, or left out.
    pub findings: Vec<Finding>,
    /// Whether the server has told its skills, or has none to tell. When it did not answer, the ones that are here are
    /// those of its last answer.
    pub skills_are_known: bool,
    #[serde(skip)]
    pub(crate) parts: Parts,
}

/// One list and what was found about it.
#[derive(Clone, Debug)]
pub(crate) struct Part<T> {
    pub(crate) items: Vec<T>,
    pub(crate) findings: Vec<Finding>,
    /// The last question was not answered.
    pub(crate) is_stale: bool,
}

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            findings: Vec::new(),
            is_stale: false,
        }
    }
}

/// The three lists, each of which is replaced alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) resources: Part<ResourceCard>,
    pub(crate) prompts: Part<SkillCommand>,
    pub(crate) skills: Part<Arc<RemoteSkill>>,
}

impl Offer {
    pub(crate) fn of(server: &ServerLabel, generation: u64, parts: Parts) -> Self {
        let of_skills = parts.skills.items.iter();
        let mut commands: Vec<SkillCommand> = parts.prompts.items.clone();
        commands.extend(of_skills.map(|skill| SkillCommand::of_skill(server, skill)));
        told_apart(&mut commands);
        let findings = [
            &parts.resources.findings,
            &parts.prompts.findings,
            &parts.skills.findings,
        ];
        Self {
            generation,
            state: ConnectionState::Open,
            commands,
            skills: parts.skills.items.clone(),
            resources: parts.resources.items.clone(),
            findings: findings.into_iter().flatten().cloned().collect(),
            skills_are_known: !parts.skills.is_stale,
            parts,
        }
    }

    pub(crate) fn ended(generation: u64, state: ConnectionState) -> Self {
        Self {
            generation,
            state,
            ..Self::default()
        }
    }

    /// The skill of a URI.
    pub fn skill(&self, uri: &str) -> Option<&Arc<RemoteSkill>> {
        self.skills.iter().find(|skill| skill.uri == uri)
    }

    /// The command of a whole name.
    pub fn command(&self, name: &str) -> Option<&SkillCommand> {
        self.commands.iter().find(|command| command.name == name)
    }
}

pub(crate) fn resource_card(resource: &Value) -> Option<ResourceCard> {
    let text = |key: &str| resource.get(key).and_then(Value::as_str);
    Some(ResourceCard {
        uri: one_line(text("uri")?, 500),
        name: one_line(text("name").unwrap_or_default(), 200),
    })
}
