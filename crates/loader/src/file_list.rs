//! Which files a skill has, and why others are passed over.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use cap_std::fs::{DirEntry, Metadata};

use crate::skill_files::{FolderHandle, ReadFileError, SkillFiles, read_error};

/// How many of those that are passed over are named.
const MOST_SKIPPED: usize = 100;
/// How many that cannot be read are told apart from those.
const MOST_UNREADABLE: usize = 1_000;

/// The files of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileList {
    /// Size in bytes by path below the folder, with `/` between the parts.
    pub files: BTreeMap<String, u64>,
    /// What was passed over, with the reason; a hundred at most.
    pub skipped: BTreeMap<String, String>,
    /// How many more were.
    pub more_skipped: usize,
    /// Files and folders that the system does not let this process read, with the reason. The files are among `files`.
    pub unreadable: BTreeMap<String, String>,
    /// Those of the files that are links to what is nothing for readers of the skill, with the reason.
    pub hidden_links: BTreeMap<String, String>,
    /// Whether there are more files than the limit.
    pub truncated: bool,
    /// The system gave no handles for all of it.
    pub(crate) is_exhausted: bool,
}

impl FileList {
    pub(crate) fn skip(&mut self, path: String, reason: impl Into<String>) {
        self.skipped.insert(path, reason.into());
        // The first by name, so that the order of a directory does not matter.
        if self.skipped.len() > MOST_SKIPPED {
            self.skipped.pop_last();
            self.more_skipped += 1;
        }
    }

    fn fail(&mut self, path: String, error: &ReadFileError) {
        self.is_exhausted |= matches!(error, ReadFileError::Exhausted);
        let is_forbidden = matches!(error, ReadFileError::PermissionDenied { .. });
        if is_forbidden && self.unreadable.len() < MOST_UNREADABLE {
            self.unreadable.insert(path, error.to_string());
        } else {
            self.skip(path, error.to_string());
        }
    }
}

/// Which files are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    /// Those that are for readers of the skill.
    Served,
}

impl SkillFiles {
    /// Every regular file below the folder, at most `limit`.
    ///
    /// A link to a file inside counts as a file; a link to a folder or out of the skill is passed
    /// over with the reason, and so are pipes, sockets and names that are not UTF-8.
    pub fn list(&self, limit: usize) -> Result<FileList, ReadFileError> {
        Ok(self.handle()?.list(limit, Wanted::All, |_, _| ()))
    }

    /// The same without what is nothing for readers of the skill, which is passed over as well
    /// ([`not_for_readers_at`]): folders of that kind are not entered, however much is in them.
    pub fn list_served(&self, limit: usize) -> Result<FileList, ReadFileError> {
        Ok(self.handle()?.list(limit, Wanted::Served, |_, _| ()))
    }
}

impl FolderHandle {
    /// The list, with a word to `note` for each file on it.
    pub(crate) fn list(
        &self,
        limit: usize,
        wanted: Wanted,
        mut note: impl FnMut(&str, &Metadata),
    ) -> FileList {
        let mut list = FileList::default();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let place = if folder.is_empty() { "." } else { &folder };
            let entries = match self.dir().read_dir(place) {
                Ok(entries) => entries,
                Err(error) => {
                    let error = read_error(&folder, &error);
                    list.fail(folder, &error);
                    continue;
                }
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let path = below(&folder, &name.to_string_lossy());
                let Some(name) = name.to_str() else {
                    list.skip(path, "its name is not UTF-8");
                    continue;
                };
                if wanted == Wanted::Served
                    && let Some(reason) = not_for_readers(name)
                {
                    list.skip(path, reason);
                    continue;
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if !self.add(&mut list, &entry, path, (limit, wanted), &mut note) {
                    return list;
                }
            }
        }
        list
    }

    /// Adds what is no folder; `false` where there are more files than the limit. A folder may be read, and one of its files
    /// swapped for a link before it is looked at: what lies there by then is what is told.
    fn add(
        &self,
        list: &mut FileList,
        entry: &DirEntry,
        path: String,
        (limit, wanted): (usize, Wanted),
        note: &mut impl FnMut(&str, &Metadata),
    ) -> bool {
        let Ok(kind) = entry.file_type() else {
            return true;
        };
        let own = kind.is_file().then(|| entry.metadata());
        let is_swapped = matches!(&own, Some(Ok(own)) if own.is_symlink());
        let is_link = kind.is_symlink() || is_swapped;
        let hidden = is_link.then(|| self.hidden_target(&path)).flatten();
        if let Some(reason) = &hidden
            && wanted == Wanted::Served
        {
            list.skip(path, reason);
            return true;
        }
        // Only a link has to be followed, and never to the outside.
        let found = match own {
            Some(own) if !is_link => own,
            _ if is_link => self.dir().metadata(&path),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        };
        match found {
            Ok(found) if found.is_file() => {
                if list.files.len() >= limit {
                    list.truncated = true;
                    return false;
                }
                if let Some(error) = unreadable(self, &path, &found) {
                    list.is_exhausted |= matches!(error, ReadFileError::Exhausted);
                    list.unreadable.insert(path.clone(), error.to_string());
                }
                note(&path, &found);
                list.hidden_links
                    .extend(hidden.map(|reason| (path.clone(), reason)));
                list.files.insert(path, found.len());
            }
            Ok(found) if is_link && found.is_dir() => list.skip(path, "it is a link to a folder"),
            Ok(_) if is_link => list.skip(path, "it is a link to what is not a file"),
            Ok(_) => list.skip(path, "it is not a file"),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                list.skip(path, "it is not a file");
            }
            Err(error) => match read_error(&path, &error) {
                ReadFileError::Outside { .. } => {
                    let reason = self.why_outside(&path);
                    list.skip(path, reason);
                }
                ReadFileError::NotFound { .. } if is_link => list.skip(path, "it leads nowhere"),
                // It has gone since the folder was read.
                ReadFileError::NotFound { .. } => {}
                error => list.fail(path, &error),
            },
        }
        true
    }

    /// What is wrong with a link that is not followed. That its target lies inside makes no difference where the way there
    /// does not: only a way inside stays inside while somebody swaps links.
    fn why_outside(&self, link: &str) -> &'static str {
        if self.file_path(link).is_err() {
            return "it leads out of the skill folder";
        }
        if self.is_absolute_link(link) {
            return "it is an absolute link, which is not followed although its target lies in the skill: make it a relative one";
        }
        "it leads through what lies outside of the skill folder, which is not followed although its target lies in the \
         skill: link to it by a way inside"
    }

    /// Why what a link leads to is nothing for readers, where it is not.
    fn hidden_target(&self, link: &str) -> Option<String> {
        let target = self.dir().canonicalize(link).ok()?;
        if target == Path::new(".") {
            return None;
        }
        let target = target.to_string_lossy();
        let (_, reason) = not_for_readers_at(&target)?;
        Some(format!("it leads to what is not served: {reason}"))
    }
}

