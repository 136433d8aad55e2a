//! Tools whose script nothing runs, told by its extension and by the skill's host application.

use metier_diagnostics::{Diagnostic, Location};
use metier_skill_model::{ScriptLookup, ToolDeclaration};

use crate::codes::SCRIPT_NOT_RUN;
use crate::places::Places;
use crate::subject::{SKILL_FILE, Subject};

/// What an interpreter is looked for.
const RUN: [&str; 8] = ["py", "sh", "bash", "bat", "cmd", "ps1", "js", "lua"];
/// What a host application alone reads, with the one to name.
const OF_HOSTS: [(&str, &str); 3] = [("mel", "maya"), ("ms", "3dsmax"), ("hscript", "houdini")];

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let places = Places::new(subject);
    let metadata = subject.metadata();
    let is_without_host = metadata.dcc.is_empty() || metadata.dcc.eq_ignore_ascii_case("python");
    for tool in &metadata.tools {
        let ScriptLookup::Script { path } = &tool.script else {
            continue;
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is = |known: &str| extension.eq_ignore_ascii_case(known);
        let (message, help) = match OF_HOSTS.into_iter().find(|(known, _)| is(known)) {
            Some((known, host)) if is_without_host => (
                format!(
                    "the tool `{}` runs `{path}`, which only a host application reads, but the skill is for `python`",
                    tool.name
                ),
                format!(
                    "write `dcc: {host}` below `metadata.dcc-mcp`, or whatever host reads `.{known}`"
                ),
            ),
            None if !RUN.into_iter().any(is) => (
                format!("the tool `{}` runs `{path}`, which nothing runs", tool.name),
                "use one of .py, .sh, .bash, .bat, .cmd, .ps1, .js, .lua, .mel, .ms, .hscript"
                    .to_owned(),
            ),
            _ => continue,
        };
        let place = place(subject, &places, tool, path);
        found.push(
            Diagnostic::warning(SCRIPT_NOT_RUN, message)
                .at(place, "")
                .help(help),
        );
    }
    found
}

/// Where the tool names its script; otherwise the script itself, which was found by its name.
fn place(
    subject: &Subject<'_>,
    places: &Places<'_, '_>,
    tool: &ToolDeclaration,
    path: &str,
) -> Location {
    let place = places.value(&tool.name, &["source_file"]);
    if place == subject.whole(SKILL_FILE) {
        return subject.whole(path);
    }
    place
}
