//! Finds the place of a thing in a file again, where only its name is left after reading.

use metier_diagnostics::Location;
use metier_loader::place_of_tool;

use crate::subject::{SKILL_FILE, Subject};

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
