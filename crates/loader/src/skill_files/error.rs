//! Why a file of a skill could not be read, in words.

use std::io;

use thiserror::Error;

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

impl ReadFileError {
    /// What helps, where something is known to.
    pub(crate) const fn cure(&self) -> Option<&'static str> {
        match self {
            Self::PermissionDenied { .. } => Some("let the user that the server runs as read it"),
            Self::NotAFile { .. } => Some("put a plain file there"),
            Self::Outside { .. } => Some("put the file itself into the skill"),
            _ => None,
        }
    }
}

/// cap-std reports a way out as "permission denied" without a number of the system.
pub(super) fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Nothing is said of the file by that.
fn is_exhausted(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let number = Errno::from_io_error(error);
        matches!(number, Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

pub(crate) fn read_error(relative: &str, error: &io::Error) -> ReadFileError {
    let path = relative.to_owned();
    match error.kind() {
        _ if is_escape(error) => ReadFileError::Outside { path },
        _ if is_exhausted(error) => ReadFileError::Exhausted,
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadFileError::NotFound { path },
        io::ErrorKind::PermissionDenied => ReadFileError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => ReadFileError::NotAFile { path },
        kind => ReadFileError::Io { path, kind },
    }
}
