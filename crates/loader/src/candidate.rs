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
