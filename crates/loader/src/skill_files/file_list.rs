//! Every file of a skill, and what was passed over.

use std::collections::BTreeMap;
use std::io;

use super::error::read_error;
use super::folder_handle::FolderHandle;

/// The files of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileList {
    /// Size in bytes by path below the folder, with `/` between the parts.
    pub files: BTreeMap<String, u64>,
    /// What was passed over, with the reason.
    pub skipped: BTreeMap<String, String>,
    /// Whether there are more files than the limit.
    pub truncated: bool,
}

/// Every regular file below an open folder, at most `limit`.
pub(super) fn list_files(handle: &FolderHandle, limit: usize) -> FileList {
    let mut list = FileList::default();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let place = if folder.is_empty() { "." } else { &folder };
        let entries = match handle.dir.read_dir(place) {
            Ok(entries) => entries,
            Err(error) => {
                list.skipped
                    .insert(folder.clone(), read_error(&folder, &error).to_string());
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let path = below(&folder, &name.to_string_lossy());
            if name.to_str().is_none() {
                list.skipped
                    .insert(path, "its name is not UTF-8".to_owned());
                continue;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let found = if kind.is_file() || kind.is_symlink() {
                handle.dir.metadata(&path)
            } else {
                Err(io::ErrorKind::InvalidInput.into())
            };
            match found {
                Ok(found) if found.is_file() => {
                    if list.files.len() >= limit {
                        list.truncated = true;
                        return list;
                    }
                    list.files.insert(path, found.len());
                }
                Ok(_) => {
                    list.skipped
                        .insert(path, "it is a link to a folder".to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    list.skipped.insert(path, "it is not a file".to_owned());
                }
                Err(error) => {
                    let reason = read_error(&path, &error).to_string();
                    list.skipped.insert(path, reason);
                }
            }
        }
    }
    list
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
