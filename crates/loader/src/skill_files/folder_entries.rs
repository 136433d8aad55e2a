//! What a folder inside a skill holds.

use cap_std::fs::Dir;

use crate::manifest_limits::Tally;

/// One entry of a folder.
#[derive(Debug)]
pub(crate) struct FolderEntry {
    /// The name; as it came from the system where it is not UTF-8.
    pub(crate) name: Result<String, std::ffi::OsString>,
    kind: Option<EntryKind>,
}

/// What an entry is, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    File,
    Link,
    Other,
}

impl FolderEntry {
    pub(crate) fn is_file(&self) -> bool {
        self.kind == Some(EntryKind::File)
    }

    pub(crate) fn is_link(&self) -> bool {
        self.kind == Some(EntryKind::Link)
    }
}

/// The entries of a folder that is reached through an open one, sorted by name; none if there is no such folder. Each is
/// handed on as it comes.
pub(super) fn entries_below(dir: &Dir, relative: &str, tally: &mut Tally) -> Vec<FolderEntry> {
    let mut found = read_entries(dir, relative, tally).unwrap_or_default();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// One opening, and no more asking: a scan does this for every skill.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn read_entries(dir: &Dir, relative: &str, tally: &mut Tally) -> Option<Vec<FolderEntry>> {
    use std::os::unix::ffi::OsStringExt as _;

    use rustix::fs::FileType;

    let folder = open_below(dir, relative)?;
    let mut found = Vec::new();
    each_entry(&folder, |name, kind| {
        tally.take(&folder, name, kind);
        let name = std::ffi::OsString::from_vec(name.to_vec());
        let kind = match kind {
            FileType::RegularFile => Some(EntryKind::File),
            FileType::Symlink => Some(EntryKind::Link),
            // Some file systems do not say it here.
            FileType::Unknown => asked(dir, relative, &name),
            _ => Some(EntryKind::Other),
        };
        let name = name.into_string();
        found.push(FolderEntry { name, kind });
    });
    Some(found)
}

/// A folder that is reached through an open one.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open_below(dir: &Dir, relative: &str) -> Option<cap_std::fs::File> {
    use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
    use rustix::fs::OFlags;

    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(i32::try_from(OFlags::DIRECTORY.bits()).ok()?);
    dir.open_with(relative, &options).ok()
}

/// What an open folder holds, in the order of the system, through one buffer on the stack.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn each_entry(
    folder: impl std::os::fd::AsFd,
    mut take: impl FnMut(&[u8], rustix::fs::FileType),
) {
    let mut room = [std::mem::MaybeUninit::uninit(); 4096];
    let mut entries = rustix::fs::RawDir::new(folder, &mut room);
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            take(name, entry.file_type());
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn asked(dir: &Dir, relative: &str, name: &std::ffi::OsStr) -> Option<EntryKind> {
    let path = std::path::Path::new(relative).join(name);
    let found = dir.symlink_metadata(path).ok()?;
    Some(kind_of(found.file_type()))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn read_entries(dir: &Dir, relative: &str, _: &mut Tally) -> Option<Vec<FolderEntry>> {
    let entries = dir.read_dir(relative).ok()?;
    let entries = entries.flatten().map(|entry| FolderEntry {
        name: entry.file_name().into_string(),
        kind: entry.file_type().ok().map(kind_of),
    });
    Some(entries.collect())
}

fn kind_of(found: cap_std::fs::FileType) -> EntryKind {
    if found.is_file() {
        EntryKind::File
    } else if found.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Other
    }
}
