//! Scripts that no tool runs and nothing mentions.

use metier_diagnostics::Diagnostic;
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
            .any(|(file, text)| *file != path && mentions(text, stem))
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

/// Whether a text holds a word, not as a part of a longer one.
fn mentions(text: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let after = text.get(at + word.len()..);
            !inside(before) && !inside(after.and_then(|tail| tail.chars().next()))
        })
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn a_word_is_no_part_of_another() {
        assert!(mentions("base-a base base_b", "base"));
        assert!(!mentions("base-a base_b", "base"));
        assert!(!mentions("a", ""));
    }
}
