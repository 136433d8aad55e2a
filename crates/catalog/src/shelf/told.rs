//! What the log says of files that are not served: each once, as long as the reason stays the same.

use std::collections::BTreeMap;

use metier_diagnostics::{Diagnostic, visible_name};
use metier_loader::{FileManifest, not_for_readers_at};

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
            let reason = visible_name(reason);
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
            let reason = visible_name(reason);
            let is_meant = !path.is_empty() && not_for_readers_at(path).is_some();
            let path = if path.is_empty() { "." } else { path };
            let path = visible_name(path);
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
            let places = places.collect::<Vec<_>>().join("`, `");
            let places = visible_name(&places);
            let (code, message) = (finding.code, visible_name(&finding.message));
            tracing::info!("{code}: `{places}` of the skill `{skill}`: {message}");
        }
        self.nested = finding;
    }
}
