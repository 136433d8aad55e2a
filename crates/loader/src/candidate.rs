//! A folder that holds a skill, before anything of it is read.

use std::path::PathBuf;
use std::sync::Arc;

use metier_diagnostics::Diagnostic;
use metier_skill_model::SkillName;

use crate::Root;
use crate::report::{RejectedSkill, SkillId};

/// A folder that holds a skill, before anything of it is read.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) root: Arc<Root>,
    /// The root's part of the id.
    pub(crate) root_id: Arc<str>,
    pub(crate) path: PathBuf,
    pub(crate) display_path: String,
    /// What its folder holds.
    pub(crate) content: SkillFolder,
    /// Its entries, where the walk has seen them.
    pub(crate) listed: Option<Listed>,
}

/// What was seen of a skill's folder when it was listed: reading it later need not look for what is
/// not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SkillFolder {
    /// The name of its SKILL.md, which may be spelled otherwise.
    pub(crate) file_name: String,
    pub(crate) has_scripts: bool,
    pub(crate) has_metadata: bool,
    pub(crate) has_tools_file: bool,
}

/// The entries of a folder, all of them plain files and folders with names of text, so that nobody has to list it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed(String);

impl Listed {
    /// Longer lists are not kept: the memory of a walk is that of its folders.
    const LONGEST: usize = 1_024;
    const END: char = '\0';

    /// Adds one more; `None` where that is one too many.
    pub(crate) fn with(mut self, name: &str, is_folder: bool) -> Option<Self> {
        if self.0.len() + name.len() > Self::LONGEST {
            return None;
        }
        self.0.push_str(name);
        self.0.push_str(if is_folder { "/" } else { "" });
        self.0.push(Self::END);
        Some(self)
    }

    /// The names in the order of the system, and whether each is a folder.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.split_terminator(Self::END).map(|name| {
            name.strip_suffix('/')
                .map_or((name, false), |folder| (folder, true))
        })
    }
}

impl SkillFolder {
    /// Looks at one more entry; the letter case is the file system's business.
    pub(crate) fn note(&mut self, name: &str) {
        self.has_scripts |= name.eq_ignore_ascii_case("scripts");
        self.has_metadata |= name.eq_ignore_ascii_case("metadata");
        self.has_tools_file |= name.eq_ignore_ascii_case("tools.yaml");
    }
}

impl Candidate {
    /// A file of the skill as shown to people: below the root.
    pub(crate) fn shown(&self, file: &str) -> String {
        if self.display_path.is_empty() {
            file.to_owned()
        } else {
            format!("{}/{file}", self.display_path)
        }
    }

    /// The folder's own name, and that of a link to it: the skill may bear either.
    pub(crate) fn folder_names(&self) -> Vec<&str> {
        let linked = self
            .display_path
            .rsplit('/')
            .next()
            .filter(|name| !name.is_empty());
        let own = self.path.file_name().and_then(|name| name.to_str());
        linked.into_iter().chain(own).collect()
    }

    pub(crate) fn id(&self) -> SkillId {
        let names = self.folder_names();
        let path = if self.display_path.is_empty() {
            names.first().copied().unwrap_or(".")
        } else {
            self.display_path.as_str()
        };
        SkillId::new(&self.root_id, path)
    }

    pub(crate) fn reject(
        &self,
        name: Option<String>,
        diagnostics: Vec<Diagnostic>,
    ) -> RejectedSkill {
        let folder = self
            .folder_names()
            .first()
            .copied()
            .unwrap_or(".")
            .to_owned();
        RejectedSkill {
            name: name
                .filter(|name| SkillName::new(name).is_ok())
                .unwrap_or(folder),
            id: self.id(),
            root: Arc::clone(&self.root),
            path: self.path.clone(),
            display_path: self.display_path.clone(),
            diagnostics,
            read: None,
        }
    }
}
