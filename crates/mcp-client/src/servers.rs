//! All servers that a host has taken in, and their skills beside the local ones.

use std::collections::BTreeMap;

use metier_skill_protocol::{SkillEntry, Source};
use thiserror::Error;

use crate::command::SkillCommand;
use crate::connection::Connection;
use crate::entry::RemoteSkill;
use crate::label::ServerLabel;
use crate::offer::{ConnectionState, Offer};

/// The connections of a host, each under a label of its own.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    connections: BTreeMap<ServerLabel, Connection>,
}

/// Two servers cannot have one label: what was approved of one would count for the other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is a server `{0}` already; give this one another label")]
pub struct TakenLabel(ServerLabel);

impl Servers {
    /// Takes a server in. One that has ended makes room for another of its label.
    pub fn add(&mut self, connection: Connection) -> Result<(), TakenLabel> {
        let label = connection.label().clone();
        if self
            .connections
            .get(&label)
            .is_some_and(Connection::is_open)
        {
            return Err(TakenLabel(label));
        }
        self.connections.insert(label, connection);
        Ok(())
    }

    /// The server of a label.
    pub fn get(&self, label: &str) -> Option<&Connection> {
        self.connections
            .iter()
            .find(|(own, _)| own.as_str() == label)
            .map(|(_, connection)| connection)
    }

    /// Lets a server go.
    pub fn remove(&mut self, label: &ServerLabel) -> Option<Connection> {
        self.connections.remove(label)
    }

    /// The servers that have ended, to be told to people. Nothing of theirs is in any list.
    pub fn gone(&self) -> Vec<&ServerLabel> {
        let ended = |connection: &Connection| {
            matches!(
                connection.offer().state,
                ConnectionState::Closed | ConnectionState::Disconnected
            )
        };
        self.connections
            .iter()
            .filter(|(_, connection)| ended(connection))
            .map(|(label, _)| label)
            .collect()
    }

    /// Every command, by label and in the order of each server.
    pub fn commands(&self) -> Vec<SkillCommand> {
        self.connections
            .values()
            .flat_map(|connection| connection.offer().commands.clone())
            .collect()
    }

    /// Every skill for listing, discovery and activation, to be put behind the local ones. They are of the source
    /// `mcp` and asked for by their whole names; never are they tools.
    pub fn entries(&self) -> Vec<SkillEntry> {
        self.connections
            .values()
            .flat_map(|connection| {
                let offer = connection.offer();
                let of = |command: &SkillCommand| entry_of(&offer, command);
                offer.commands.iter().filter_map(of).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The server and the URI that the id of an entry means.
    pub fn meant_by(&self, id: &str) -> Option<(&Connection, String)> {
        let (label, uri) = id.strip_prefix(ID)?.split_once(':')?;
        Some((self.get(label)?, uri.to_owned()))
    }
}

/// How the ids of remote skills begin; labels hold no colon, so that the rest is the URI.
const ID: &str = "mcp:";

fn entry_of(offer: &Offer, command: &SkillCommand) -> Option<SkillEntry> {
    let skill = offer.skill(command.uri.as_deref()?)?;
    if command.unusable.is_some() {
        return None;
    }
    Some(entry(command, skill))
}

pub(crate) fn entry(command: &SkillCommand, skill: &RemoteSkill) -> SkillEntry {
    let id = format!("{ID}{}:{}", command.server, skill.uri);
    let mut entry = SkillEntry::new(id, command.name.clone(), command.description.clone());
    entry.when_to_use.clone_from(&command.when_to_use);
    entry.source = Source::Mcp;
    entry.only_for_users = command.disable_model_invocation;
    entry.front_matter.clone_from(&skill.front_matter);
    entry
}
