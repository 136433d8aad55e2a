//! A SKILL.md inside a skill.

use metier_catalog::nested_skill_files;
use metier_diagnostics::Diagnostic;

use crate::subject::Subject;

pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnostic> {
    let paths = subject.files().files.keys().map(String::as_str);
    nested_skill_files(&subject.metadata().name, subject.display_path, paths)
}
