//! Files and folders that nearly have a name that is looked for, and so are never read.

use metier_diagnostics::Diagnostic;
use metier_skill_model::ScriptLookup;

use crate::codes::NEARLY_NAMED;
use crate::subject::{DEPENDS_FILE, Subject};

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    found.extend(tools_file(subject));
    found.extend(scripts_folder(subject));
    found.extend(depends_file(subject));
    found
}

/// `tools.yml` in a skill that names no tools file. The loader looks for `tools.yaml` itself.
fn tools_file(subject: &Subject<'_>) -> Option<Diagnostic> {
    let files = &subject.files().files;
    if subject.tools_file().is_some() || files.contains_key("tools.yaml") {
        return None;
    }
    let near = files.keys().find(|path| {
        let plain = path.to_ascii_lowercase();
        matches!(
            plain.as_str(),
            "tools.yaml" | "tools.yml" | "tool.yaml" | "tool.yml"
        )
    })?;
    let message = format!("`{near}` is not read, because the front matter does not name it");
    let about = Diagnostic::warning(NEARLY_NAMED, message).at(subject.whole(near), "");
    Some(about.help(format!("add `metadata.dcc-mcp.tools: {near}`")))
}

/// `script/` or `Scripts/` in a skill that has tools without a script, or no tools at all.
fn scripts_folder(subject: &Subject<'_>) -> Option<Diagnostic> {
    let tools = &subject.metadata().tools;
    let wanting = |found: &ScriptLookup| !matches!(found, ScriptLookup::Script { .. });
    if !tools.is_empty() && !tools.iter().any(|tool| wanting(&tool.script)) {
        return None;
    }
    let folders = subject
        .files()
        .files
        .keys()
        .filter_map(|path| path.split_once('/').map(|(folder, _)| folder));
    let folders: Vec<&str> = folders.collect();
    if folders.contains(&"scripts") {
        return None;
    }
    let near = folders.into_iter().find(|folder| {
        let plain = folder.to_ascii_lowercase();
        matches!(plain.as_str(), "scripts" | "script")
    })?;
    let message = format!("scripts are looked for in `scripts/`, not in `{near}/`");
    let about = Diagnostic::warning(NEARLY_NAMED, message).at(subject.whole(near), "");
    Some(about.help("rename the folder to `scripts`"))
}

/// `depends.md` at the wrong place, or in another spelling.
fn depends_file(subject: &Subject<'_>) -> Option<Diagnostic> {
    let files = &subject.files().files;
    if files.contains_key(DEPENDS_FILE) {
        return None;
    }
    let near = files.keys().find(|path| {
        let plain = path.to_ascii_lowercase();
        matches!(
            plain.as_str(),
            "depends.md"
                | "metadata/depends.md"
                | "metadata/depend.md"
                | "metadata/dependencies.md"
        )
    })?;
    let message = format!("dependencies are read from `{DEPENDS_FILE}`, not from `{near}`");
    let about = Diagnostic::warning(NEARLY_NAMED, message).at(subject.whole(near), "");
    Some(about.help(format!("move it to `{DEPENDS_FILE}`")))
}
