//! Reads one skill folder.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location, has_errors};
use metier_skill_model::{SkillMetadata, SkillName};
use sha2::{Digest as _, Sha256};

use crate::candidate::{Candidate, SkillFolder};
use crate::findings::{Findings, SKILL_CODES, sort_by_place};
use crate::report::{LoadedSkill, Origin, RejectedSkill};
use crate::script::Scripts;
use crate::siblings::Siblings;
use crate::skill_file::{
    Dependency, FRONT_MATTER_LIMIT, guess_name, parse_recovering, read_depends_file, read_fields,
    split,
};
use crate::skill_files::{FolderHandle, ReadFileError};
use crate::yaml::Node;
use crate::{ParseMode, Root, RootLabel, SkillFiles, codes};

/// How much of a body is read at a scan, in bytes.
const BODY_LIMIT: usize = 32 * 1024;
/// How much of it is kept for the index, in characters.
const EXCERPT: usize = 8000;
/// The file that makes a folder a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Reads one skill folder, as a scan with that folder as its only root would.
pub fn parse_skill_dir(folder: &Path, mode: ParseMode) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let path = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let content = list_skill_folder(&path);
    parse_candidate(
        &Candidate {
            root: Arc::new(Root::new(RootLabel::Explicit, folder)),
            root_id: RootLabel::Explicit.as_str().into(),
            path,
            display_path: String::new(),
            content,
        },
        mode,
    )
}

/// Reads one skill strictly; `path` is its folder or its SKILL.md.
///
/// The error carries every finding and prints those that reject the skill.
pub fn parse_skill_md(path: &Path) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let is_skill_file = path
        .file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        && path.is_file();
    let folder = match path.parent() {
        Some(parent) if is_skill_file && parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) if is_skill_file => parent,
        _ => path,
    };
    parse_skill_dir(folder, ParseMode::Strict)
}

fn list_skill_folder(folder: &Path) -> SkillFolder {
    let mut content = SkillFolder::default();
    let names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flat_map(Iterator::flatten)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .inspect(|name| content.note(name))
        .collect();
    content.file_name =
        skill_file_among(names.into_iter()).unwrap_or_else(|| SKILL_FILE.to_owned());
    content
}

/// SKILL.md itself, otherwise the first that differs in letter case alone.
pub(crate) fn skill_file_among(names: impl Iterator<Item = String>) -> Option<String> {
    names
        .filter(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        .min_by_key(|name| (name != SKILL_FILE, name.clone()))
}

/// Reads a candidate whose path is canonical.
pub(crate) fn parse_candidate(
    candidate: &Candidate,
    mode: ParseMode,
) -> Result<LoadedSkill, Box<RejectedSkill>> {
    parse_touching(candidate, mode).0
}

/// The same, with the paths below the folder that the answer depends on.
pub(crate) fn parse_touching(
    candidate: &Candidate,
    mode: ParseMode,
) -> (Result<LoadedSkill, Box<RejectedSkill>>, Vec<String>) {
    let files = SkillFiles::canonical(candidate.path.clone());
    match files.handle() {
        Ok(handle) => {
            let read = parse_in(candidate, mode, files, &handle);
            (read, handle.touched())
        }
        Err(error) => (Err(unreadable(candidate, &error)), Vec::new()),
    }
}

#[expect(
    clippy::unnecessary_box_returns,
    reason = "it is the error of functions that return boxes"
)]
fn unreadable(candidate: &Candidate, error: &ReadFileError) -> Box<RejectedSkill> {
    let shown = candidate.shown(&candidate.content.file_name);
    let diagnostic = Diagnostic::error(codes::SKILL_FILE_UNREADABLE, error.to_string())
        .at(Location::file(shown), "");
    Box::new(candidate.reject(None, vec![diagnostic]))
}

