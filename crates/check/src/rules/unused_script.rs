//! Scripts that no tool runs and nothing mentions.

use metier_diagnostics::Diagnostic;
use metier_loader::place_of_word;
use metier_skill_model::ScriptLookup;

use crate::codes::UNUSED_SCRIPT;
use crate::subject::{SKILL_FILE, Subject};

/// Files that can name a script.
const TEXTS: [&str; 16] = [
    "py", "sh", "bash", "bat", "cmd", "ps1", "mel", "ms", "lua", "hscript", "js", "md", "yaml",
    "yml", "json", "txt",
];

/// Helpers that other scripts import or the text names are in use; their names are looked for.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnostic> {
    let metadata = subject.metadata();
    let tools_file = subject.tools_file()?;
    if metadata.tools.is_empty() {
        return None;
    }
    let is_run = |path: &String| {
        metadata
            .tools
            .iter()
            .any(|tool| matches!(&tool.script, ScriptLookup::Script { path: run } if run == path))
    };
    let idle: Vec<&String> = metadata
        .scripts
        .iter()
        .filter(|path| !is_run(path))
        .collect();
    if idle.is_empty() {
        return None;
    }
    let mut texts: Vec<(&str, String)> = [SKILL_FILE, tools_file.as_str()]
        .into_iter()
        .filter_map(|file| Some((file, subject.text(file)?)))
        .collect();
    let others = subject.files().files.keys().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name != SKILL_FILE && **path != tools_file && may_mention(name)
    });
    texts.extend(others.filter_map(|path| Some((path.as_str(), subject.text(path)?))));
    let mentioned = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        texts
            .iter()
            .any(|(file, text)| *file != path && place_of_word(text, stem, 0).is_some())
    };
    let unused: Vec<&String> = idle.into_iter().filter(|path| !mentioned(path)).collect();
    let first = unused.first()?;
    let message = match unused.len() {
        1 => format!("no tool runs `{first}`, and nothing in the skill mentions it"),
        number => format!(
            "no tool runs `{first}` and {} more, and nothing in the skill mentions them",
            number - 1
        ),
    };
    let mut about = Diagnostic::info(UNUSED_SCRIPT, message);
    for path in unused {
        about = about.at(subject.whole(path), "");
    }
    Some(about.help("declare a tool for it with `source_file`, or remove it"))
}

/// Text and programs; pictures and scenes are not searched.
fn may_mention(name: &str) -> bool {
    let Some((_, extension)) = name.rsplit_once('.') else {
        return false;
    };
    TEXTS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}
