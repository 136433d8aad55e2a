//! What tells one state of a file or folder from the next without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that changed so short a time ago may change again within the same tick of the file
/// system's clock, without a trace in its times.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The state of a file or folder, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    is_folder: bool,
    modified: Option<SystemTime>,
    /// Device and number of the file; zero where the platform has none.
    identity: (u64, u64),
    /// Seconds and nanoseconds of the last change of any kind; zero where the platform has none.
    changed: (i64, i64),
}

impl Stamp {
    /// `None` when there is nothing of that name that could be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|found| Self::new(&found))
    }

    #[cfg(unix)]
    pub(crate) fn new(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            size: found.len(),
            is_folder: found.is_dir(),
            modified: found.modified().ok(),
            identity: (found.dev(), found.ino()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// Of a file that was found through the handle of its folder.
    pub(crate) fn of_found(found: &cap_std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let (identity, changed) = {
            use cap_std::fs::MetadataExt as _;
            (
                (found.dev(), found.ino()),
                (found.ctime(), found.ctime_nsec()),
            )
        };
        #[cfg(not(unix))]
        let (identity, changed) = ((0, 0), (0, 0));
        Self {
            size: found.len(),
            is_folder: found.is_dir(),
            modified: found
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std),
            identity,
            changed,
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn new(found: &Metadata) -> Self {
        Self {
            size: found.len(),
            is_folder: found.is_dir(),
            modified: found.modified().ok(),
            identity: (0, 0),
            changed: (0, 0),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Seconds since 1970.
    pub(crate) fn modified_seconds(&self) -> Option<i64> {
        match self.modified?.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).ok(),
            // A part of a second before 1970 belongs to the second before.
            Err(before) => {
                let before = before.duration();
                let seconds = before.as_secs() + u64::from(before.subsec_nanos() > 0);
                Some(-i64::try_from(seconds).ok()?)
            }
        }
    }

    #[cfg(feature = "watch")]
    pub(crate) fn is_folder(&self) -> bool {
        self.is_folder
    }

    #[cfg(feature = "watch")]
    pub(crate) fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Whether an equal stamp later means that nothing has changed. Taken at `now`.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let changed = match u64::try_from(self.changed.0) {
            // The time of the last change is the system's own and cannot be set from outside.
            Ok(seconds) if seconds > 0 => {
                Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            }
            _ => self.modified,
        };
        changed.is_some_and(|changed| {
            now.duration_since(changed)
                .is_ok_and(|age| age > UNSETTLED + Duration::from_secs(1))
        })
    }
}
