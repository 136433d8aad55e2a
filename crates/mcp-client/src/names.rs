//! Names of commands: none hides another, on either side.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::SkillCommand;

/// Local names and the commands of servers, side by side.
///
/// A bare name is a local one, whatever servers offer; a command of a server answers to its whole name alone. So
/// neither can stand in for the other.
#[derive(Clone, Debug, Default)]
pub struct CommandNames<'c> {
    local: Vec<&'c str>,
    remote: BTreeMap<&'c str, &'c SkillCommand>,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning<'c> {
    /// A local skill.
    Local(&'c str),
    /// A command of a server.
    Remote(&'c SkillCommand),
    /// Nothing; these whole names end with it.
    Unknown(Vec<&'c str>),
}

impl<'c> CommandNames<'c> {
    /// The names of both sides.
    pub fn new(
        local: impl IntoIterator<Item = &'c str>,
        commands: impl IntoIterator<Item = &'c SkillCommand>,
    ) -> Self {
        let mut names = Self {
            local: local.into_iter().collect(),
            remote: BTreeMap::new(),
        };
        for command in commands {
            names.remote.entry(&command.name).or_insert(command);
        }
        names
    }

    /// What a name means. A leading `/` is how people write commands.
    pub fn meaning(&self, name: &str) -> Meaning<'c> {
        let name = name.trim().trim_start_matches('/');
        if let Some(local) = self.local.iter().find(|local| **local == name) {
            return Meaning::Local(local);
        }
        if let Some(command) = self.remote.get(name) {
            return Meaning::Remote(command);
        }
        let ends_so = |whole: &str| {
            let bare = whole.split_once(':').map_or(whole, |(_, bare)| bare);
            !name.is_empty() && (bare == name || bare.rsplit(['/', ':']).next() == Some(name))
        };
        Meaning::Unknown(
            self.remote
                .keys()
                .copied()
                .filter(|whole| ends_so(whole))
                .collect(),
        )
    }

    /// Local names that servers offer as well, each with the whole names of those; for a word to the user.
    pub fn shared(&self) -> Vec<(&'c str, Vec<&'c str>)> {
        let of = |local: &'c str| {
            let same = |whole: &&str| whole.split_once(':').is_some_and(|(_, bare)| bare == local);
            let whole: Vec<&str> = self.remote.keys().copied().filter(same).collect();
            (local, whole)
        };
        self.local
            .iter()
            .map(|local| of(local))
            .filter(|(_, whole)| !whole.is_empty())
            .collect()
    }
}

/// Gives commands of one server that share a name the path of their skill as well, and a number where even that is
/// the same, so that each has a name of its own. The order of the server's list decides nothing but the numbers.
pub(crate) fn told_apart(commands: &mut [SkillCommand]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for command in commands.iter() {
        *count.entry(command.name.clone()).or_default() += 1;
    }
    for command in commands.iter_mut() {
        if count.get(&command.name).copied().unwrap_or_default() < 2 {
            continue;
        }
        if let Some(path) = command.uri.as_deref().and_then(path_of) {
            command.name = format!("{}:{path}", command.server);
        }
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for command in commands.iter_mut() {
        let name = command.name.clone();
        let mut number = 1;
        // A number may be another command's own word.
        while !taken.insert(command.name.clone()) {
            number += 1;
            command.name = format!("{name}#{number}");
        }
    }
}

/// `a/b` of `skill://a/b/SKILL.md`.
fn path_of(uri: &str) -> Option<&str> {
    uri.split_once("://")?.1.strip_suffix("/SKILL.md")
}
