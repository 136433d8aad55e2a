//! What a person has agreed to: one skill of one server, with exactly these files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::difference::Difference;
use crate::entry::{FileSet, RemoteFile, RemoteSkill};
use crate::label::ServerLabel;

/// Approvals by server and skill. Plain data; whoever keeps it writes it as JSON.
///
/// Reading refuses a server or a skill that stands there twice: which of two approvals counts is nothing to guess at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Approvals {
    servers: Once<Once<Approval>>,
}

/// A map each of whose keys is read once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
struct Once<V>(BTreeMap<String, V>);

/// One approval, as it is shown to a person.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Given<'a> {
    /// The label of the server.
    pub server: &'a str,
    /// The address of the skill on it.
    pub skill: &'a str,
    /// The files that were approved, with digest and size.
    pub files: &'a [RemoteFile],
    /// Keys of the front matter whose request was granted.
    pub rights: &'a BTreeSet<String>,
    /// Whether the skill was seen to differ since: only a new approval helps then.
    pub revoked: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Approval {
    files: Vec<RemoteFile>,
    front_matter: Map<String, Value>,
    /// Keys of the front matter whose request was granted as well.
    #[serde(default)]
    rights: BTreeSet<String>,
    /// Once the set was seen to differ, only a new approval helps, even if it changes back.
    #[serde(default)]
    revoked: bool,
}

impl Approval {
    fn given<'a>(&'a self, server: &'a str, skill: &'a str) -> Given<'a> {
        Given {
            server,
            skill,
            files: &self.files,
            rights: &self.rights,
            revoked: self.revoked,
        }
    }
}

/// How a skill stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
#[non_exhaustive]
pub enum Approved {
    /// These very files were approved.
    Yes {
        /// Keys of the front matter whose request was granted.
        rights: BTreeSet<String>,
    },
    /// Nobody was asked.
    Never,
    /// Others were approved.
    Changed {
        /// What is other; empty when the set has changed back meanwhile.
        difference: Difference,
    },
}

/// Why a skill cannot be approved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApproveFault {
    /// Nothing is known that an approval could be bound to.
    #[error("the skill has no list of files that an approval could be bound to; open it first")]
    NoFiles,
    /// It asks for no such thing.
    #[error("the skill does not ask for `{0}`")]
    NotAsked(String),
}

impl Approvals {
    /// Approves these files of the skill, and of what it asks for the named keys alone.
    pub fn approve<'r>(
        &mut self,
        server: &ServerLabel,
        skill: &RemoteSkill,
        rights: impl IntoIterator<Item = &'r str>,
    ) -> Result<(), ApproveFault> {
        let FileSet::Listed(files) = &skill.files else {
            return Err(ApproveFault::NoFiles);
        };
        let asked: BTreeSet<String> = skill.asks().into_iter().map(|effect| effect.key).collect();
        let rights: BTreeSet<String> = rights.into_iter().map(str::to_owned).collect();
        if let Some(other) = rights.difference(&asked).next() {
            return Err(ApproveFault::NotAsked(other.clone()));
        }
        let approval = Approval {
            files: files.clone(),
            front_matter: skill.front_matter.clone(),
            rights,
            revoked: false,
        };
        let of_server = self.servers.0.entry(server.to_string()).or_default();
        of_server.0.insert(skill.uri.clone(), approval);
        Ok(())
    }

    /// How the skill stands now. A difference is remembered: the approval is gone from here on.
    pub fn look(&mut self, server: &ServerLabel, skill: &RemoteSkill) -> Approved {
        let found = self
            .servers
            .0
            .get_mut(server.as_str())
            .and_then(|of_server| of_server.0.get_mut(&skill.uri));
        let Some(approval) = found else {
            return Approved::Never;
        };
        let files: &[RemoteFile] = match &skill.files {
            FileSet::Listed(files) => files,
            FileSet::Dynamic => &[],
            // Nothing is known yet, so nothing can differ: opening the skill tells.
            FileSet::Unpromised => return Approved::Never,
        };
        let difference = Difference::between(
            (&approval.files, &approval.front_matter),
            (files, &skill.front_matter),
        );
        if !difference.is_empty() {
            approval.revoked = true;
        }
        if approval.revoked {
            return Approved::Changed { difference };
        }
        Approved::Yes {
            rights: approval.rights.clone(),
        }
    }

    /// Takes an approval back. Whether there was one.
    pub fn revoke(&mut self, server: &ServerLabel, uri: &str) -> bool {
        let mut was_there = false;
        self.retain(|given| {
            let is_meant = given.server == server.as_str() && given.skill == uri;
            was_there |= is_meant;
            !is_meant
        });
        was_there
    }

    /// Takes back every approval that `keep` does not want to stay.
    pub fn retain(&mut self, mut keep: impl FnMut(&Given<'_>) -> bool) {
        self.servers.0.retain(|server, of_server| {
            of_server
                .0
                .retain(|skill, approval| keep(&approval.given(server, skill)));
            !of_server.0.is_empty()
        });
    }

    /// Every approval, by server and skill.
    pub fn all(&self) -> impl Iterator<Item = Given<'_>> {
        self.servers.0.iter().flat_map(|(server, of_server)| {
            let skills = of_server.0.iter();
            skills.map(|(skill, approval)| approval.given(server, skill))
        })
    }

    /// The URIs that were approved of a server, changed ones among them.
    pub fn of_server(&self, server: &ServerLabel) -> Vec<&str> {
        let of_server = self.servers.0.get(server.as_str());
        of_server
            .into_iter()
            .flat_map(|of_server| of_server.0.keys())
            .map(String::as_str)
            .collect()
    }
}

impl<V> Default for Once<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Once<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EachOnce(PhantomData))
    }
}

struct EachOnce<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EachOnce<V> {
    type Value = Once<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object without a member twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Once<V>, A::Error> {
        let mut read = BTreeMap::new();
        while let Some((key, value)) = members.next_entry::<String, V>()? {
            if read.contains_key(&key) {
                return Err(A::Error::custom(format!("`{key}` stands there twice")));
            }
            read.insert(key, value);
        }
        Ok(Once(read))
    }
}
