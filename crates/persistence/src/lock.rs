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

/// Takes the lock; `None` when somebody else holds it for longer than `wait`, which is asked again all the while.
///
/// Where the file system knows no locks, saving goes on without: the file stays whole, and only the
/// change of another server that saves in the same moment may be lost.
pub(crate) fn lock(path: &Path, wait: &dyn Fn() -> Duration) -> io::Result<Option<Lock>> {
    // Opening a pipe would wait for its other end.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the lock is no plain file",
        ));
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { _file: Some(file) })),
            Err(TryLockError::WouldBlock) if began.elapsed() >= wait() => return Ok(None),
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_no_lock_and_nobody_waits_for_its_other_end() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let refused = lock(&pipe, &|| Duration::from_mins(1)).unwrap_err();
        assert!(refused.to_string().contains("no plain file"), "{refused}");
        assert!(lock(folder.path(), &|| Duration::ZERO).is_err());
        assert!(
            lock(&folder.path().join("new"), &|| Duration::ZERO)
                .unwrap()
                .is_some()
        );
    }
}