fn parse_in(
    candidate: &Candidate,
    mode: ParseMode,
    files: SkillFiles,
    handle: &FolderHandle,
) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let shown = candidate.shown(&candidate.content.file_name);
    let rejected = |name, diagnostics| Box::new(candidate.reject(name, diagnostics));
    // Room for the fences, a mark and blank lines besides the two limits.
    let limit = FRONT_MATTER_LIMIT + BODY_LIMIT + 4096;
    let (bytes, whole) = handle
        .read_start(&candidate.content.file_name, limit as u64)
        .map_err(|error| unreadable(candidate, &error))?;
    let parts = split(&bytes, whole).map_err(|fault| {
        let mut diagnostic = Diagnostic::error(fault.code, fault.message)
            .at(Location::in_bytes(shown.clone(), &bytes, fault.span), "");
        diagnostic.help = fault.help.map(str::to_owned);
        rejected(guess_name(&bytes), vec![diagnostic])
    })?;
    let mut findings = Findings::new(mode, &SKILL_CODES, shown.clone(), parts.head);
    let yaml = parts.head.get(parts.yaml.clone()).unwrap_or_default();
    let mended = OnceCell::new();
    let parsed = parse_recovering(yaml, parts.yaml.start, &mended);
    let (tree, recovered) = match parsed {
        Ok(parsed) => parsed,
        Err(fault) => {
            findings.yaml_fault(&fault);
            return Err(rejected(guess_name(yaml.as_bytes()), findings.finish()));
        }
    };
    for fault in &tree.faults {
        findings.yaml_fault(fault);
    }
    let root = match tree.root {
        Some(root) if root.map().is_some_and(|entries| !entries.is_empty()) => root,
        other => {
            let empty = other
                .as_ref()
                .is_none_or(|root| root.is_absent() || root.map().is_some());
            if empty {
                findings
                    .error(
                        codes::FRONT_MATTER_EMPTY,
                        &parts.yaml,
                        "the front matter is empty",
                    )
                    .help("add at least `name:` and `description:`");
            } else {
                let found = other.as_ref().map_or("nothing", Node::noun);
                findings
                    .error(
                        codes::FRONT_MATTER_NOT_A_MAP,
                        &parts.yaml,
                        format!("front matter must be a mapping, found {found}"),
                    )
                    .help("write keys and values, at least `name:` and `description:`");
            }
            return Err(rejected(None, findings.finish()));
        }
    };
    if !findings.is_empty() {
        let name = root.get("name").and_then(Node::text).map(str::to_owned);
        return Err(rejected(name, findings.finish()));
    }

    let folder_names = candidate.folder_names();
    let folder_name = folder_names
        .iter()
        .find_map(|name| SkillName::new(name).ok());
    let placeholder = folder_name
        .clone()
        .or_else(|| SkillName::new("unnamed").ok());
    let Some(placeholder) = placeholder else {
        return Err(rejected(None, findings.finish()));
    };
    let mut skill = SkillMetadata::new(placeholder, candidate.path.clone());
    let mut front = read_fields(
        &mut findings,
        &root,
        recovered.as_ref(),
        &folder_names,
        &mut skill,
    );
    let has_name = root
        .get("name")
        .is_some_and(|name| name.text().is_some_and(|text| !text.trim().is_empty()));
    if !has_name && folder_name.is_none() {
        // Without a name of its own and with a folder whose name cannot be one, nothing can address it.
        front.rejected = true;
        if !findings.make_error(codes::NAME_MISSING) {
            findings.error(codes::NAME_MISSING, &(0..0), "the skill has no name");
        }
    }
    first_bytes(
        &mut findings,
        &parts,
        &candidate.content.file_name,
        &mut front.not_served,
    );
    let excerpt = body_excerpt(&mut findings, &bytes, parts.body, whole);
    if front.rejected {
        let name = has_name.then(|| skill.name.to_string());
        let mut diagnostics = findings.finish();
        sort_by_place(&mut diagnostics);
        return Err(rejected(name, diagnostics));
    }

    let scripts = if candidate.content.has_scripts {
        Scripts::read(handle)
    } else {
        Scripts::default()
    };
    skill.scripts.clone_from(&scripts.paths);
    for (path, reason) in &scripts.odd {
        let location = Location::file(candidate.shown(path));
        findings
            .push(Diagnostic::warning(codes::LINK_LEAVES_SKILL, reason.clone()).at(location, ""));
    }
    let metadata_entries = if candidate.content.has_metadata {
        handle.entries("metadata")
    } else {
        Vec::new()
    };
    skill.metadata_files = metadata_entries
        .into_iter()
        .filter_map(|entry| entry.name.ok())
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|found| found == "md")
        })
        .map(|name| format!("metadata/{name}"))
        .collect();

    let mut further = Vec::new();
    let unusable = Siblings {
        candidate,
        handle,
        scripts: &scripts,
        body: (&excerpt, 1 + parts.head.matches('\n').count()),
        front: &mut findings,
        skill: &mut skill,
        further: &mut further,
    }
    .read(&front.tools, &front.groups);

    if skill
        .metadata_files
        .iter()
        .any(|file| file == "metadata/depends.md")
    {
        let shown = candidate.shown("metadata/depends.md");
        further.extend(read_depends_file(
            handle,
            |text| Findings::new(mode, &SKILL_CODES, shown.clone(), text),
            &mut front.depends,
        ));
    }
    let depends_at = depends(&mut findings, front.depends.items, &mut skill);

    let mut diagnostics = findings.finish();
    diagnostics.append(&mut further);
    sort_by_place(&mut diagnostics);
    if mode == ParseMode::Strict && has_errors(&diagnostics) {
        return Err(rejected(Some(skill.name.to_string()), diagnostics));
    }
    Ok(LoadedSkill {
        id: candidate.id(),
        root: Arc::clone(&candidate.root),
        path: candidate.path.clone(),
        display_path: candidate.display_path.clone(),
        metadata: Arc::new(skill),
        body_excerpt: excerpt,
        files: Arc::new(files),
        diagnostics,
        unusable,
        not_served: front.not_served,
        depends_at,
        origin: Origin(whole.then(|| Sha256::digest(&bytes).into())),
    })
}

