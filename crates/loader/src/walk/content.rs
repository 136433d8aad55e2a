//! What lies in one folder of the walk.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::candidate::SkillFolder;
use crate::parse::{SKILL_FILE, skill_file_among};

/// What is in a folder.
pub(super) enum Content {
    Skill(SkillFolder),
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
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return Content::Unreadable(error),
    };
    let mut group = Group::default();
    let mut skill_files = Vec::new();
    let mut skill = SkillFolder::default();
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = match entry.file_name().into_string() {
            Ok(name) => name,
            Err(raw) => {
                if kind.is_dir() || kind.is_symlink() {
                    group
                        .odd_names
                        .push(raw.as_encoded_bytes().escape_ascii().to_string());
                }
                continue;
            }
        };
        skill.note(&name);
        if name.eq_ignore_ascii_case(SKILL_FILE) {
            skill_files.push(name);
        } else if kind.is_dir() || kind.is_symlink() {
            group.has_scripts |= name == "scripts";
            match name.as_str() {
                "node_modules" | "__pycache__" => {}
                hidden if hidden.starts_with('.') => {}
                _ => {
                    group.folders.insert(name, kind.is_symlink());
                }
            }
        } else if kind.is_file() {
            group.has_scripts |= name == "tools.yaml";
        } else {
            group.odd_entries.insert(name, odd_kind(kind));
        }
    }
    if let Some(name) = skill_file_among(skill_files.into_iter()) {
        skill.file_name = name;
        return Content::Skill(skill);
    }
    group.odd_names.sort();
    Content::Group(group)
}

#[cfg(unix)]
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
