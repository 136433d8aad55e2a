//! A SKILL.md inside a skill: it is a file like any other there, and never a skill.

use metier_diagnostics::Diagnostic;

use crate::codes::NESTED_SKILL_FILE;
use crate::subject::{SKILL_FILE, Subject};

pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnostic> {
    let nested: Vec<&String> = subject
        .files()
        .files
        .keys()
        .filter(|path| {
            let name = path.rsplit_once('/').map(|(_, name)| name);
            name.is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        })
        .collect();
    if nested.is_empty() {
        return None;
    }
    let message = format!(
        "inside `{}` a SKILL.md is a supporting file, no skill of its own",
        subject.metadata().name
    );
    let mut about = Diagnostic::info(NESTED_SKILL_FILE, message);
    for path in nested {
        about = about.at(subject.whole(path), "");
    }
    Some(about.help("move it out of the folder if it is meant as a skill"))
}
