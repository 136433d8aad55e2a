//! One small file that several processes change.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::atomic::{StepProbe, replace};
use crate::link::followed;
use crate::lock::lock;

/// How long another process may hold the lock.
const WAIT: Duration = Duration::from_secs(5);

/// A file that is read whole, changed under a lock between processes and replaced whole: whatever ends the process
/// leaves the old bytes or the new ones, and no change of another process is lost. A link in its place stays, and what
/// it leads to is changed.
///
/// ```
/// use metier_persistence::SharedFile;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let file = SharedFile::new(folder.path().join("count.txt"), 1024);
/// let count = |bytes: Option<Vec<u8>>| -> u32 {
///     bytes.and_then(|bytes| String::from_utf8(bytes).ok()?.parse().ok()).unwrap_or_default()
/// };
/// file.change(|old| {
///     let new = count(old) + 1;
///     Ok::<_, std::io::Error>((Some(new.to_string().into_bytes()), ()))
/// })?;
/// assert_eq!(count(file.read()?), 1);
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedFile {
    file: PathBuf,
    most: u64,
}

impl SharedFile {
    /// A file that is never read or written beyond `most` bytes. Nothing is opened yet.
    pub fn new(file: impl Into<PathBuf>, most: u64) -> Self {
        Self {
            file: file.into(),
            most,
        }
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What it holds; `None` when there is none.
    ///
    /// # Errors
    /// It is no plain file, is larger than it may be, cannot be read, or is a link to what is not there.
    pub fn read(&self) -> io::Result<Option<Vec<u8>>> {
        self.read_at(&followed(&self.file)?)
    }

    fn read_at(&self, file: &Path) -> io::Result<Option<Vec<u8>>> {
        let absent = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Ok(None),
            _ => Err(error),
        };
        let found = match std::fs::metadata(file) {
            Ok(found) => found,
            Err(error) => return absent(error),
        };
        // Opening a pipe would wait for its other end.
        if !found.is_file() {
            return Err(io::Error::other("this is no plain file"));
        }
        let handle = match std::fs::File::open(file) {
            Ok(handle) => handle,
            Err(error) => return absent(error),
        };
        let mut bytes = Vec::new();
        handle.take(self.most + 1).read_to_end(&mut bytes)?;
        self.bounded(&bytes)?;
        Ok(Some(bytes))
    }

    fn bounded(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 <= self.most {
            return Ok(());
        }
        let why = format!("more than {} bytes are never read or written", self.most);
        Err(io::Error::other(why))
    }

    /// Makes a change in what the file holds now: `edit` is given that, and says what it is to hold (`None`: it stays as
    /// it is) and what to return.
    ///
    /// # Errors
    /// What `edit` says, then nothing is written; or the file or the lock beside it cannot be had, read or written. The
    /// file is as it was then.
    pub fn change<T, E: From<io::Error>>(
        &self,
        edit: impl FnOnce(Option<Vec<u8>>) -> Result<(Option<Vec<u8>>, T), E>,
    ) -> Result<T, E> {
        let file = followed(&self.file)?;
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let path = file.with_file_name(name);
        let Some(_held) = lock(&path, &|| WAIT)? else {
            let why = format!(
                "another process holds {} for more than {} s; end it if it hangs",
                path.display(),
                WAIT.as_secs()
            );
            return Err(io::Error::new(io::ErrorKind::WouldBlock, why).into());
        };
        let (new, answer) = edit(self.read_at(&file)?)?;
        if let Some(new) = new {
            self.bounded(&new)?;
            let every_step: StepProbe = Arc::new(|_| Ok(()));
            replace(&file, &new, &every_step)?;
        }
        Ok(answer)
    }
}
