//! Finds the skill folders below the roots.

mod content;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location};

use crate::candidate::{Candidate, SkillFolder};
use crate::parallel::in_parallel;
use crate::parse::SKILL_FILE;
use crate::report::RootFinding;
use crate::{ParseMode, Root, codes};

use content::{Content, Group, read_folder};

/// How many levels below a root are searched.
const DEEPEST: usize = 6;

/// What the walk found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Skill folders in the order of roots and paths.
    pub(crate) candidates: Vec<Candidate>,
    /// Folders that cannot be looked into, as candidates with the reason.
    pub(crate) locked: Vec<(Candidate, Diagnostic)>,
    pub(crate) findings: Vec<RootFinding>,
    /// Every folder that was listed, and the roots that are no folders.
    pub(crate) folders: Vec<PathBuf>,
    /// The links that were met: what they lead to may change without a trace in the listed folders.
    pub(crate) links: Vec<PathBuf>,
}

/// A folder on the way.
#[derive(Clone, Debug)]
struct Folder {
    path: PathBuf,
    display_path: String,
}

/// Folders that were entered. Nothing depends on their order, and paths that begin alike are dear to compare.
type Visited = HashSet<OsString>;

/// Walks every root, level by level, each level in parallel.
///
/// A folder that was reached once is not entered again, on whatever way: by a link, by a second
/// root, by a root inside another. The first way by root, level and path wins.
pub(crate) fn walk(roots: &[Root], mode: ParseMode) -> Walked {
    let mut walked = Walked::default();
    let mut visited = Visited::default();
    let mut labels: BTreeMap<&'static str, usize> = BTreeMap::new();
    for root in roots {
        let number = labels.entry(root.label.as_str()).or_default();
        *number += 1;
        let root_id: Arc<str> = match *number {
            1 => root.label.as_str().into(),
            number => format!("{}-{number}", root.label).into(),
        };
        let Some(path) = root_folder(root, &mut walked.findings) else {
            walked.folders.push(root.path.clone());
            continue;
        };
        if !visited.insert(path.clone().into_os_string()) {
            continue;
        }
        RootWalk {
            root: Arc::new(root.clone()),
            root_id,
            mode,
            visited: &mut visited,
            walked: &mut walked,
        }
        .walk(path);
    }
    walked
}

fn root_folder(root: &Root, findings: &mut Vec<RootFinding>) -> Option<PathBuf> {
    let shown = root.path.display();
    match root.path.canonicalize() {
        Ok(path) if path.is_dir() => Some(path),
        Ok(_) => {
            findings.push(RootFinding::anywhere(
                Diagnostic::warning(
                    codes::ROOT_NOT_A_FOLDER,
                    format!("the {} root `{shown}` is not a folder", root.label),
                )
                .help("name the folder that holds the skills"),
            ));
            None
        }
        Err(error) => {
            // A default folder that nobody made is no news.
            if root.label.is_named() {
                let reason = match error.kind() {
                    io::ErrorKind::NotFound => "does not exist".to_owned(),
                    io::ErrorKind::PermissionDenied => {
                        "cannot be read: permission denied".to_owned()
                    }
                    kind => format!("cannot be read: {kind}"),
                };
                findings.push(RootFinding::anywhere(
                    Diagnostic::warning(
                        codes::ROOT_MISSING,
                        format!("the {} root `{shown}` {reason}", root.label),
                    )
                    .help("make the folder and let the server's user read it, or name another"),
                ));
            }
            None
        }
    }
}

struct RootWalk<'a> {
    root: Arc<Root>,
    root_id: Arc<str>,
    mode: ParseMode,
    visited: &'a mut Visited,
    walked: &'a mut Walked,
}

