//! A skill in use: what was approved is held for as long as it acts.

use std::collections::BTreeSet;

use metier_loader::body_of;
use metier_skill_protocol::{Activation, ActivationRefusal, Effect, SkillText, open};

use crate::approval::{Approvals, Approved};
use crate::command::SkillCommand;
use crate::connection::Connection;
use crate::entry::FileSet;
use crate::origin::Origin;
use crate::reading::{OpenedSkill, ReadFault};
use crate::servers::entry;
use crate::uri::SKILL_FILE;

/// A remote skill that acts. It holds the entry that was approved: whatever the server lists meanwhile, only files of
/// that entry are read, and only with the bytes that it promised. Another skill, one in a folder below as well,
/// needs a window of its own.
#[derive(Clone, Debug)]
pub struct ActingWindow {
    connection: Connection,
    held: OpenedSkill,
    rights: BTreeSet<String>,
}

/// A file that was read while acting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActingFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whose they are.
    pub origin: Origin,
}

impl ActingWindow {
    /// Opens a skill that is approved as it is now.
    pub async fn open(
        connection: &Connection,
        uri: &str,
        approvals: &mut Approvals,
    ) -> Result<Self, ReadFault> {
        let held = connection.open_skill(uri).await?;
        match approvals.look(connection.label(), &held.skill) {
            Approved::Yes { rights } => Ok(Self {
                connection: connection.clone(),
                held,
                rights,
            }),
            Approved::Never => Err(ReadFault::NotApproved),
            Approved::Changed { difference } => Err(ReadFault::Changed(difference)),
        }
    }

    /// The skill as it was opened.
    pub fn held(&self) -> &OpenedSkill {
        &self.held
    }

    /// The instructions, framed by their origin.
    pub fn instructions(&self) -> String {
        self.held.origin.framed(&self.held.text)
    }

    /// The skill as an activation, as a local one has it: arguments put in, the text framed by its origin, and in the
    /// scope only what was granted.
    ///
    /// # Errors
    /// The text is hostile.
    pub fn activation(&self, arguments: &str) -> Result<Activation, ActivationRefusal> {
        let skill = &self.held.skill;
        let command = SkillCommand::of_skill(self.connection.label(), skill);
        let mut entry = entry(&command, skill);
        for effect in self.ignored() {
            entry.front_matter.remove(&effect.key);
        }
        let bytes = self.held.text.as_bytes();
        let body = body_of(bytes).and_then(|body| std::str::from_utf8(body).ok());
        let files: Vec<String> = match &skill.files {
            FileSet::Listed(files) => files.iter().map(|file| file.path.clone()).collect(),
            FileSet::Dynamic | FileSet::Unpromised => Vec::new(),
        };
        let others: Vec<String> = files
            .into_iter()
            .filter(|path| path != SKILL_FILE)
            .collect();
        let text = SkillText::new(
            &self.held.text,
            body.unwrap_or(&self.held.text),
            skill.root().trim_end_matches('/'),
        )
        .with_files(&others)
        .with_verdict(&self.held.verdict);
        let mut activation = open(&entry, text, arguments)?;
        activation.text = self.held.origin.framed(&activation.text);
        Ok(activation)
    }

    /// What it asks of the host and was granted.
    pub fn granted(&self) -> Vec<Effect> {
        self.asks(true)
    }

    /// What it asks of the host and does not get.
    pub fn ignored(&self) -> Vec<Effect> {
        self.asks(false)
    }

    fn asks(&self, granted: bool) -> Vec<Effect> {
        let asks = self.held.skill.asks().into_iter();
        asks.filter(|effect| self.rights.contains(&effect.key) == granted)
            .collect()
    }

    /// Reads a file of the skill by its URI or its path below the skill.
    pub async fn read(&self, asked: &str) -> Result<ActingFile, ReadFault> {
        let bytes = self.connection.read_file(&self.held.skill, asked).await?;
        let uri = self.held.skill.file(asked).map_or(asked, |file| &file.uri);
        let origin = Origin::of(self.connection.label().clone(), uri, &bytes);
        Ok(ActingFile { bytes, origin })
    }
}
