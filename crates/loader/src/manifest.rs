//! Every file of a skill once, with size and digest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::file_list::Wanted;
use crate::file_start::FileStart;
use crate::manifest_limits::too_much;
use crate::skill_files::{ReadFileError, SkillFiles};
use crate::stamp::Stamp;

/// The most files that a manifest holds.
pub const MANIFEST_FILES: usize = 512;
/// The most bytes that the files of a manifest have together.
pub const MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// Every file of a skill once, by path.
///
/// Hidden files and compiled Python code are left out, and so are whatever else
/// [`SkillFiles::list_served`] passes over and files that the system does not let this process read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileManifest {
    /// The files, sorted by path.
    pub files: Vec<ManifestFile>,
    /// What was passed over, with the reason; a hundred at most.
    pub skipped: BTreeMap<String, String>,
    /// How many more were.
    #[serde(skip)]
    pub more_skipped: usize,
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
    pub modified: Option<i64>,
    /// What tells its type beside its name.
    #[serde(skip)]
    pub start: FileStart,
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
    #[error("the files of the skill have more than {} MiB together", .limit >> 20)]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The folder could not be listed, or the system gives no more handles.
    #[error(transparent)]
    Read(#[from] ReadFileError),
}

impl ManifestError {
    const TOO_MANY: Self = Self::TooManyFiles {
        limit: MANIFEST_FILES,
    };
    const TOO_LARGE: Self = Self::TooLarge {
        limit: MANIFEST_BYTES,
    };

    /// What keeps files of this number and size out of a manifest.
    pub fn of_size(files: usize, bytes: u64) -> Option<Self> {
        if files > MANIFEST_FILES {
            Some(Self::TOO_MANY)
        } else if bytes > MANIFEST_BYTES {
            Some(Self::TOO_LARGE)
        } else {
            None
        }
    }
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
    /// The skill is larger than a manifest may be, or the folder cannot be listed.
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
    start: FileStart,
    /// Since when it has these bytes.
    modified: Option<i64>,
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
    /// The skill is larger than a manifest may be, or the folder cannot be listed.
    pub fn manifest(&mut self, files: &SkillFiles) -> Result<FileManifest, ManifestError> {
        // One look at each file, before any of them is read.
        let now = SystemTime::now();
        let handle = files.handle()?;
        let mut stamps = BTreeMap::new();
        let mut list = handle.list(MANIFEST_FILES, Wanted::Served, |path, found| {
            stamps.insert(path.to_owned(), Stamp::of_found(found));
        });
        if let Some(error) = too_much(&list) {
            return Err(error);
        }
        if list.is_exhausted {
            return Err(ReadFileError::Exhausted.into());
        }
        let mut left = MANIFEST_BYTES;
        let mut served = Vec::with_capacity(list.files.len());
        let mut known = Vec::with_capacity(list.files.len());
        for path in std::mem::take(&mut list.files).into_keys() {
            if let Some(reason) = list.unreadable.remove(&path) {
                list.skip(path, reason);
                continue;
            }
            let stamp = stamps.remove(&path);
            let at = self
                .known
                .binary_search_by(|known| (*known.path).cmp(&path));
            let before = at.ok().and_then(|at| self.known.get(at));
            let same = before.filter(|known| known.settled && known.stamp == stamp);
            let (size, digest, start) = if let (Some(same), Some(stamp)) = (same, stamp) {
                (stamp.size(), same.digest, same.start)
            } else {
                // The list may be old by now: the size is that of the bytes that were hashed.
                let bytes = match handle.read(&path, left) {
                    Ok(bytes) => bytes,
                    Err(ReadFileError::TooLarge { .. }) => return Err(ManifestError::TOO_LARGE),
                    // Nothing is wrong with the file.
                    Err(error @ (ReadFileError::Exhausted | ReadFileError::FolderGone)) => {
                        return Err(error.into());
                    }
                    // Nobody may read it, or it was replaced a moment ago by something that is no file of the skill.
                    Err(error) => {
                        list.skip(path, error.to_string());
                        continue;
                    }
                };
                self.hashed += 1;
                let start = FileStart::of(&bytes);
                (bytes.len() as u64, digest(&bytes), start)
            };
            let Some(rest) = left.checked_sub(size) else {
                return Err(ManifestError::TOO_LARGE);
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
                start,
                modified,
            });
            served.push(ManifestFile {
                path,
                size,
                digest,
                modified,
                start,
            });
        }
        self.known = known;
        // Folders.
        for (path, reason) in std::mem::take(&mut list.unreadable) {
            list.skip(path, reason);
        }
        Ok(FileManifest {
            files: served,
            skipped: list.skipped,
            more_skipped: list.more_skipped,
        })
    }
}

/// The digest of some bytes.
pub fn digest(bytes: &[u8]) -> FileDigest {
    FileDigest(Sha256::digest(bytes).into())
}
