//! One writer at a time among processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a lock that another process holds is asked for.
const BETWEEN: Duration = Duration::from_millis(5);

/// Holds until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Option<File>,
}

/// Takes the lock; `None` when somebody else holds it for longer than `wait`.
///
/// Where the file system knows no locks, saving goes on without: the file stays whole, and only the
/// change of another server that saves in the same moment may be lost.
pub(crate) fn lock(path: &Path, wait: Duration) -> io::Result<Option<Lock>> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { _file: Some(file) })),
            Err(TryLockError::WouldBlock) if began.elapsed() >= wait => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                tracing::debug!(path = %path.display(), "the file system knows no locks");
                return Ok(Some(Lock { _file: None }));
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