/// What stands before the front matter, and how the file is called.
fn first_bytes(
    findings: &mut Findings<'_>,
    parts: &crate::skill_file::Split<'_>,
    file_name: &str,
    not_served: &mut Option<String>,
) {
    let mut reason = None;
    if parts.blank_lines {
        findings
            .warning(
                codes::BLANK_LINES_FIRST,
                &(0..0),
                "blank lines stand before the front matter; other hosts will not find it",
            )
            .help("put `---` on line 1");
        reason = Some("blank lines stand before its front matter".to_owned());
    }
    if parts.mark {
        findings
            .warning(
                codes::BYTE_ORDER_MARK,
                &(0..0),
                "the file begins with a byte order mark; other hosts will not find the front matter",
            )
            .help("save the file as UTF-8 without a byte order mark");
        reason = Some("its file begins with a byte order mark".to_owned());
    }
    if file_name != SKILL_FILE {
        findings
            .fault(
                codes::SKILL_FILE_NAME,
                &(0..0),
                format!(
                    "the file is named `{file_name}`, but it must be named exactly `{SKILL_FILE}`"
                ),
            )
            .help(format!("rename it to {SKILL_FILE}"));
        reason = Some(format!(
            "its file is named `{file_name}` instead of `{SKILL_FILE}`"
        ));
    }
    if reason.is_some() {
        *not_served = reason;
    }
}

fn body_excerpt(findings: &mut Findings<'_>, bytes: &[u8], start: usize, whole: bool) -> String {
    let body = bytes.get(start..).unwrap_or_default();
    let (body, whole) = match body.get(..BODY_LIMIT) {
        Some(cut) => (cut, false),
        None => (body, whole),
    };
    let text = match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(error) => {
            // A cut inside a character is ours, not the author's.
            let cut = !whole && error.error_len().is_none();
            if !cut {
                let at = start + error.valid_up_to();
                let message = format!("the body is not UTF-8 (byte {at})");
                let place = Location::in_bytes(findings.whole().file, bytes, at..at);
                findings.push(
                    Diagnostic::warning(codes::BODY_NOT_UTF8, message)
                        .at(place, "")
                        .help("save the file as UTF-8"),
                );
            }
            String::from_utf8_lossy(
                body.get(..if cut { error.valid_up_to() } else { body.len() })
                    .unwrap_or_default(),
            )
            .into_owned()
        }
    };
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// Takes the dependencies over, and hands back where each is written; a skill does not depend on itself.
fn depends(
    findings: &mut Findings<'_>,
    items: Vec<Dependency>,
    skill: &mut SkillMetadata,
) -> Vec<Location> {
    let mut places = Vec::new();
    for item in items {
        if item.name == skill.name.as_str() {
            let message = format!("`{}` depends on itself", skill.name);
            let about = Diagnostic::new(codes::DEPENDS_ON_ITSELF, findings.mode.fault(), message);
            findings.push(about.at(item.place, "").help("remove the line"));
        } else {
            skill.depends.push(item.name);
            places.push(item.place);
        }
    }
    places
}
