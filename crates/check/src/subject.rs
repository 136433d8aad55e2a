//! A skill as the rules see it: what the loader made of it, and its files.

use std::cell::OnceCell;
use std::path::Path;

use metier_diagnostics::{LineIndex, Location};
use metier_loader::{FileList, LoadedSkill};
use metier_skill_model::SkillMetadata;

use crate::report::named_from_outside;

/// The file that makes a folder a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";
/// The file with further dependencies.
pub(crate) const DEPENDS_FILE: &str = "metadata/depends.md";

/// How many files of a skill are looked at.
const MOST_FILES: usize = 5000;
/// The largest file that is read.
const LARGEST: u64 = 1024 * 1024;

/// One skill under check.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) skill: &'a LoadedSkill,
    /// Its folder below the root; the skill itself may have been read without the root.
    pub(crate) display_path: &'a str,
    list: OnceCell<FileList>,
    tools_text: OnceCell<Option<String>>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(skill: &'a LoadedSkill, display_path: &'a str) -> Self {
        Self {
            skill,
            display_path,
            list: OnceCell::new(),
            tools_text: OnceCell::new(),
        }
    }

    pub(crate) fn metadata(&self) -> &'a SkillMetadata {
        &self.skill.metadata
    }

    /// A file of the skill as shown to people: below the root.
    pub(crate) fn shown(&self, file: &str) -> String {
        if self.display_path.is_empty() {
            file.to_owned()
        } else {
            format!("{}/{file}", self.display_path)
        }
    }

    /// A file of the skill as a whole.
    pub(crate) fn whole(&self, file: &str) -> Location {
        Location::file(self.shown(file))
    }

    /// A place in a file of the skill.
    pub(crate) fn place(&self, file: &str, text: &str, span: std::ops::Range<usize>) -> Location {
        LineIndex::new(text).locate(self.shown(file), span)
    }

    /// The text of a file; `None` when there is none, or none that is text.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        String::from_utf8(self.skill.files.read(file, LARGEST).ok()?).ok()
    }

    /// The text of its tools file, read once for all rules.
    pub(crate) fn tools_text(&self) -> Option<&str> {
        let read = || self.text(&self.tools_file()?);
        self.tools_text.get_or_init(read).as_deref()
    }

    /// Every file of the skill, listed once for all rules.
    pub(crate) fn files(&self) -> &FileList {
        self.list
            .get_or_init(|| self.skill.files.list(MOST_FILES).unwrap_or_default())
    }

    /// The path of its tools file, when it names one.
    pub(crate) fn tools_file(&self) -> Option<String> {
        self.skill.tools_file()
    }
}

/// The SKILL.md of a skill, as it is shown to people.
pub(crate) fn skill_file(root: &Path, display_path: &str) -> String {
    let below = match display_path {
        "" => SKILL_FILE.to_owned(),
        folder => format!("{folder}/{SKILL_FILE}"),
    };
    named_from_outside(root, &below)
}
