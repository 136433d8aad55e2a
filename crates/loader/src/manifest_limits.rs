//! Whether a skill is too large for a manifest, by asking the system alone.

use crate::file_list::{FileList, Wanted};
use crate::manifest::{MANIFEST_FILES, ManifestError};
use crate::skill_files::{FolderHandle, SkillFiles};

impl SkillFiles {
    /// Why the files are too many or too large for a manifest, by asking the system alone: none of them is read.
    pub fn beyond_manifest(&self) -> Option<String> {
        let handle = self.handle().ok()?;
        handle.beyond_manifest()
    }
}

impl FolderHandle {
    pub(crate) fn beyond_manifest(&self) -> Option<String> {
        if is_surely_within(self) {
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
fn is_surely_within(handle: &FolderHandle) -> bool {
    use rustix::fs::{AtFlags, FileType, statat};

    use crate::file_list::not_for_readers;
    use crate::skill_files::each_entry;

    let (mut entries, mut bytes, mut is_plain) = (0_usize, 0_u64, true);
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let place = if folder.is_empty() { "." } else { &folder };
        let Some(opened) = handle.open_folder_below(place) else {
            return false;
        };
        each_entry(&opened, |raw, kind| {
            let Some(name) = std::str::from_utf8(raw).ok().filter(|_| is_plain) else {
                is_plain = false;
                return;
            };
            if not_for_readers(name).is_some() {
                return;
            }
            entries += 1;
            match kind {
                FileType::RegularFile => match statat(&opened, raw, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(found) => {
                        let size = u64::try_from(found.st_size).unwrap_or(u64::MAX);
                        bytes = bytes.saturating_add(size);
                    }
                    Err(_) => is_plain = false,
                },
                FileType::Directory if folder.is_empty() => folders.push(name.to_owned()),
                FileType::Directory => folders.push(format!("{folder}/{name}")),
                _ => is_plain = false,
            }
            is_plain &= ManifestError::of_size(entries, bytes).is_none();
        });
        if !is_plain {
            return false;
        }
    }
    true
}

/// Elsewhere the list is what tells.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const fn is_surely_within(_: &FolderHandle) -> bool {
    false
}
