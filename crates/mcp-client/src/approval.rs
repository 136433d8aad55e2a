//! What a person has agreed to: one skill of one server, with exactly these files.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::difference::Difference;
use crate::entry::{FileSet, RemoteFile, RemoteSkill};
use crate::label::ServerLabel;

/// Approvals by server and skill. Plain data; whoever keeps it writes it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Approvals {
    servers: BTreeMap<String, BTreeMap<String, Approval>>,
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
        let of_server = self.servers.entry(server.to_string()).or_default();
        of_server.insert(skill.uri.clone(), approval);
        Ok(())
    }

    /// How the skill stands now. A difference is remembered: the approval is gone from here on.
    pub fn look(&mut self, server: &ServerLabel, skill: &RemoteSkill) -> Approved {
        let found = self
            .servers
            .get_mut(server.as_str())
            .and_then(|of_server| of_server.get_mut(&skill.uri));
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
        self.servers
            .get_mut(server.as_str())
            .is_some_and(|of_server| of_server.remove(uri).is_some())
    }

    /// The URIs that were approved of a server, changed ones among them.
    pub fn of_server(&self, server: &ServerLabel) -> Vec<&str> {
        let of_server = self.servers.get(server.as_str());
        of_server
            .into_iter()
            .flat_map(BTreeMap::keys)
            .map(String::as_str)
            .collect()
    }
}
