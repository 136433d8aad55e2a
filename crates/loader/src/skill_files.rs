//! The only way to read a file of a skill.

use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

#[cfg(not(unix))]
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, OpenOptions};
use thiserror::Error;

/// Reads files of one skill folder and never one outside of it.
///
/// Every reading opens the folder anew and works through that handle, so that no link, also one
/// put in place a moment ago, leads out. No handle is kept: thousands of skills cost no open files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFiles {
    folder: PathBuf,
}

/// Why a file of a skill could not be read. No text holds an absolute path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFileError {
    /// The path leaves the folder, by itself or through a link.
    #[error("`{path}` is outside the skill folder")]
    Outside {
        /// The path as asked for.
        path: String,
    },
    /// There is nothing of that name.
    #[error("`{path}` does not exist")]
    NotFound {
        /// The path as asked for.
        path: String,
    },
    /// There is something, but it is no regular file.
    #[error("`{path}` is not a file")]
    NotAFile {
        /// The path as asked for.
        path: String,
    },
    /// The file is larger than the caller wants to read.
    #[error("`{path}` is larger than {limit} bytes")]
    TooLarge {
        /// The path as asked for.
        path: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system forbids it.
    #[error("permission denied for `{path}`")]
    PermissionDenied {
        /// The path as asked for.
        path: String,
    },
    /// The skill folder itself is gone, or is a link now.
    #[error("the skill folder is gone or was replaced")]
    FolderGone,
    /// The system gives no more handles.
    #[error("the server has too many files open: try again later")]
    Exhausted,
    /// Anything else that the system reports.
    #[error("cannot read `{path}`: {kind}")]
    Io {
        /// The path as asked for.
        path: String,
        /// What kind of failure.
        kind: io::ErrorKind,
    },
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
        let handle = self.handle()?;
        let path = handle.file_path(relative)?;
        let inside = handle
            .dir
            .canonicalize(&path)
            .map_err(|error| read_error(relative, &error))?;
        Ok(self.folder.join(inside))
    }

    /// Opens the folder for several readings in a row.
    pub(crate) fn handle(&self) -> Result<FolderHandle, ReadFileError> {
        Ok(FolderHandle {
            dir: open_folder(&self.folder)?,
            folder: self.folder.clone(),
            touched: RefCell::default(),
        })
    }
}

/// Opens a folder whose path was canonical once. If it ends in a link now, somebody swapped it.
#[cfg(unix)]
fn open_folder(folder: &Path) -> Result<Dir, ReadFileError> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if cfg!(any(target_os = "linux", target_os = "android")) {
        // Files are opened through it, so the right to enter is enough.
        flags |= OFlags::from_bits_retain(PATH_ONLY);
    }
    rustix::fs::open(folder, flags, Mode::empty())
        .map(|descriptor| Dir::from_std_file(descriptor.into()))
        .map_err(|error| match error {
            Errno::ACCESS => ReadFileError::PermissionDenied {
                path: ".".to_owned(),
            },
            Errno::MFILE | Errno::NFILE | Errno::NOMEM => ReadFileError::Exhausted,
            _ => ReadFileError::FolderGone,
        })
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const PATH_ONLY: u32 = rustix::fs::OFlags::PATH.bits();
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const PATH_ONLY: u32 = 0;

#[cfg(not(unix))]
fn open_folder(folder: &Path) -> Result<Dir, ReadFileError> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| {
        if error.kind() == io::ErrorKind::PermissionDenied {
            ReadFileError::PermissionDenied {
                path: ".".to_owned(),
            }
        } else {
            ReadFileError::FolderGone
        }
    })?;
    let now = std::fs::symlink_metadata(folder).map_err(|_| ReadFileError::FolderGone)?;
    if now.is_symlink() {
        return Err(ReadFileError::FolderGone);
    }
    Ok(dir)
}

/// An open skill folder.
#[derive(Debug)]
pub(crate) struct FolderHandle {
    dir: Dir,
    folder: PathBuf,
    /// Every path that was asked for, so that a cache knows what the answers depend on.
    touched: RefCell<Vec<String>>,
}

impl FolderHandle {
    /// Reads a file of at most `limit` bytes.
    pub(crate) fn read(&self, relative: &str, limit: u64) -> Result<Vec<u8>, ReadFileError> {
        let (bytes, whole) = self.read_start(relative, limit)?;
        if whole {
            Ok(bytes)
        } else {
            Err(ReadFileError::TooLarge {
                path: relative.to_owned(),
                limit,
            })
        }
    }

    /// Reads the first `limit` bytes of a file, and says whether that is all of it.
    pub(crate) fn read_start(
        &self,
        relative: &str,
        limit: u64,
    ) -> Result<(Vec<u8>, bool), ReadFileError> {
        let (file, size) = self.open(relative)?;
        let fail = |error: io::Error| read_error(relative, &error);
        // Room for the whole file and a little more, so that one reading fills it and the next
        // one sees the end.
        let room = usize::try_from(size.min(limit)).unwrap_or_default();
        let mut bytes = Vec::with_capacity(room.saturating_add(64));
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(fail)?;
        let whole = bytes.len() as u64 <= limit;
        if !whole {
            bytes.pop();
        }
        Ok((bytes, whole))
    }

