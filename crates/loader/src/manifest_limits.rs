//! Whether a skill is too large for a manifest, by asking the system alone.

use crate::candidate::Listed;
use crate::file_list::{FileList, Wanted};
use crate::manifest::{MANIFEST_FILES, ManifestError};
use crate::skill_files::{FolderHandle, SkillFiles};

impl SkillFiles {
    /// Why the files are too many or too large for a manifest, by asking the system alone: none of them is read.
    pub fn beyond_manifest(&self) -> Option<String> {
        let handle = self.handle().ok()?;
        handle.beyond_manifest(None)
    }
}

impl FolderHandle {
    /// The same of an open folder. What has been listed and opened already is not asked for again.
    pub(crate) fn beyond_manifest(&self, listed: Option<&Listed>) -> Option<String> {
        if is_surely_within(self, listed) {
            return None;
        }
        let list = self.list(MANIFEST_FILES, Wanted::Served, |_, _| ());
        too_much(&list).map(|error| error.to_string())
    }
}

pub(crate) fn too_much(list: &FileList) -> Option<ManifestError> {
    let files = list.files.len() + usize::from(list.truncated);
    ManifestError::of_size(files, list.files.values().sum())
}

/// Whether the plain files and the folders that lie there are few and small enough. A scan asks this of every skill, so it
/// makes no list, and leaves whatever is not plain to the longer way: links, pipes, folders that cannot be looked into.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_surely_within(handle: &FolderHandle, listed: Option<&Listed>) -> bool {
    let mut all = match listed {
        Some(listed) => Tally::of_listed(handle, listed),
        None => match Tally::of_folder(handle, ".") {
            Some(tally) => tally,
            None => return false,
        },
    };
    let mut folders = std::mem::take(&mut all.folders);
    while let Some(folder) = folders.pop() {
        let found = handle
            .tally(&folder)
            .or_else(|| Tally::of_folder(handle, &folder));
        let Some(found) = found else {
            return false;
        };
        all.entries += found.entries;
        all.bytes = all.bytes.saturating_add(found.bytes);
        all.is_odd |= found.is_odd;
        if !all.is_within() {
            return false;
        }
        let below = found.folders.iter();
        folders.extend(below.map(|name| format!("{folder}/{name}")));
    }
    all.is_within()
}

/// Elsewhere the list is what tells.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const fn is_surely_within(_: &FolderHandle, _: Option<&Listed>) -> bool {
    false
}

/// What one folder has for a manifest, as far as it is plain.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    entries: usize,
    bytes: u64,
    /// Whether there is something that is neither a plain file nor a folder, or too much: the rest was not looked at.
    is_odd: bool,
    /// The folders in it, by name.
    folders: Vec<String>,
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally;

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Tally {
    fn is_within(&self) -> bool {
        !self.is_odd && ManifestError::of_size(self.entries, self.bytes).is_none()
    }

    /// One more entry of an open folder.
    pub(crate) fn take(
        &mut self,
        folder: impl std::os::fd::AsFd,
        raw: &[u8],
        kind: rustix::fs::FileType,
    ) {
        use crate::file_list::not_for_readers;
        use rustix::fs::FileType;

        if self.is_odd {
            return;
        }
        match std::str::from_utf8(raw) {
            Ok(name) if not_for_readers(name).is_some() => return,
            Ok(_) if kind == FileType::RegularFile => {
                self.add_file(size_of_file(folder, raw));
            }
            Ok(name) if kind == FileType::Directory => {
                self.entries += 1;
                self.folders.push(name.to_owned());
            }
            _ => self.is_odd = true,
        }
        self.is_odd |= !self.is_within();
    }

    fn add_file(&mut self, size: Option<u64>) {
        self.entries += 1;
        match size {
            Some(size) => self.bytes = self.bytes.saturating_add(size),
            None => self.is_odd = true,
        }
    }

    fn of_folder(handle: &FolderHandle, relative: &str) -> Option<Self> {
        let opened = handle.open_folder_below(relative)?;
        let mut tally = Self::default();
        crate::skill_files::each_entry(&opened, |raw, kind| tally.take(&opened, raw, kind));
        Some(tally)
    }

    /// The skill's own folder, which was listed before it was opened.
    fn of_listed(handle: &FolderHandle, listed: &Listed) -> Self {
        let mut tally = Self::default();
        for (name, is_folder) in listed.entries() {
            if crate::file_list::not_for_readers(name).is_some() {
                continue;
            }
            if is_folder {
                tally.entries += 1;
                tally.folders.push(name.to_owned());
            } else {
                let size = handle
                    .size(name)
                    .or_else(|| size_of_file(handle.dir(), name));
                tally.add_file(size);
            }
        }
        tally
    }
}

/// The size of a regular file in an open folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn size_of_file(folder: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> Option<u64> {
    use rustix::fs::{AtFlags, FileType, statat};

    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    u64::try_from(found.st_size).ok().filter(|_| is_file)
}
