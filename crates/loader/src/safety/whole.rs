//! The verdict on every file of a skill.
//!
//! Files are read, hashed and looked at one by one: however large a skill is, one file of it is in memory at a time, and of
//! one that is no text its beginning alone. What a set of files came to is kept by their digests.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use metier_diagnostics::{Diagnostic, Location};
use metier_safety::{Part, Scan, Verdict};
use sha2::{Digest as _, Sha256};

use super::{
    is_named_as_script, look_at, part_of, place_in_skill_file, place_in_tools_file, prompts,
};
use crate::codes;
use crate::file_list::Wanted;
use crate::manifest::{FileManifest, MANIFEST_BYTES};
use crate::parse::SKILL_FILE;
use crate::report::{LoadedSkill, RejectedSkill};
use crate::skill_files::FolderHandle;
use crate::tools_file::TOOLS_FILE_LIMIT;

/// So many bytes of each file are looked at: all of what can be served.
const MOST_OF_A_FILE: u64 = MANIFEST_BYTES;
/// So many of a script, which is run whatever its size.
const MOST_OF_A_SCRIPT: u64 = 64 * 1024 * 1024;
/// So many bytes of all files of a skill together.
const MOST_OF_A_SKILL: u64 = 256 * 1024 * 1024;
/// So many files of a skill.
const MOST_FILES: usize = 20_000;
/// What holds a zero among so many first bytes is no text, and nothing more of it is read.
const PROBE: u64 = 8_000;
/// So many verdicts are kept.
const MOST_KEPT: usize = 10_000;

type Key = [u8; 32];

/// By the digests of the files. Findings name files below the skill's own folder.
static KEPT: LazyLock<Mutex<BTreeMap<Key, Arc<Verdict>>>> = LazyLock::new(Mutex::default);

impl LoadedSkill {
    /// The verdict on every file of the skill, or on those of `manifest`. Reads them, unless the verdict on a manifest is
    /// known; scans them, unless that on the same bytes is. Places are below the folder of the skill. Blocks.
    pub fn verdict(&self, manifest: Option<&FileManifest>) -> Arc<Verdict> {
        let known = |key: &Key| kept().get(key).map(Arc::clone);
        if let Some(verdict) = manifest.map(key_of).as_ref().and_then(known) {
            return verdict;
        }
        let Ok(handle) = self.files.handle() else {
            return Arc::new(self.values(Scan::new(), &[]));
        };
        let paths = paths(&handle, manifest);
        // Hashing takes a fraction of looking.
        if manifest.is_none()
            && let Some(verdict) = known(&read(&handle, &paths, |_, _, _| {}).key())
        {
            return verdict;
        }
        let tools = self.tools_file();
        let mut scan = Scan::new();
        let read = read(&handle, &paths, |path, bytes, is_all| {
            scan.file_name(path);
            if !is_all {
                scan.note(not_looked_at(path));
            }
            if let Some(bytes) = bytes {
                look_at(&mut scan, path, bytes, tools.as_deref() == Some(path));
            }
        });
        let verdict = Arc::new(self.values(scan, &paths));
        // It is kept for the bytes that were looked at, whatever the files hold by now.
        let key = match manifest {
            Some(manifest) => read.are_of(manifest).then(|| key_of(manifest)),
            None => Some(read.key()),
        };
        if let Some(key) = key {
            let mut kept = kept();
            if kept.len() >= MOST_KEPT {
                kept.pop_first();
            }
            kept.insert(key, Arc::clone(&verdict));
        }
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
        self.rejected(diagnostics)
    }

    /// What was read of the files says what the files may say as an escape, or between marks of YAML.
    fn values(&self, mut scan: Scan, paths: &[String]) -> Verdict {
        scan.front_matter(SKILL_FILE, &self.metadata, |path| {
            let bytes = self.files.read(SKILL_FILE, MANIFEST_BYTES).ok()?;
            place_in_skill_file(SKILL_FILE, &String::from_utf8_lossy(&bytes), path)
        });
        if let Some(file) = self.tools_file() {
            scan.tools(&file, &self.metadata, |path| {
                let bytes = self.files.read(&file, TOOLS_FILE_LIMIT).ok()?;
                place_in_tools_file(&file, &bytes, path)
            });
        }
        prompts::look_at(&mut scan, self, paths.iter().map(String::as_str));
        scan.finish()
    }
}

