//! A SKILL.md inside a skill: it is a file like any other there, and never a skill.

use metier_diagnostics::{Diagnostic, Location};
use metier_loader::{LoadedSkill, not_for_readers_at};

use crate::codes::NESTED_SKILL_FILE;
use crate::shelf::SKILL_FILE;

/// What is said of the SKILL.md files among the files of a skill, beside its own. `folder` is the skill's, below its root.
pub fn nested_skill_files<'p>(
    skill: &str,
    folder: &str,
    paths: impl Iterator<Item = &'p str>,
) -> Option<Diagnostic> {
    let nested: Vec<&str> = paths.filter(|path| is_nested(path)).collect();
    let others = match nested.split_first()? {
        (_, []) => String::new(),
        (_, more) => {
            // The first place is all that a line has room for.
            let named: Vec<String> = more
                .iter()
                .take(MOST_NAMED)
                .map(|path| format!("`{path}`"))
                .collect();
            let unnamed = match more.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                number => format!(", and {number} more"),
            };
            format!(" (also {}{unnamed})", named.join(", "))
        }
    };
    let message =
        format!("inside `{skill}` a SKILL.md is a supporting file, no skill of its own{others}");
    let mut about = Diagnostic::info(NESTED_SKILL_FILE, message);
    for path in nested {
        let shown = match folder {
            "" => path.to_owned(),
            folder => format!("{folder}/{path}"),
        };
        about = about.at(Location::file(shown), "");
    }
    Some(about.help("move it out of the folder if it is meant as a skill"))
}

/// So many are named beside the first one.
const MOST_NAMED: usize = 5;

/// So many files of a skill are looked at that serves none.
const MOST_FILES: usize = 5_000;

/// The same of the files as they lie in the folder of a skill, for one that serves none of them. Blocks.
pub(crate) fn nested_in_folder(skill: &LoadedSkill) -> Option<Diagnostic> {
    let list = skill.files.list_served(MOST_FILES).ok()?;
    let paths = list.files.keys().map(String::as_str);
    nested_skill_files(&skill.metadata.name, &skill.display_path, paths)
}

fn is_nested(path: &str) -> bool {
    let name = path.rsplit_once('/').map(|(_, name)| name);
    name.is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        && not_for_readers_at(path).is_none()
}