    /// Opens a regular file, and tells its size.
    pub(crate) fn open(&self, relative: &str) -> Result<(File, u64), ReadFileError> {
        if climbs_out(relative) {
            return Err(ReadFileError::Outside {
                path: relative.to_owned(),
            });
        }
        let mut options = OpenOptions::new();
        options.read(true);
        // A pipe would hold the opening up until somebody writes.
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            let flag = rustix::fs::OFlags::NONBLOCK.bits();
            options.custom_flags(i32::try_from(flag).unwrap_or_default());
        }
        let file = if let Ok(file) = self.dir.open_with(relative, &options) {
            self.touched.borrow_mut().push(relative.to_owned());
            file
        } else {
            // The longer way knows links that lead back inside, and the words for the others.
            let path = self.file_path(relative)?;
            self.dir
                .open_with(&path, &options)
                .map_err(|error| read_error(relative, &error))?
        };
        let found = file
            .metadata()
            .map_err(|error| read_error(relative, &error))?;
        if found.is_file() {
            Ok((file, found.len()))
        } else {
            Err(ReadFileError::NotAFile {
                path: relative.to_owned(),
            })
        }
    }

    /// A path below the folder that names a regular file, after links.
    ///
    /// The directory handle refuses every absolute link; one that leads back inside is resolved
    /// here and then proven through the handle.
    pub(crate) fn file_path(&self, relative: &str) -> Result<PathBuf, ReadFileError> {
        let outside = || ReadFileError::Outside {
            path: relative.to_owned(),
        };
        if climbs_out(relative) {
            return Err(outside());
        }
        self.touched.borrow_mut().push(relative.to_owned());
        let mut path = PathBuf::from(relative);
        let found = match self.dir.metadata(&path) {
            Err(error) if is_escape(&error) => {
                let target = self
                    .folder
                    .join(&path)
                    .canonicalize()
                    .map_err(|error| read_error(relative, &error))?;
                path = target
                    .strip_prefix(&self.folder)
                    .map_err(|_| outside())?
                    .to_path_buf();
                self.dir.metadata(&path)
            }
            other => other,
        };
        let found = found.map_err(|error| read_error(relative, &error))?;
        if found.is_file() {
            Ok(path)
        } else {
            Err(ReadFileError::NotAFile {
                path: relative.to_owned(),
            })
        }
    }

    /// The folder itself, through which nothing outside is reached.
    pub(crate) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The paths that were asked for so far, each once.
    pub(crate) fn touched(&self) -> Vec<String> {
        let mut touched = self.touched.take();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// What a folder below holds, sorted by name; empty if there is no such folder.
    pub(crate) fn entries(&self, relative: &str) -> Vec<FolderEntry> {
        self.touched.borrow_mut().push(relative.to_owned());
        let Ok(entries) = self.dir.read_dir(relative) else {
            return Vec::new();
        };
        let mut found: Vec<_> = entries
            .flatten()
            .map(|entry| FolderEntry {
                name: entry.file_name().into_string(),
                kind: entry.file_type().ok(),
            })
            .collect();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }
}

/// One entry of a folder.
#[derive(Debug)]
pub(crate) struct FolderEntry {
    /// The name; as it came from the system where it is not UTF-8.
    pub(crate) name: Result<String, std::ffi::OsString>,
    kind: Option<FileType>,
}

impl FolderEntry {
    pub(crate) fn is_file(&self) -> bool {
        self.kind.is_some_and(|kind| kind.is_file())
    }

    pub(crate) fn is_link(&self) -> bool {
        self.kind.is_some_and(|kind| kind.is_symlink())
    }
}

/// Whether a path cannot be one inside a folder. One that climbs above it is refused even if it
/// comes back.
fn climbs_out(relative: &str) -> bool {
    let depth = relative
        .split('/')
        .try_fold(0_usize, |depth, part| match part {
            "" | "." => Some(depth),
            ".." => depth.checked_sub(1),
            _ => Some(depth + 1),
        });
    depth.is_none() || is_absolute_anywhere(relative) || relative.contains('\0')
}

/// Whether a path is absolute on any platform; such a path is never one inside a skill.
pub(crate) fn is_absolute_anywhere(path: &str) -> bool {
    let mut chars = path.chars();
    let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    drive
        || path.starts_with(['/', '\\'])
        || Path::new(path)
            .components()
            .any(|part| matches!(part, Component::Prefix(_) | Component::RootDir))
}

/// cap-std reports a way out as "permission denied" without a number of the system.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

pub(crate) fn read_error(relative: &str, error: &io::Error) -> ReadFileError {
    let path = relative.to_owned();
    match error.kind() {
        _ if is_escape(error) => ReadFileError::Outside { path },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadFileError::NotFound { path },
        io::ErrorKind::PermissionDenied => ReadFileError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => ReadFileError::NotAFile { path },
        kind => ReadFileError::Io { path, kind },
    }
}