fn kept() -> std::sync::MutexGuard<'static, BTreeMap<Key, Arc<Verdict>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files in the order in which they are looked at. Of a skill that is larger than what is looked at, what is run comes
/// first, and then what is small: nothing can be hidden behind its size.
fn paths(handle: &FolderHandle, manifest: Option<&FileManifest>) -> Vec<String> {
    let mut files: Vec<(String, u64)> = if let Some(manifest) = manifest {
        let files = manifest.files.iter();
        files
            .map(|file| (file.path.to_string(), file.size))
            .collect()
    } else {
        let list = handle.list(MOST_FILES, Wanted::All, |_, _| {});
        list.files.into_iter().collect()
    };
    let looked_at = |size: u64| size.min(MOST_OF_A_FILE);
    if files.iter().map(|(_, size)| looked_at(*size)).sum::<u64>() > MOST_OF_A_SKILL {
        files.sort_by_cached_key(|(path, size)| {
            let is_read = part_of(path) != Part::Script && path != SKILL_FILE;
            (is_read, *size, path.clone())
        });
    }
    files.into_iter().map(|(path, _)| path).collect()
}

/// Says that something hostile may stand where nobody has looked.
fn not_looked_at(path: &str) -> Diagnostic {
    let message = format!("`{path}` is too large to be looked at to its end for hostile text");
    Diagnostic::warning(codes::NOT_LOOKED_AT, message)
        .at(Location::file(path), "")
        .help("split the file, or keep data out of it, so that scripts stay below 64 MiB and a skill's texts below 256 MiB")
}

/// Reads files one after the other, and hands each to `look`: with its bytes where it is text, or has the name of a script,
/// and whether that is all that can be run or served of it.
fn read<'p>(
    handle: &FolderHandle,
    paths: &'p [String],
    mut look: impl FnMut(&str, Option<&[u8]>, bool),
) -> Read<'p> {
    let mut files = Vec::with_capacity(paths.len());
    let mut left = MOST_OF_A_SKILL;
    for path in paths {
        let (probe, most) = if is_named_as_script(path) {
            (0, MOST_OF_A_SCRIPT)
        } else {
            (PROBE, MOST_OF_A_FILE)
        };
        let limit = most.min(left);
        let start = (limit > 0).then(|| handle.read_text_start(path, probe, limit).ok());
        let Some(start) = start.flatten() else {
            look(path, None, limit > 0);
            files.push(File {
                path,
                digest: None,
                is_whole: false,
            });
            continue;
        };
        if start.is_text {
            left = left.saturating_sub(start.bytes.len() as u64);
        }
        // What is longer than that and only read is served by nobody.
        let is_bounded = limit == most && probe > 0;
        let is_all = start.is_whole || !start.is_text || is_bounded;
        look(path, start.is_text.then_some(&start.bytes), is_all);
        files.push(File {
            path,
            digest: Some(Sha256::digest(&start.bytes).into()),
            is_whole: start.is_whole,
        });
    }
    Read { files }
}

/// What was read of the files of a skill.
struct Read<'p> {
    files: Vec<File<'p>>,
}

struct File<'p> {
    path: &'p str,
    /// Of what was read of it; `None` where that was nothing.
    digest: Option<[u8; 32]>,
    is_whole: bool,
}

impl Read<'_> {
    fn key(&self) -> Key {
        let mut hash = Sha256::new();
        hash.update(b"texts");
        for file in &self.files {
            hash.update(file.path.len().to_be_bytes());
            hash.update(file.path);
            hash.update([u8::from(file.is_whole), u8::from(file.digest.is_some())]);
            hash.update(file.digest.unwrap_or_default());
        }
        hash.finalize().into()
    }

    /// Whether the files still were what a manifest says, as far as they were read.
    fn are_of(&self, manifest: &FileManifest) -> bool {
        self.files.iter().all(|file| {
            let promised = manifest.get(file.path).map(|known| known.digest.bytes());
            match &file.digest {
                Some(digest) if file.is_whole => promised == Some(digest),
                digest => digest.is_some(),
            }
        })
    }
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

#[cfg(test)]
mod tests;
