//! The only way to read a file of a skill.

mod error;
mod folder_entries;
mod folder_handle;
mod inside;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use error::read_error;

pub use error::ReadFileError;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) use folder_entries::each_entry;
pub(crate) use folder_handle::FolderHandle;
pub(crate) use inside::is_absolute_anywhere;

/// Reads files of one skill folder and never one outside of it.
///
/// Every reading opens the folder anew and works through that handle, so that no link, also one
/// put in place a moment ago, leads out. No handle is kept: thousands of skills cost no open files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFiles {
    folder: PathBuf,
}

impl SkillFiles {
    /// The files of `folder`, which has to exist; links on the way to it are followed once, now.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        if !folder.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { folder })
    }

    /// The files of a folder whose path is canonical already.
    pub(crate) fn canonical(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The canonical path of the folder. For the operator; never for a client.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, relative: &str, limit: u64) -> Result<Vec<u8>, ReadFileError> {
        self.handle()?.read(relative, limit)
    }

    /// Whether a file of that name exists inside the folder.
    pub fn exists(&self, relative: &str) -> bool {
        self.handle()
            .is_ok_and(|handle| handle.file_path(relative).is_ok())
    }

    /// The absolute path of a file, with every link resolved and proven to be inside.
    ///
    /// For handing to a program that can only open paths. Between this answer and its use the
    /// file system may change; reading through [`SkillFiles::read`] has no such gap.
    pub fn resolve(&self, relative: &str) -> Result<PathBuf, ReadFileError> {
        const TRIES: usize = 8;
        let handle = self.handle()?;
        let mut path = PathBuf::new();
        for _ in 0..TRIES {
            path = handle.file_path(relative)?;
            let inside = handle
                .dir()
                .canonicalize(&path)
                .map_err(|error| read_error(relative, &error))?;
            // Where the file is replaced while it is looked at, as editors save, the system names the old one with a word
            // behind it.
            if handle.dir().symlink_metadata(&inside).is_ok() {
                return Ok(self.folder.join(inside));
            }
        }
        Ok(self.folder.join(path))
    }

    /// Opens the folder for several readings in a row.
    pub(crate) fn handle(&self) -> Result<FolderHandle, ReadFileError> {
        FolderHandle::of(&self.folder)
    }
}
