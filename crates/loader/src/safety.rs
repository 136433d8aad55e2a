//! The one verdict on a skill: may its texts come before a model, and its scripts onto a machine?
//!
//! A scan looks at what it reads anyway: the beginning of `SKILL.md`, and the tools. The other files are looked at when a
//! skill is loaded, activated, served or checked. What a set of files came to is kept by the digests of the files.

mod prompts;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use metier_diagnostics::{Code, Diagnostic, Severity};
use metier_safety::{Part, Scan, Verdict, codes};
use metier_skill_model::SkillMetadata;
use sha2::{Digest as _, Sha256};

use crate::candidate::Candidate;
use crate::file_list::Wanted;
use crate::manifest::FileManifest;
use crate::parse::SKILL_FILE;
use crate::report::{LoadedSkill, RejectedSkill};

/// So many bytes of each file are looked at.
const MOST_OF_A_FILE: u64 = 4 * 1024 * 1024;
/// So many files of a skill.
const MOST_FILES: usize = 5_000;
/// So many verdicts are kept.
const MOST_KEPT: usize = 10_000;

/// Files that are read; whatever else is text is run.
const READ: [&str; 13] = [
    "md", "mdx", "markdown", "txt", "rst", "html", "htm", "yaml", "yml", "json", "toml", "csv",
    "xml",
];

/// Whether the code is one of the safety rules'.
pub fn is_safety_code(code: Code) -> bool {
    codes::ALL.iter().any(|known| known.id == code.id)
}

/// The finding because of which a skill must not be used, among those about it.
pub fn blocking(findings: &[Diagnostic]) -> Option<&Diagnostic> {
    findings
        .iter()
        .find(|finding| finding.severity == Severity::Error && is_safety_code(finding.code))
}

impl RejectedSkill {
    /// Whether it is rejected because its texts are hostile.
    pub fn is_blocked(&self) -> bool {
        blocking(&self.diagnostics).is_some()
    }
}

/// What a scan has read: the beginning of `SKILL.md`, and the values of front matter and tools.
pub(crate) fn of_head(
    candidate: &Candidate,
    bytes: &[u8],
    metadata: &SkillMetadata,
    tools_file: Option<&str>,
) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let shown = candidate.shown(&candidate.content.file_name);
    let mut scan = Scan::new();
    scan.skill_file(&shown, &text);
    // The marks around a value are none of the value: what looks like a quotation in the file may be said outright.
    scan.front_matter(&shown, metadata);
    if let Some(file) = tools_file {
        scan.tools(&candidate.shown(file), metadata);
    }
    scan.finish()
}

type Key = [u8; 32];

/// By the digests of the files. Findings name files below the skill's own folder.
static KEPT: LazyLock<Mutex<BTreeMap<Key, Arc<Verdict>>>> = LazyLock::new(Mutex::default);

/// The text of a file, and its path below the skill.
type Text = (String, Vec<u8>);

impl LoadedSkill {
    /// The verdict on every file of the skill, or on those of `manifest`. Reads them, unless the verdict on a manifest is
    /// known; scans them, unless that on the same bytes is. Places are below the folder of the skill. Blocks.
    pub fn verdict(&self, manifest: Option<&FileManifest>) -> Arc<Verdict> {
        let known = |key: &Key| kept().get(key).map(Arc::clone);
        let of_manifest = manifest.map(key_of);
        if let Some(verdict) = of_manifest.as_ref().and_then(known) {
            return verdict;
        }
        let texts = self.texts(manifest);
        let key = of_manifest.unwrap_or_else(|| key_of_texts(&texts));
        if let Some(verdict) = known(&key) {
            return verdict;
        }
        let verdict = Arc::new(self.looked_at(&texts));
        let mut kept = kept();
        if kept.len() >= MOST_KEPT {
            kept.pop_first();
        }
        kept.insert(key, Arc::clone(&verdict));
        verdict
    }

