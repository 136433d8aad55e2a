//! Reads one skill folder.

use std::path::Path;
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location, has_errors};
use metier_skill_model::{SkillMetadata, SkillName};
use sha2::{Digest as _, Sha256};

use crate::around_front_matter::{BODY_LIMIT, body_excerpt, first_bytes};
use crate::candidate::{Candidate, SkillFolder};
use crate::cut_text::tell_cut_text;
use crate::findings::{Findings, SKILL_CODES, sort_by_place};
use crate::large_numbers::tell_large_numbers;
use crate::prompts_file::prompt_findings;
use crate::report::{LoadedSkill, Origin, RejectedSkill};
use crate::safety;
use crate::script::Scripts;
use crate::siblings::Siblings;
use crate::skill_file::{
    Dependency, FRONT_MATTER_LIMIT, Room, guess_name, hold_to_client_rules, parse_salvaging,
    read_depends_file, read_fields, split,
};
use crate::skill_files::{FolderHandle, ReadFileError};
use crate::yaml::Node;
use crate::{ParseMode, Root, RootLabel, SkillFiles, codes};

/// The file that makes a folder a skill.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Reads one skill folder, as a scan with that folder as its only root would.
pub fn parse_skill_dir(folder: &Path, mode: ParseMode) -> Result<LoadedSkill, Box<RejectedSkill>> {
    parse_candidate(&candidate_at(folder), mode)
}

/// A folder as the only root.
fn candidate_at(folder: &Path) -> Candidate {
    let path = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let content = list_skill_folder(&path);
    Candidate {
        root: Arc::new(Root::new(RootLabel::Explicit, folder)),
        root_id: RootLabel::Explicit.as_str().into(),
        path,
        display_path: String::new(),
        content,
        listed: None,
    }
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

/// Reads a skill folder leniently and whatever is wrong with it: for looking at the rest of a skill that
/// is rejected. `None` when there is no front matter to begin with.
pub fn read_despite_errors(folder: &Path) -> Option<LoadedSkill> {
    let candidate = candidate_at(folder);
    let files = SkillFiles::canonical(candidate.path.clone());
    let handle = files.handle().ok()?;
    let read = read_in(&candidate, ParseMode::Lenient, files.clone(), &handle);
    Some(read.ok()?.skill)
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
    let mut diagnostic = Diagnostic::error(codes::SKILL_FILE_UNREADABLE, error.to_string())
        .at(Location::file(shown), "");
    diagnostic.help = error.cure().map(str::to_owned);
    Box::new(candidate.reject(None, vec![diagnostic]))
}

fn parse_in(
    candidate: &Candidate,
    mode: ParseMode,
    files: SkillFiles,
    handle: &FolderHandle,
) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let AsRead {
        mut skill,
        is_named,
        guess,
        is_rejected,
    } = read_in(candidate, mode, files, handle)?;
    if is_rejected || mode == ParseMode::Strict && has_errors(&skill.diagnostics) {
        let name = is_named.then(|| skill.metadata.name.to_string());
        let name = name.or(guess);
        let found = std::mem::take(&mut skill.diagnostics);
        let mut rejected = candidate.reject(name, found);
        rejected.read = Some(Arc::new(skill));
        return Err(Box::new(rejected));
    }
    Ok(skill)
}

/// A skill with all that was found, before it is decided whether it can be used: one error hides no other.
struct AsRead {
    skill: LoadedSkill,
    is_named: bool,
    /// The name that it seems to state in a line that is broken.
    guess: Option<String>,
    /// Whatever the mode.
    is_rejected: bool,
}

