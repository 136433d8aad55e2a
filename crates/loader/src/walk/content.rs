//! What lies in one folder of the walk.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::candidate::{Listed, SkillFolder};
use crate::parse::{SKILL_FILE, skill_file_among};
#[cfg(any(target_os = "linux", target_os = "android"))]
use crate::skill_files::each_entry;

/// What is in a folder.
pub(super) enum Content {
    Skill(SkillFolder, Option<Listed>),
    Group(Group),
    Unreadable(io::Error),
}

#[derive(Default)]
pub(super) struct Group {
    /// Folders by name; true for a link.
    pub(super) folders: BTreeMap<String, bool>,
    /// Names that are no text.
    pub(super) odd_names: Vec<String>,
    /// Sockets, pipes, devices.
    pub(super) odd_entries: BTreeMap<String, &'static str>,
    pub(super) has_scripts: bool,
}

pub(super) fn read_folder(path: &Path) -> Content {
    let mut seen = Seen {
        listed: Some(Listed::default()),
        ..Seen::default()
    };
    if let Err(error) = list(path, &mut seen) {
        return Content::Unreadable(error);
    }
    let Seen {
        mut group,
        mut skill,
        skill_files,
        listed,
    } = seen;
    if let Some(name) = skill_file_among(skill_files.into_iter()) {
        skill.file_name = name;
        return Content::Skill(skill, listed);
    }
    group.odd_names.sort();
    Content::Group(group)
}

/// What an entry of a folder is, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryKind {
    Folder,
    Link,
    File,
    /// In words.
    Odd(&'static str),
}

/// What was seen of a folder so far: it may turn out to be either.
#[derive(Default)]
struct Seen {
    group: Group,
    skill: SkillFolder,
    skill_files: Vec<String>,
    listed: Option<Listed>,
}

impl Seen {
    /// Takes one more entry; a name that is no text comes as its bytes.
    fn take(&mut self, name: Result<&str, &[u8]>, kind: EntryKind) {
        let may_hold_skills = matches!(kind, EntryKind::Folder | EntryKind::Link);
        let is_folder = kind == EntryKind::Folder;
        self.listed = self.listed.take().and_then(|listed| match name {
            Ok(name) if is_folder || kind == EntryKind::File => listed.with(name, is_folder),
            _ => None,
        });
        let name = match name {
            Ok(name) => name,
            Err(raw) => {
                if may_hold_skills {
                    self.group.odd_names.push(raw.escape_ascii().to_string());
                }
                return;
            }
        };
        self.skill.note(name);
        if name.eq_ignore_ascii_case(SKILL_FILE) {
            self.skill_files.push(name.to_owned());
        } else if may_hold_skills {
            self.group.has_scripts |= name == "scripts";
            match name {
                "node_modules" | "__pycache__" => {}
                hidden if hidden.starts_with('.') => {}
                _ => {
                    let is_link = kind == EntryKind::Link;
                    self.group.folders.insert(name.to_owned(), is_link);
                }
            }
        } else if let EntryKind::Odd(words) = kind {
            self.group.odd_entries.insert(name.to_owned(), words);
        } else {
            self.group.has_scripts |= name == "tools.yaml";
        }
    }
}

/// One opening and nothing asked about it: a scan does this for every folder.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn list(path: &Path, seen: &mut Seen) -> io::Result<()> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty())?;
    each_entry(&folder, |name, kind| {
        let kind = match kind {
            // Some file systems do not say it here.
            FileType::Unknown => match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
            {
                Ok(found) => FileType::from_raw_mode(found.st_mode),
                Err(_) => return,
            },
            kind => kind,
        };
        let kind = match kind {
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            FileType::RegularFile => EntryKind::File,
            FileType::Socket => EntryKind::Odd("a socket"),
            FileType::Fifo => EntryKind::Odd("a pipe"),
            _ => EntryKind::Odd("a device"),
        };
        seen.take(std::str::from_utf8(name).map_err(|_| name), kind);
    });
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn list(path: &Path, seen: &mut Seen) -> io::Result<()> {
    for entry in std::fs::read_dir(path)?.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let kind = if kind.is_dir() {
            EntryKind::Folder
        } else if kind.is_symlink() {
            EntryKind::Link
        } else if kind.is_file() {
            EntryKind::File
        } else {
            EntryKind::Odd(odd_kind(kind))
        };
        let name = entry.file_name();
        let text = name.to_str().ok_or(name.as_encoded_bytes());
        seen.take(text, kind);
    }
    Ok(())
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn odd_kind(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_socket() {
        "a socket"
    } else if kind.is_fifo() {
        "a pipe"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn odd_kind(_: std::fs::FileType) -> &'static str {
    "neither file nor folder"
}
