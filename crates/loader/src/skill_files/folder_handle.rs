//! An open skill folder: every reading goes through it, so that no link leads out.

use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use super::error::{ReadFileError, is_escape, read_error};
#[cfg(any(target_os = "linux", target_os = "android"))]
use super::folder_entries::open_below;
use super::folder_entries::{FolderEntry, entries_below};
use super::inside::climbs_out;
use crate::manifest_limits::Tally;

/// The beginning of a file.
#[derive(Debug)]
pub(crate) struct TextStart {
    pub(crate) bytes: Vec<u8>,
    /// Whether that is all of it.
    pub(crate) is_whole: bool,
    pub(crate) is_text: bool,
}

/// An open skill folder.
#[derive(Debug)]
pub(crate) struct FolderHandle {
    dir: Dir,
    folder: PathBuf,
    /// Every path that was asked for, so that a cache knows what the answers depend on.
    touched: RefCell<Vec<String>>,
    /// The sizes of the files that were opened.
    sizes: RefCell<Vec<(String, u64)>>,
    /// What the folders that were listed have for a manifest.
    tallies: RefCell<Vec<(String, Tally)>>,
}

impl FolderHandle {
    /// Opens a folder whose path was canonical once.
    pub(super) fn of(folder: &Path) -> Result<Self, ReadFileError> {
        Ok(Self {
            dir: open_folder(folder)?,
            folder: folder.to_owned(),
            touched: RefCell::default(),
            sizes: RefCell::default(),
            tallies: RefCell::default(),
        })
    }

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
        let (mut file, size) = self.open(relative)?;
        let fail = |error: io::Error| read_error(relative, &error);
        // Room for the whole file and one byte more: where that does not come, this is the end, and nobody has to ask.
        let room = usize::try_from(size.min(limit)).unwrap_or_default();
        let mut bytes = vec![0; room.saturating_add(1)];
        let first = match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            read => read.map_err(fail)?,
        };
        bytes.truncate(first);
        if first == 0 || first as u64 != size {
            file.take(limit.saturating_add(1).saturating_sub(first as u64))
                .read_to_end(&mut bytes)
                .map_err(fail)?;
        }
        let whole = bytes.len() as u64 <= limit;
        if !whole {
            bytes.pop();
        }
        Ok((bytes, whole))
    }

    /// Reads the first `limit` bytes of a file that may be none of text: where a zero stands among the first `probe` bytes,
    /// it is none, unless it begins with the mark of UTF-16, and nothing more of it is read.
    pub(crate) fn read_text_start(
        &self,
        relative: &str,
        probe: u64,
        limit: u64,
    ) -> Result<TextStart, ReadFileError> {
        let (mut file, size) = self.open(relative)?;
        let fail = |error: io::Error| read_error(relative, &error);
        let mut bytes = Vec::new();
        let probe = probe.min(limit);
        Read::by_ref(&mut file)
            .take(probe)
            .read_to_end(&mut bytes)
            .map_err(fail)?;
        let is_marked = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        if bytes.contains(&0) && !is_marked {
            return Ok(TextStart {
                is_whole: bytes.len() as u64 == size,
                bytes,
                is_text: false,
            });
        }
        let left = limit.saturating_add(1) - bytes.len() as u64;
        let room = usize::try_from(size.min(limit)).unwrap_or_default();
        bytes.reserve(room.saturating_sub(bytes.len()).saturating_add(64));
        file.take(left).read_to_end(&mut bytes).map_err(fail)?;
        let is_whole = bytes.len() as u64 <= limit;
        if !is_whole {
            bytes.pop();
        }
        Ok(TextStart {
            bytes,
            is_whole,
            is_text: true,
        })
    }

    /// Why what stands in the place of a folder cannot be looked into; `None` where it can be, or where there is nothing.
    pub(crate) fn why_no_folder(&self, relative: &str) -> Option<String> {
        self.dir.symlink_metadata(relative).ok()?;
        match self.dir.metadata(relative) {
            Ok(found) if found.is_dir() => {
                let error = self.dir.read_dir(relative).err()?;
                Some(read_error(relative, &error).to_string())
            }
            Ok(_) => Some(format!("`{relative}` is not a folder")),
            Err(error) => Some(match read_error(relative, &error) {
                ReadFileError::Outside { .. } => {
                    format!("`{relative}` leads out of the skill folder")
                }
                ReadFileError::NotFound { .. } => format!("`{relative}` leads nowhere"),
                error => error.to_string(),
            }),
        }
    }

    /// The folder itself, through which nothing outside is reached.
    pub(crate) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// A folder below, to be listed.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn open_folder_below(&self, relative: &str) -> Option<File> {
        open_below(&self.dir, relative)
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
            let opened = (relative.to_owned(), found.len());
            self.sizes.borrow_mut().push(opened);
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

    /// Whether the link below the folder says where it leads from the root of the file system on.
    pub(crate) fn is_absolute_link(&self, relative: &str) -> bool {
        let target = std::fs::read_link(self.folder.join(relative));
        target.is_ok_and(|target| target.is_absolute())
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
        let mut tally = Tally::default();
        let entries = entries_below(&self.dir, relative, &mut tally);
        // A folder that could not be listed is none that has nothing.
        if !entries.is_empty() {
            let listed = (relative.to_owned(), tally);
            self.tallies.borrow_mut().push(listed);
        }
        entries
    }

    /// The size of a file that was opened.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn size(&self, relative: &str) -> Option<u64> {
        let sizes = self.sizes.borrow();
        let known = sizes.iter().find(|(path, _)| path == relative);
        known.map(|(_, size)| *size)
    }

    /// What a folder has for a manifest that was listed.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn tally(&self, relative: &str) -> Option<Tally> {
        let tallies = self.tallies.borrow();
        let known = tallies.iter().find(|(path, _)| path == relative);
        known.map(|(_, tally)| tally.clone())
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
