//! The folders on the way to a path, in which it can appear, go or come to lead elsewhere.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many links on one way as systems follow.
const MOST_LINKS: usize = 40;

/// How many folders lie above one that is watched only because others lie in it: the drive, and those
/// right below it, are neither moved nor made anew, and everything passes through them.
const SHALLOWEST: usize = 2;

/// Folders with the names in them that matter: a change of anything else beside them is none.
#[derive(Debug, Default)]
pub(super) struct Ways {
    names: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Ways {
    /// Adds the way to a path, over every link on it, as far as it goes.
    ///
    /// Where something on it is not there, the folder in which it would be made is the last one.
    pub(super) fn add(&mut self, path: &Path) {
        let Ok(path) = std::path::absolute(path) else {
            return;
        };
        let mut left: VecDeque<OsString> = parts(&path);
        let mut here = PathBuf::new();
        let mut links = 0;
        while let Some(part) = left.pop_front() {
            let next = here.join(&part);
            if next.parent().is_none() {
                here = next;
                continue;
            }
            if part == ".." {
                here.pop();
                continue;
            }
            if let Ok(target) = next.read_link() {
                self.note(&here, &part);
                links += 1;
                if links > MOST_LINKS {
                    return;
                }
                if target.is_absolute() {
                    here = PathBuf::new();
                }
                for part in parts(&target).into_iter().rev() {
                    left.push_front(part);
                }
            } else {
                let is_there = next.exists();
                let is_last = left.is_empty() || !is_there;
                if is_last || here.components().count() > SHALLOWEST {
                    self.note(&here, &part);
                }
                if !is_there {
                    return;
                }
                here = next;
            }
        }
    }

    fn note(&mut self, folder: &Path, name: &OsString) {
        let names = self.names.entry(folder.to_path_buf()).or_default();
        names.insert(folded(name));
    }

    /// The folders that lie on the ways.
    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.names.keys()
    }

    /// Leaves out the folders in which everything matters.
    pub(super) fn without(mut self, folders: &BTreeSet<PathBuf>) -> Self {
        self.names.retain(|folder, _| !folders.contains(folder));
        self
    }

    /// Whether it lies in a folder on a way, and not on the way.
    pub(super) fn is_beside(&self, path: &Path) -> bool {
        if self.names.contains_key(path) {
            return false;
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return false;
        };
        let names = self.names.get(folder);
        names.is_some_and(|names| !names.contains(&folded(name)))
    }
}

/// Some file systems tell a name in other letters than the one it was asked for.
fn folded(name: &std::ffi::OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let mut parts = VecDeque::new();
    let mut start = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => start.push(component),
            Component::CurDir => {}
            Component::ParentDir | Component::Normal(_) => {
                parts.push_back(component.as_os_str().to_owned());
            }
        }
    }
    if start.as_os_str().is_empty() {
        return parts;
    }
    parts.push_front(start.into_os_string());
    parts
}
