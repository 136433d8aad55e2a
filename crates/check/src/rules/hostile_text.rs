//! Texts of a skill that could turn against whoever reads it: the verdict of the safety rules.

use metier_diagnostics::Diagnostic;
use metier_safety::{Part, Scan};

use crate::subject::{SKILL_FILE, Subject};

/// So many files of a skill are read for it.
const MOST_FILES: usize = 500;
/// What is instructions or a document, by its extension.
const PROSE: [&str; 4] = ["md", "mdx", "txt", "rst"];
/// What is run, by its extension.
const SCRIPTS: [&str; 18] = [
    "py", "sh", "bash", "zsh", "fish", "bat", "cmd", "ps1", "js", "mjs", "cjs", "ts", "mel", "ms",
    "lua", "rb", "pl", "vex",
];

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut scan = Scan::new();
    let tools_file = subject.tools_file();
    if let Some(text) = subject.text(SKILL_FILE) {
        scan.skill_file(&subject.shown(SKILL_FILE), &text);
    }
    for path in subject.files().files.keys().take(MOST_FILES) {
        let shown = subject.shown(path);
        scan.file_name(&shown);
        let Some(part) = part(path, tools_file.as_deref()) else {
            continue;
        };
        if let Some(text) = subject.text(path) {
            scan.file(part, &shown, &text);
        }
    }
    let tools_file = tools_file.as_deref().unwrap_or(SKILL_FILE);
    scan.metadata(
        &subject.shown(SKILL_FILE),
        &subject.shown(tools_file),
        subject.metadata(),
    );
    scan.finish().findings().to_vec()
}

fn part(path: &str, tools_file: Option<&str>) -> Option<Part> {
    if path == SKILL_FILE {
        return None;
    }
    if tools_file == Some(path) {
        return Some(Part::Tools);
    }
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    if PROSE.contains(&extension.as_str()) {
        Some(Part::Body)
    } else if SCRIPTS.contains(&extension.as_str()) {
        Some(Part::Script)
    } else {
        None
    }
}