impl RootWalk<'_> {
    fn walk(&mut self, root: PathBuf) {
        let first = self.walked.candidates.len();
        let mut with_scripts = Vec::new();
        let mut level = vec![Folder {
            path: root,
            display_path: String::new(),
        }];
        for depth in 0..=DEEPEST {
            let contents = in_parallel(&level, |folder| read_folder(&folder.path));
            let mut next = Vec::new();
            for (folder, content) in level.iter().zip(contents) {
                self.walked.folders.push(folder.path.clone());
                match content {
                    Content::Skill(found, listed) => {
                        let mut candidate = self.candidate(folder, found);
                        candidate.listed = listed;
                        self.walked.candidates.push(candidate);
                    }
                    Content::Unreadable(error) => self.unreadable(folder, &error),
                    Content::Group(group) => {
                        if group.has_scripts && depth > 0 {
                            with_scripts.push(folder.display_path.clone());
                        }
                        self.odd(folder, &group);
                        if depth == DEEPEST {
                            self.too_deep(folder, &group);
                        } else {
                            self.enter(folder, &group, &mut next);
                        }
                    }
                }
            }
            level = next;
        }
        let found = self.walked.candidates.get_mut(first..).unwrap_or_default();
        if found.iter().any(|skill| skill.display_path.contains('/')) {
            found.sort_by(|one, other| path_order(&one.display_path, &other.display_path));
        }
        let skills: BTreeSet<String> = found
            .iter()
            .map(|skill| skill.display_path.clone())
            .collect();
        for folder in with_scripts {
            // Scripts beside skills are shared; scripts without any skill below were meant as one.
            let below = format!("{folder}/");
            let next = skills.range(below.clone()..).next();
            if next.is_none_or(|skill| !skill.starts_with(&below)) {
                self.note(
                    Diagnostic::new(
                        codes::NO_SKILL_FILE,
                        self.mode.fault(),
                        format!("the folder has scripts or tools but no {SKILL_FILE}"),
                    )
                    .help(format!("add a {SKILL_FILE} with `name` and `description`")),
                    &folder,
                );
            }
        }
    }

    fn candidate(&self, folder: &Folder, content: SkillFolder) -> Candidate {
        Candidate {
            root: Arc::clone(&self.root),
            root_id: Arc::clone(&self.root_id),
            path: folder.path.clone(),
            display_path: folder.display_path.clone(),
            content,
            listed: None,
        }
    }

    fn note(&mut self, diagnostic: Diagnostic, place: &str) {
        let place = if place.is_empty() { "." } else { place };
        self.walked.findings.push(RootFinding {
            root: Some(Arc::clone(&self.root)),
            diagnostic: diagnostic.at(Location::file(place), ""),
        });
    }

    fn unreadable(&mut self, folder: &Folder, error: &io::Error) {
        let reason = if error.kind() == io::ErrorKind::PermissionDenied {
            "permission denied".to_owned()
        } else {
            error.kind().to_string()
        };
        let diagnostic = Diagnostic::error(
            codes::FOLDER_UNREADABLE,
            format!("the folder cannot be read: {reason}"),
        )
        .help("let the user that the server runs as read it, or leave the folder out");
        if folder.display_path.is_empty() {
            self.note(diagnostic, "");
            return;
        }
        let diagnostic = diagnostic.at(Location::file(folder.display_path.clone()), "");
        let content = SkillFolder {
            file_name: SKILL_FILE.to_owned(),
            ..SkillFolder::default()
        };
        let candidate = self.candidate(folder, content);
        self.walked.locked.push((candidate, diagnostic));
    }

    fn odd(&mut self, folder: &Folder, group: &Group) {
        for name in &group.odd_names {
            self.note(
                Diagnostic::warning(
                    codes::NAME_NOT_UTF8,
                    format!("the name of `{name}` is not UTF-8; it is passed over"),
                )
                .help("rename it"),
                &joined(&folder.display_path, name),
            );
        }
        for (name, what) in &group.odd_entries {
            self.note(
                Diagnostic::info(codes::ODD_ENTRY, format!("passed over: {what}")),
                &joined(&folder.display_path, name),
            );
        }
    }

    fn too_deep(&mut self, folder: &Folder, group: &Group) {
        if !group.folders.is_empty() {
            self.note(
                Diagnostic::info(
                    codes::TOO_DEEP,
                    format!("folders below are passed over: only {DEEPEST} levels are searched"),
                ),
                &folder.display_path,
            );
        }
    }

    fn enter(&mut self, folder: &Folder, group: &Group, next: &mut Vec<Folder>) {
        for (name, is_link) in &group.folders {
            let display_path = joined(&folder.display_path, name);
            let path = folder.path.join(name);
            let path = if *is_link {
                self.walked.links.push(path.clone());
                match self.follow(folder, &path, &display_path) {
                    Some(target) => target,
                    None => continue,
                }
            } else {
                path
            };
            if self.visited.insert(path.clone().into_os_string()) {
                next.push(Folder { path, display_path });
            }
        }
    }

    /// The folder a link leads to; `None`, with a word where it is worth one, for anything else.
    fn follow(&mut self, folder: &Folder, link: &Path, display_path: &str) -> Option<PathBuf> {
        match link.canonicalize() {
            Ok(target) if folder.path.starts_with(&target) => {
                self.note(
                    Diagnostic::warning(
                        codes::LINK_LOOP,
                        "the link leads back to a folder above it (a loop); it is not followed",
                    )
                    .help("remove the link"),
                    display_path,
                );
                None
            }
            Ok(target) if target.is_dir() => Some(target),
            Ok(_) => None,
            Err(error) => {
                let message = match error.kind() {
                    io::ErrorKind::NotFound => {
                        "broken link: what it points to does not exist".to_owned()
                    }
                    io::ErrorKind::PermissionDenied => {
                        "the link cannot be followed: permission denied".to_owned()
                    }
                    kind => format!("the link cannot be followed: {kind}"),
                };
                self.note(
                    Diagnostic::warning(codes::BROKEN_LINK, message)
                        .help("mend the link, or remove it"),
                    display_path,
                );
                None
            }
        }
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Part by part, so that `a/b` comes before `a-b`, as in a listing of the tree.
pub(crate) fn path_order(one: &str, other: &str) -> std::cmp::Ordering {
    one.split('/').cmp(other.split('/'))
}
