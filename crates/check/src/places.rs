//! Finds the place of a thing in a file again, where only its name is left after reading.

use metier_diagnostics::Location;
use metier_loader::place_of_tool;
pub(crate) use metier_loader::place_of_word as word;

use crate::subject::{DEPENDS_FILE, SKILL_FILE, Subject};

/// Where a skill names one of its dependencies.
pub(crate) fn of_dependency(subject: &Subject<'_>, name: &str) -> Location {
    if let Some(text) = subject.text(SKILL_FILE) {
        let end = text.find("\n---").unwrap_or(text.len());
        let front = text.get(..end).unwrap_or_default();
        let found = front
            .find("depends")
            .and_then(|from| word(front, name, from));
        if let Some(span) = found {
            return subject.place(SKILL_FILE, &text, span);
        }
    }
    if let Some(text) = subject.text(DEPENDS_FILE)
        && let Some(span) = word(&text, name, 0)
    {
        return subject.place(DEPENDS_FILE, &text, span);
    }
    subject.whole(SKILL_FILE)
}

/// Where the tools file names a tool, or one word behind that.
pub(crate) fn of_tool(subject: &Subject<'_>, tool: &str, behind: Option<&str>) -> Location {
    let Some(file) = subject.tools_file() else {
        return subject.whole(SKILL_FILE);
    };
    let Some(text) = subject.text(&file) else {
        return subject.whole(&file);
    };
    match place_of_tool(&text, tool, behind) {
        Some(span) => subject.place(&file, &text, span),
        None => subject.whole(&file),
    }
}