#[cfg(feature = "watch")]
impl FolderHandle {
    /// The folders below that hold files for readers. Where there are more files than the limit, as
    /// many folders as hold more than it: that there are fewer again shows in one of them.
    pub(crate) fn served_folders(&self, limit: usize) -> Vec<String> {
        let mut found = vec![String::new()];
        let (mut looked, mut files) = (0, 0);
        while files <= limit
            && let Some(folder) = found.get(looked).cloned()
        {
            looked += 1;
            let place = if folder.is_empty() { "." } else { &folder };
            let Ok(entries) = self.dir().read_dir(place) else {
                continue;
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
                    continue;
                };
                if not_for_readers(name).is_some() {
                    continue;
                }
                if kind.is_dir() {
                    found.push(below(&folder, name));
                }
                files += usize::from(kind.is_file());
            }
        }
        found.into_iter().take(looked).skip(1).collect()
    }
}

/// Why a file cannot be read; asked of the system only where its mode leaves a doubt.
fn unreadable(handle: &FolderHandle, path: &str, found: &Metadata) -> Option<ReadFileError> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        const FOR_ALL: u32 = 0o444;
        if found.mode() & FOR_ALL == FOR_ALL {
            return None;
        }
    }
    #[cfg(not(unix))]
    let _ = found;
    handle.open(path).err()
}

/// The beginning of a path that is nothing for readers of a skill, and why: what is hidden, compiled
/// code, and names that no URI may hold.
pub fn not_for_readers_at(path: &str) -> Option<(&str, &'static str)> {
    let mut end = 0;
    for part in path.split('/') {
        end += part.len();
        if let Some(reason) = not_for_readers(part) {
            return Some((path.get(..end)?, reason));
        }
        end += 1;
    }
    None
}

const HIDDEN: &str = "it is hidden";
const COMPILED: &str = "it is compiled code";

/// Whether a path is left out because of what everybody leaves out: what is hidden, and compiled code.
pub fn is_hidden_or_compiled(path: &str) -> bool {
    matches!(not_for_readers_at(path), Some((_, HIDDEN | COMPILED)))
}

pub(crate) fn not_for_readers(name: &str) -> Option<&'static str> {
    if name.starts_with('.') {
        Some(HIDDEN)
    } else if name == "__pycache__" {
        Some(COMPILED)
    } else if name.contains(|c: char| c == '\\' || c.is_control()) {
        Some("its name holds a backslash or a control character")
    } else {
        None
    }
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What a folder names as a file is something else by the time that it is looked at.
    #[test]
    fn what_was_swapped_is_told_as_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("skill");
        fs::create_dir_all(place.join("inner")).unwrap();
        let [outside, file] = [folder.path().join("outside.txt"), place.join("a.txt")];
        fs::write(&outside, "x").unwrap();
        fs::write(place.join("b.txt"), "bb").unwrap();
        let told = |swap: &dyn Fn()| {
            let _ = fs::remove_file(&file);
            fs::write(&file, "a").unwrap();
            let files = SkillFiles::canonical(place.canonicalize().unwrap());
            let handle = files.handle().unwrap();
            let entries: Vec<_> = handle.dir().entries().unwrap().flatten().collect();
            fs::remove_file(&file).unwrap();
            swap();
            let mut list = FileList::default();
            for entry in entries.iter().filter(|entry| entry.file_name() == "a.txt") {
                let limits = (9, Wanted::Served);
                handle.add(&mut list, entry, "a.txt".into(), limits, &mut |_, _| ());
            }
            let size = list.files.get("a.txt").map(ToString::to_string);
            size.or_else(|| list.skipped.remove("a.txt"))
        };
        let link = |to: &str| symlink(to, &file).unwrap();
        for (to, expected) in [
            ("../outside.txt", "it leads out of the skill folder"),
            ("inner", "it is a link to a folder"),
            ("nowhere", "it leads nowhere"),
            ("b.txt", "2"),
        ] {
            assert_eq!(told(&|| link(to)).as_deref(), Some(expected), "{to}");
        }
        let socket = || drop(std::os::unix::net::UnixListener::bind(&file).unwrap());
        assert_eq!(told(&socket).as_deref(), Some("it is not a file"));
        assert_eq!(told(&|| ()), None);
    }
}