    /// The skill as one that cannot be used, with what its files are blocked for.
    pub fn rejected_for(&self, verdict: &Verdict) -> RejectedSkill {
        let mut diagnostics: Vec<Diagnostic> = verdict.findings().to_vec();
        if !self.display_path.is_empty() {
            for label in diagnostics.iter_mut().flat_map(|found| &mut found.labels) {
                label.location.file = format!("{}/{}", self.display_path, label.location.file);
            }
        }
        RejectedSkill {
            name: self.metadata.name.to_string(),
            id: self.id.clone(),
            root: Arc::clone(&self.root),
            path: self.path.clone(),
            display_path: self.display_path.clone(),
            diagnostics,
        }
    }

    /// What there is to read.
    fn texts(&self, manifest: Option<&FileManifest>) -> Vec<Text> {
        let Ok(handle) = self.files.handle() else {
            return Vec::new();
        };
        let files: Vec<String> = match manifest {
            Some(manifest) => manifest
                .files
                .iter()
                .map(|file| file.path.to_string())
                .collect(),
            None => handle
                .list(MOST_FILES, Wanted::All, |_, _| {})
                .files
                .into_keys()
                .collect(),
        };
        let read = |path: String| {
            let bytes = handle.read_start(&path, MOST_OF_A_FILE);
            (path, bytes.map(|(bytes, _)| bytes).unwrap_or_default())
        };
        files.into_iter().map(read).collect()
    }

    fn looked_at(&self, texts: &[Text]) -> Verdict {
        let tools = self.tools_file();
        let mut scan = Scan::new();
        for (path, bytes) in texts {
            scan.file_name(path);
            look_at(&mut scan, path, bytes, tools.as_deref() == Some(path));
        }
        scan.front_matter(SKILL_FILE, &self.metadata);
        if let Some(file) = &tools {
            scan.tools(file, &self.metadata);
        }
        prompts::look_at(&mut scan, self, texts.iter().map(|(path, _)| path.as_str()));
        scan.finish()
    }
}

fn kept() -> std::sync::MutexGuard<'static, BTreeMap<Key, Arc<Verdict>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key_of(manifest: &FileManifest) -> Key {
    let mut hash = Sha256::new();
    for file in &manifest.files {
        hash.update(file.path.len().to_be_bytes());
        hash.update(&*file.path);
        hash.update(file.digest.bytes());
    }
    hash.finalize().into()
}

fn key_of_texts(texts: &[Text]) -> Key {
    let mut hash = Sha256::new();
    hash.update(b"texts");
    for (path, bytes) in texts {
        for part in [path.as_bytes(), bytes] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}

fn look_at(scan: &mut Scan, path: &str, bytes: &[u8], is_tools_file: bool) {
    // What holds a zero is no text.
    if bytes.iter().take(8_000).any(|byte| *byte == 0) {
        return;
    }
    let text = String::from_utf8_lossy(bytes);
    if path.eq_ignore_ascii_case(SKILL_FILE) {
        scan.skill_file(path, &text);
        return;
    }
    let part = if is_tools_file {
        Part::Tools
    } else {
        part_of(path)
    };
    scan.file(part, path, &text);
}

/// Whether a file is read or run, by its name.
fn part_of(path: &str) -> Part {
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = name
        .rsplit_once('.')
        .map(|(_, kind)| kind.to_ascii_lowercase());
    match kind {
        Some(kind) if READ.contains(&kind.as_str()) => Part::Body,
        None if name.chars().all(|c| c.is_uppercase() || !c.is_alphabetic()) => Part::Body,
        _ => Part::Script,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_told_from_what_is_run() {
        for path in ["a.md", "references/B.MD", "LICENSE", "metadata/x.json"] {
            assert_eq!(part_of(path), Part::Body, "{path}");
        }
        for path in ["a.py", "scripts/run", "b.tar.sh", "Makefile"] {
            assert_eq!(part_of(path), Part::Script, "{path}");
        }
    }
}
