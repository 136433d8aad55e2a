//! Files on the disk, each under its digest, hashed again whenever one is used.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use metier_loader::digest;
use thiserror::Error;

use crate::entry::RemoteFile;
use crate::label::ServerLabel;
use crate::verify::verify_bytes;

/// A folder of verified files, for each server one of its own.
///
/// What lies there may have been changed by anybody, so it counts only when its bytes still have the promised
/// digest. The folder lies outside every skill root: a file of a stranger must never become a local skill.
#[derive(Clone, Debug)]
pub struct DiskCache {
    folder: PathBuf,
}

/// Why a folder cannot be the cache.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheFault {
    /// It lies in a skill root, or a skill root lies in it.
    #[error("the cache {} and the skill root {} lie in each other; choose another folder", .folder.display(), .root.display())]
    SkillRoot {
        /// The folder.
        folder: PathBuf,
        /// The root.
        root: PathBuf,
    },
    /// It cannot be made or looked at.
    #[error("the cache {} cannot be used: {error}", .folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl DiskCache {
    /// The cache in a folder, which is made when it is not there. `skill_roots` are all folders in which this host
    /// looks for skills.
    pub fn open<'r>(
        folder: &Path,
        skill_roots: impl IntoIterator<Item = &'r Path>,
    ) -> Result<Self, CacheFault> {
        let unusable = |error| CacheFault::Unusable {
            folder: folder.to_owned(),
            error,
        };
        fs::create_dir_all(folder).map_err(unusable)?;
        let folder = folder.canonicalize().map_err(unusable)?;
        for root in skill_roots {
            // A root that is not there yet counts by its name.
            let whole = root
                .canonicalize()
                .or_else(|_| std::path::absolute(root))
                .unwrap_or_else(|_| root.to_owned());
            if folder.starts_with(&whole) || whole.starts_with(&folder) {
                return Err(CacheFault::SkillRoot {
                    folder,
                    root: root.to_owned(),
                });
            }
        }
        Ok(Self { folder })
    }

    /// The bytes of a file, if they lie here and are still what was promised. Others are thrown away.
    pub fn get(&self, server: &ServerLabel, file: &RemoteFile) -> Option<Vec<u8>> {
        let path = self.place(server, file)?;
        let found = fs::symlink_metadata(&path).ok()?;
        // Neither a link nor a file of another size is read.
        if found.is_file() && found.len() == file.size {
            let bytes = fs::read(&path).ok()?;
            if verify_bytes(file, &bytes).is_ok() {
                return Some(bytes);
            }
        }
        // Whether it could be removed changes nothing: it does not count.
        let _ = fs::remove_file(&path);
        None
    }

    /// Keeps bytes that were verified. A disk that refuses costs a fetch next time, nothing else.
    ///
    /// # Errors
    /// What the system says.
    pub fn put(&self, server: &ServerLabel, bytes: &[u8]) -> io::Result<()> {
        let digest = digest(bytes).to_string();
        let Some(hex) = digest.strip_prefix("sha256:") else {
            return Ok(());
        };
        let folder = self.folder.join(server.as_str());
        fs::create_dir_all(&folder)?;
        // Under a name of its own first: another process may write the same file.
        let beside = folder.join(format!("{hex}.{}.part", std::process::id()));
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&beside, folder.join(hex)));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// Throws away what was kept of a server.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget(&self, server: &ServerLabel) -> io::Result<()> {
        match fs::remove_dir_all(self.folder.join(server.as_str())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    fn place(&self, server: &ServerLabel, file: &RemoteFile) -> Option<PathBuf> {
        let hex = file.digest.strip_prefix("sha256:")?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| self.folder.join(server.as_str()).join(hex))
    }
}
