//! A file is replaced whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a save does next. Whatever ends the process between two of these steps leaves the old
/// state or the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SaveStep {
    /// The folder is made.
    MakeFolder,
    /// The lock between processes is taken.
    Lock,
    /// The state of the others is read.
    Read,
    /// A damaged file is copied to a name of its own; the steps of that copy follow.
    KeepAside,
    /// A file of another name is made.
    CreateTemp,
    /// Its first half is written.
    WriteFirst,
    /// Its second half is written.
    WriteRest,
    /// Its bytes go to the disk.
    SyncFile,
    /// It takes the name of the old one.
    Rename,
    /// The name goes to the disk.
    SyncFolder,
}

/// Is told of each step before it is made, and can make it fail. For tests of what a full disk, a
/// broken one or a sudden end leaves behind.
pub type StepProbe = Arc<dyn Fn(SaveStep) -> io::Result<()> + Send + Sync>;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Gives the file these bytes: into a file beside it that is then renamed. When a step fails the old
/// file is as it was, and nothing is left beside it.
pub(crate) fn replace(file: &Path, bytes: &[u8], probe: &StepProbe) -> io::Result<()> {
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    let fill = |handle: &mut File| {
        probe(SaveStep::WriteFirst)?;
        handle.write_all(first)?;
        probe(SaveStep::WriteRest)?;
        handle.write_all(rest)
    };
    replace_with(file, fill, || Ok(()), probe)
}

/// The same with what another file holds, which may be more than memory does; `make_way` comes when
/// it is written and has not got its name yet.
pub(crate) fn replace_with_copy(
    file: &Path,
    of: &Path,
    make_way: impl FnOnce() -> io::Result<()>,
    probe: &StepProbe,
) -> io::Result<()> {
    let fill = |handle: &mut File| {
        let mut of = File::open(of)?;
        probe(SaveStep::WriteFirst)?;
        io::copy(&mut of, handle)?;
        probe(SaveStep::WriteRest)
    };
    replace_with(file, fill, make_way, probe)
}

fn replace_with(
    file: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
    make_way: impl FnOnce() -> io::Result<()>,
    probe: &StepProbe,
) -> io::Result<()> {
    probe(SaveStep::CreateTemp)?;
    let (temp, mut handle) = create_beside(file)?;
    let filled = fill(&mut handle);
    let written = filled
        .and_then(|()| probe(SaveStep::SyncFile))
        .and_then(|()| handle.sync_all())
        .and_then(|()| {
            drop(handle);
            probe(SaveStep::Rename)?;
            make_way()?;
            std::fs::rename(&temp, file)
        });
    if written.is_err() {
        // It may be gone already; there is nothing else to do about it.
        let _ = std::fs::remove_file(&temp);
    }
    written?;
    probe(SaveStep::SyncFolder)?;
    sync_folder(file)
}

/// A new file `NAME.PROCESS-NUMBER.tmp`. One of that name may be left from a process of the same
/// number, on this machine or another; it is never opened.
fn create_beside(file: &Path) -> io::Result<(PathBuf, File)> {
    const TRIES: usize = 1_000;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temp = file.with_file_name(format!("{name}.{process}-{number}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&temp) {
            Ok(handle) => return Ok((temp, handle)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "no name for a temporary file is free",
    ))
}

#[cfg(unix)]
fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some network file systems cannot, and write names at once.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "folders can be synced elsewhere")]
fn sync_folder(_file: &Path) -> io::Result<()> {
    Ok(())
}