fn read_in(
    candidate: &Candidate,
    mode: ParseMode,
    files: SkillFiles,
    handle: &FolderHandle,
) -> Result<AsRead, Box<RejectedSkill>> {
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
    let room = Room::default();
    let parsed = parse_salvaging(yaml, parts.yaml.start, &room);
    let (tree, recovered, broken) = match parsed {
        Ok(parsed) => parsed,
        Err(fault) => {
            findings.yaml_fault(&fault);
            return Err(rejected(guess_name(yaml.as_bytes()), findings.finish()));
        }
    };
    let guessed = || guess_name(yaml.as_bytes()).filter(|_| !broken.is_empty());
    for fault in broken.faults.iter().chain(&tree.faults) {
        findings.yaml_fault(fault);
    }
    let front_is_written = tree.is_plain && recovered.is_none() && broken.is_empty();
    let root = match tree.root {
        Some(root) if root.map().is_some_and(|entries| !entries.is_empty()) => root,
        _ if !broken.is_empty() => return Err(rejected(guessed(), findings.finish())),
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
    // What YAML readers make of these differs; the rest of the skill can be read all the same.
    let is_ambiguous = !findings.is_empty();
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
    hold_to_client_rules(&mut findings, &root, &skill, &mut front, |field| {
        broken.may_hold(field)
    });
    tell_cut_text(&mut findings, &root);
    tell_large_numbers(&mut findings, &root);
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
    if !broken.is_empty() {
        broken.forget_missing(&mut findings);
        // Where the tools are cannot be told.
        if broken.may_name_tools(root.get("metadata").is_some()) {
            return Err(rejected(guessed(), findings.finish()));
        }
    }
    first_bytes(
        &mut findings,
        &parts,
        &candidate.content.file_name,
        &mut front.not_served,
    );
    let excerpt = body_excerpt(&mut findings, &bytes, parts.body, whole);
    let scripts = if candidate.content.has_scripts {
        Scripts::read(handle)
    } else {
        Scripts::default()
    };
    skill.scripts.clone_from(&scripts.paths);
    for (path, reason) in &scripts.odd {
        let location = Location::file(candidate.shown(path));
        let about = Diagnostic::warning(codes::LINK_LEAVES_SKILL, reason.clone());
        let cure = if reason.starts_with("permission denied") {
            "let the user that the server runs as read it"
        } else {
            "put the script itself there, under a name of plain text, or remove what is there"
        };
        findings.push(about.at(location, "").help(cure));
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
    let mut tools_are_clean = false;
    let mut is_torn = false;
    let unusable = Siblings {
        candidate,
        handle,
        scripts: &scripts,
        body: (&excerpt, 1 + parts.head.matches('\n').count()),
        front: &mut findings,
        skill: &mut skill,
        further: &mut further,
        is_torn: &mut is_torn,
        tools_are_clean: &mut tools_are_clean,
    }
    .read(&front.tools, &front.groups);

    if let Some(key) = prompts_key(&root) {
        further.extend(prompt_findings(
            &mut findings,
            key,
            candidate,
            handle,
            &skill,
        ));
    }
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
        is_torn |= further
            .iter()
            .any(|found| found.code == codes::DEPENDS_FILE);
    }
    let beyond_manifest = match front.not_served {
        None => handle.beyond_manifest(candidate.listed.as_ref()),
        Some(_) => None,
    };
    let depends_at = depends(&mut findings, front.depends.items, &mut skill);

    let mut diagnostics = findings.finish();
    diagnostics.append(&mut further);
    let mut skill = LoadedSkill {
        id: candidate.id(),
        root: Arc::clone(&candidate.root),
        path: candidate.path.clone(),
        display_path: candidate.display_path.clone(),
        metadata: Arc::new(skill),
        body_excerpt: excerpt,
        files: Arc::new(files),
        diagnostics,
        unusable,
        is_torn,
        not_served: front.not_served,
        beyond_manifest,
        depends_at,
        name_at: front.name_at,
        origin: Origin(whole.then(|| Sha256::digest(&bytes).into())),
    };
    let tools_file = skill.tools_file();
    let known = safety::Known {
        front_is_written,
        tools_are_clean,
    };
    let verdict = safety::of_head(
        candidate,
        &bytes,
        &skill.metadata,
        tools_file.as_deref(),
        known,
    );
    skill.diagnostics.extend_from_slice(verdict.findings());
    sort_by_place(&mut skill.diagnostics);
    Ok(AsRead {
        skill,
        is_named: has_name,
        guess: guessed(),
        is_rejected: front.rejected || is_ambiguous || verdict.is_blocked(),
    })
}

/// Where the front matter names the prompts files.
fn prompts_key<'n, 'a>(root: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let metadata = root.get("metadata")?;
    let nested = metadata.get("dcc-mcp").and_then(|ours| ours.get("prompts"));
    nested.or_else(|| metadata.get("dcc-mcp.prompts"))
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
