//! Every file of a skill once, with size and digest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::file_list::Wanted;
use crate::skill_files::{ReadFileError, SkillFiles};
use crate::stamp::Stamp;

/// The most files that a manifest holds.
pub const MANIFEST_FILES: usize = 512;
/// The most bytes that the files of a manifest have together.
pub const MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// Every file of a skill once, by path.
///
/// Hidden files and compiled Python code are left out, and so is whatever else
/// [`SkillFiles::list_served`] passes over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileManifest {
    /// The files, sorted by path.
    pub files: Vec<ManifestFile>,
    /// What was passed over, with the reason; a hundred at most.
    pub skipped: BTreeMap<String, String>,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ManifestFile {
    /// Below the folder, with `/` between the parts.
    pub path: Arc<str>,
    /// In bytes.
    pub size: u64,
    /// Of its bytes.
    pub digest: FileDigest,
    /// When its bytes became others last, in seconds since 1970, as far as the system tells. A file
    /// that is written again with the same bytes, or touched, keeps the time that was seen first.
    #[serde(skip)]
    pub modified: Option<u64>,
}

/// The SHA-256 of a file; as text `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileDigest([u8; 32]);

impl FileDigest {
    pub(crate) const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for FileDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a skill has no manifest. It stays usable as tools.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Too many files.
    #[error("the skill has more than {limit} files")]
    TooManyFiles {
        /// The limit.
        limit: usize,
    },
    /// Too many bytes.
    #[error("the files of the skill are larger than {limit} bytes together")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// A file could not be read, or the folder could not be listed.
    #[error(transparent)]
    Read(#[from] ReadFileError),
}

impl FileManifest {
    /// A file by its path.
    pub fn get(&self, path: &str) -> Option<&ManifestFile> {
        let found = self.files.binary_search_by(|file| (*file.path).cmp(path));
        self.files.get(found.ok()?)
    }

    /// The bytes of all files.
    pub fn total(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

impl SkillFiles {
    /// Every file with its size and digest; all of them are read.
    ///
    /// # Errors
    /// The skill is larger than a manifest may be, or a file cannot be read.
    pub fn manifest(&self) -> Result<FileManifest, ManifestError> {
        ManifestCache::new().manifest(self)
    }
}

/// Makes manifests of one skill again and again, and hashes only what has changed.
///
/// A digest is remembered with the size, the times and the identity of its file, and only if the
/// file had been quiet for two seconds when it was hashed.
#[derive(Clone, Debug, Default)]
pub struct ManifestCache {
    /// Sorted by path.
    known: Vec<KnownFile>,
    hashed: usize,
}

/// A file as it was hashed last.
#[derive(Clone, Debug)]
struct KnownFile {
    path: Arc<str>,
    stamp: Option<Stamp>,
    /// An equal stamp means equal bytes.
    settled: bool,
    digest: FileDigest,
    /// Since when it has these bytes.
    modified: Option<u64>,
}

impl ManifestCache {
    /// A cache that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many files have been hashed so far.
    pub fn hashed(&self) -> usize {
        self.hashed
    }

    /// Every file with its size and digest.
    ///
    /// # Errors
    /// The skill is larger than a manifest may be, or a file cannot be read.
    pub fn manifest(&mut self, files: &SkillFiles) -> Result<FileManifest, ManifestError> {
        // One look at each file, before any of them is read.
        let now = SystemTime::now();
        let handle = files.handle()?;
        let mut stamps = BTreeMap::new();
        let list = handle.list(MANIFEST_FILES, Wanted::Served, |path, found| {
            stamps.insert(path.to_owned(), Stamp::of_found(found));
        });
        if list.truncated {
            return Err(ManifestError::TooManyFiles {
                limit: MANIFEST_FILES,
            });
        }
        let too_large = ManifestError::TooLarge {
            limit: MANIFEST_BYTES,
        };
        let mut left = MANIFEST_BYTES;
        if list.files.values().sum::<u64>() > left {
            return Err(too_large);
        }
        let mut manifest = FileManifest {
            files: Vec::with_capacity(list.files.len()),
            skipped: list.skipped,
        };
        let mut known = Vec::with_capacity(list.files.len());
        for path in list.files.into_keys() {
            let stamp = stamps.remove(&path);
            let at = self
                .known
                .binary_search_by(|known| (*known.path).cmp(&path));
            let before = at.ok().and_then(|at| self.known.get(at));
            let same = before.filter(|known| known.settled && known.stamp == stamp);
            let (size, digest) = if let (Some(same), Some(stamp)) = (same, stamp) {
                (stamp.size(), same.digest)
            } else {
                // The list may be old by now: the size is that of the bytes that were hashed.
                let bytes = match handle.read(&path, left) {
                    Err(ReadFileError::TooLarge { .. }) => return Err(too_large),
                    // It was replaced a moment ago by something that is no file of the skill.
                    Err(
                        error @ (ReadFileError::NotFound { .. }
                        | ReadFileError::NotAFile { .. }
                        | ReadFileError::Outside { .. }),
                    ) => {
                        manifest.skipped.insert(path, error.to_string());
                        continue;
                    }
                    read => read?,
                };
                self.hashed += 1;
                (bytes.len() as u64, digest(&bytes))
            };
            let Some(rest) = left.checked_sub(size) else {
                return Err(too_large);
            };
            left = rest;
            let modified = match before.filter(|known| known.digest == digest) {
                Some(known) => known.modified,
                None => stamp.and_then(|stamp| stamp.modified_seconds()),
            };
            let path = before.map_or_else(|| path.into(), |known| Arc::clone(&known.path));
            known.push(KnownFile {
                path: Arc::clone(&path),
                stamp,
                settled: stamp.is_some_and(|stamp| stamp.is_settled(now)),
                digest,
                modified,
            });
            manifest.files.push(ManifestFile {
                path,
                size,
                digest,
                modified,
            });
        }
        self.known = known;
        Ok(manifest)
    }
}

/// The digest of some bytes.
pub fn digest(bytes: &[u8]) -> FileDigest {
    FileDigest(Sha256::digest(bytes).into())
}
