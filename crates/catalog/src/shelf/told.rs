//! What the log says of files that are not served: each once, as long as the reason stays the same.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use metier_diagnostics::{Diagnostic, visible_name};
use metier_loader::{FileManifest, is_hidden_or_compiled};

/// How often one line of a skill is said. Who reads a skill makes it be looked at, and files that somebody swaps to and fro
/// must not let the log grow by that.
const MOST_TIMES: u8 = 3;

/// How many different lines are said of one skill.
const MOST_LINES: usize = 500;

/// How many hidden and compiled files one line names.
const MOST_NAMED: usize = 10;

/// What it has said of one skill.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    whole: Option<String>,
    files: BTreeMap<String, String>,
    nested: Option<Diagnostic>,
    /// How often each line was said, by its hash.
    times: BTreeMap<u64, u8>,
    is_over: bool,
}

impl Told {
    /// Why the whole skill is not served, where it is not.
    pub(super) fn whole(&mut self, skill: &str, reason: Option<&String>) {
        if self.whole.as_ref() == reason {
            return;
        }
        if let Some(reason) = reason {
            let reason = visible_name(reason);
            let line = format!("the files of the skill `{skill}` are not served: {reason}");
            self.warn(skill, line);
        }
        self.whole = reason.cloned();
    }

    /// The same where the catalog says it, as it does of a skill that it takes out.
    pub(super) fn whole_elsewhere(&mut self, reason: &str) {
        self.whole = Some(reason.to_owned());
    }

    /// Each file and folder that is left out. Those that everybody leaves out are no warning, and one line together.
    pub(super) fn files(&mut self, skill: &str, manifest: &FileManifest) {
        if self.files == manifest.skipped {
            return;
        }
        let before = std::mem::replace(&mut self.files, manifest.skipped.clone());
        let new = manifest.skipped.iter();
        let new = new.filter(|(path, reason)| before.get(*path) != Some(reason));
        let (usual, odd): (Vec<_>, Vec<_>) = new.partition(|(path, _)| is_hidden_or_compiled(path));
        if !usual.is_empty() {
            let named = usual.iter().take(MOST_NAMED);
            let named: Vec<_> = named.map(|(path, _)| visible_name(path)).collect();
            let named = named.join("`, `");
            let more = match usual.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let line = format!(
                "what is hidden or compiled in the skill `{skill}` is not served: `{named}`{more}"
            );
            self.inform(skill, line);
        }
        for (path, reason) in odd {
            let path = if path.is_empty() { "." } else { path };
            let (path, reason) = (visible_name(path), visible_name(reason));
            let line = format!("`{path}` of the skill `{skill}` is not served: {reason}");
            self.warn(skill, line);
        }
        if manifest.more_skipped > 0 {
            let more = manifest.more_skipped;
            let line = format!("of the skill `{skill}` {more} more files are not served");
            self.warn(skill, line);
        }
    }

    /// What is wrong with a prompt that the skill brings along.
    pub(super) fn prompt(&mut self, skill: &str, fault: &str) {
        let line = format!("a prompt of the skill `{skill}` cannot be used: {fault}");
        self.warn(skill, line);
    }

    /// What is said of the SKILL.md files inside the skill.
    pub(super) fn nested(&mut self, skill: &str, finding: Option<Diagnostic>) {
        if self.nested == finding {
            return;
        }
        if let Some(finding) = &finding {
            let places = finding
                .labels
                .iter()
                .map(|label| label.location.file.as_str());
            let places = places.collect::<Vec<_>>().join("`, `");
            let places = visible_name(&places);
            let (code, message) = (finding.code, visible_name(&finding.message));
            let line = format!("{code}: `{places}` of the skill `{skill}`: {message}");
            self.inform(skill, line);
        }
        self.nested = finding;
    }

    fn warn(&mut self, skill: &str, line: String) {
        if let Some(line) = self.bounded(skill, line) {
            tracing::warn!("{line}");
        }
    }

    fn inform(&mut self, skill: &str, line: String) {
        if let Some(line) = self.bounded(skill, line) {
            tracing::info!("{line}");
        }
    }

    /// The line as it is to be said, if it is.
    fn bounded(&mut self, skill: &str, line: String) -> Option<String> {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        let hash = hasher.finish();
        if self.times.len() >= MOST_LINES && !self.times.contains_key(&hash) {
            let is_over = std::mem::replace(&mut self.is_over, true);
            let over =
                || format!("of the skill `{skill}` no more is told: its files go on changing");
            return (!is_over).then(over);
        }
        let times = self.times.entry(hash).or_default();
        *times = times.saturating_add(1);
        match *times {
            ..MOST_TIMES => Some(line),
            MOST_TIMES => Some(format!("{line} (this comes and goes, and is told no more)")),
            _ => None,
        }
    }
}
