//! What the log says of files that are not served: each once, as long as the reason stays the same.

use std::collections::BTreeMap;

use metier_diagnostics::Diagnostic;
use metier_loader::{FileManifest, not_for_readers_at};
use metier_safety::is_invisible;

/// What it has said of one skill.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    whole: Option<String>,
    files: BTreeMap<String, String>,
    nested: Option<Diagnostic>,
}

impl Told {
    /// Why the whole skill is not served, where it is not.
    pub(super) fn whole(&mut self, skill: &str, reason: Option<&String>) {
        if self.whole.as_ref() == reason {
            return;
        }
        if let Some(reason) = reason {
            let reason = printable(reason);
            tracing::warn!("the files of the skill `{skill}` are not served: {reason}");
        }
        self.whole = reason.cloned();
    }

    /// Each file and folder that is left out. What is meant to be so is no warning.
    pub(super) fn files(&mut self, skill: &str, manifest: &FileManifest) {
        if self.files == manifest.skipped {
            return;
        }
        for (path, reason) in &manifest.skipped {
            if self.files.get(path) == Some(reason) {
                continue;
            }
            let reason = printable(reason);
            let is_meant = !path.is_empty() && not_for_readers_at(path).is_some();
            let path = if path.is_empty() { "." } else { path };
            let path = printable(path);
            if is_meant {
                tracing::info!("`{path}` of the skill `{skill}` is not served: {reason}");
            } else {
                tracing::warn!("`{path}` of the skill `{skill}` is not served: {reason}");
            }
        }
        if manifest.more_skipped > 0 {
            let more = manifest.more_skipped;
            tracing::warn!("of the skill `{skill}` {more} more files are not served");
        }
        self.files.clone_from(&manifest.skipped);
    }
}

impl Told {
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
            let places = printable(&places.collect::<Vec<_>>().join("`, `"));
            let (code, message) = (finding.code, printable(&finding.message));
            tracing::info!("{code}: `{places}` of the skill `{skill}`: {message}");
        }
        self.nested = finding;
    }
}

/// A name of a stranger's file writes no line of its own, and nothing that nobody sees.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_invisible(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}
