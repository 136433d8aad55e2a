//! The files that the front matter names: tools and groups.

use std::collections::BTreeSet;
use std::ops::Range;

use metier_diagnostics::{Diagnostic, Location, Severity};
use metier_skill_model::{ScriptLookup, SkillMetadata, ToolDeclaration};

use crate::candidate::Candidate;
use crate::codes;
use crate::findings::{Findings, TOOLS_CODES, brief};
use crate::script::{Scripts, normalized};
use crate::skill_file::{NESTED_TOOLS, PathKey, keys_below};
use crate::skill_files::{FolderHandle, ReadFileError, is_absolute_anywhere};
use crate::tools_file::{
    Declared, Names, Surroundings, TOOLS_FILE_LIMIT, connect, lower_cased, read_groups_file,
    read_tools_file, several, unknown_tools,
};
use crate::values::Item;

/// Where the front matter, which ends in that line, names the tools file at a place where nobody looks for it.
fn misplaced_key(text: &str, last: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n').take(last) {
        let words = line.trim();
        if words.starts_with("tools:") && words.ends_with("tools.yaml") {
            let start = start + (line.len() - line.trim_start().len());
            return Some(start..start + words.len());
        }
        start += line.len();
    }
    None
}

/// A file of a like name is looked for among so many, and for no longer path: comparing takes time.
const MOST_OFFERED: usize = 64;
const LONGEST_OFFERED: usize = 128;

/// Reads what lies beside a SKILL.md into the skill.
#[derive(Debug)]
pub(crate) struct Siblings<'a, 'f> {
    pub(crate) candidate: &'a Candidate,
    pub(crate) handle: &'a FolderHandle,
    pub(crate) scripts: &'a Scripts,
    /// The beginning of the body of SKILL.md, and the line that the front matter ends on.
    pub(crate) body: (&'a str, usize),
    /// The findings about SKILL.md, where the files are named.
    pub(crate) front: &'a mut Findings<'f>,
    pub(crate) skill: &'a mut SkillMetadata,
    /// The findings about the files themselves.
    pub(crate) further: &'a mut Vec<Diagnostic>,
    /// Whether groups could not be read although the skill has some.
    pub(crate) is_torn: &'a mut bool,
    /// Whether it is certain that no safety rule finds anything in the values of the tools file.
    pub(crate) tools_are_clean: &'a mut bool,
}

/// Whether the tools were read that groups may name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolsKnown {
    Yes,
    No,
}

impl Siblings<'_, '_> {
    /// Reads tools and groups; the answer is the reason why the tools file cannot be used.
    pub(crate) fn read(mut self, tools: &PathKey, groups: &PathKey) -> Option<String> {
        let mut names = Names::default();
        let declared = match tools {
            PathKey::Unusable(reason) => {
                self.groups_file(groups, "", ToolsKnown::No);
                return Some(reason.clone());
            }
            PathKey::Absent => {
                self.unused_tools_file();
                None
            }
            PathKey::Path(item) => match self.tools_file(item, groups, &mut names) {
                Ok(declared) => Some(declared),
                Err(reason) => return Some(reason),
            },
        };
        *self.tools_are_clean = declared.as_ref().is_some_and(|declared| declared.is_clean);
        if declared.is_none_or(|declared| declared.empty) {
            *self.tools_are_clean = false;
            self.scripts_as_tools(&mut names);
        }
        None
    }

    fn findings<'t>(&self, file: &str, text: &'t str) -> Findings<'t> {
        let shown = self.candidate.shown(file);
        Findings::new(self.front.mode, &TOOLS_CODES, shown, text)
    }

    /// Only the plain name is looked for: other YAML files may serve other programs.
    fn unused_tools_file(&mut self) {
        if self.candidate.content.has_tools_file && self.handle.file_path("tools.yaml").is_ok() {
            let (body, line) = self.body;
            let misplaced = misplaced_key(self.front.text(), line);
            let help = match (keys_below(body), &misplaced) {
                (Some(key), _) => format!(
                    "the front matter ends at the `---` on line {line}, and `{}` below it is not read: remove that `---`",
                    brief(key)
                ),
                (None, Some(_)) => {
                    format!("the key belongs below `metadata`, `dcc-mcp`: `{NESTED_TOOLS}`")
                }
                (None, None) => self.where_to_name_it(),
            };
            self.front
                .warning(
                    codes::TOOLS_FILE_UNUSED,
                    &misplaced.unwrap_or(0..0),
                    "`tools.yaml` is not read, because the front matter does not name it",
                )
                .help(help);
        }
    }

    /// What to write that names the tools file, beside what is written already.
    fn where_to_name_it(&self) -> String {
        let metadata = self.skill.front_matter.get("metadata");
        let metadata = metadata.filter(|written| written.is_object());
        let nested = metadata.and_then(|metadata| metadata.get("dcc-mcp"));
        if nested.is_some_and(serde_json::Value::is_object) {
            "add `tools: tools.yaml` below `dcc-mcp:`".to_owned()
        } else if metadata.is_some() && nested.is_none() {
            "add `dcc-mcp: {tools: tools.yaml}` below `metadata:`".to_owned()
        } else {
            format!("add `{NESTED_TOOLS}`")
        }
    }

    fn tools_file(
        &mut self,
        item: &Item,
        groups: &PathKey,
        names: &mut Names,
    ) -> Result<Declared, String> {
        let found = self.text(item, "the tools file", Severity::Error);
        let (path, text) = match found {
            Ok(found) => found,
            Err(reason) => {
                self.groups_file(groups, "", ToolsKnown::No);
                return Err(reason);
            }
        };
        let mut findings = self.findings(&path, &text);
        let around = Surroundings {
            aliases: lower_cased(&self.skill.search_aliases),
            skill: self.skill,
            scripts: self.scripts,
            handle: self.handle,
        };
        let mut read = read_tools_file(&mut findings, &text, &around, names);
        if let Ok(declared) = &mut read {
            self.skill.tools = std::mem::take(&mut declared.tools);
            let groups_read = std::mem::take(&mut declared.groups);
            *self.is_torn |= groups_read.is_torn;
            unknown_tools(&mut findings, &self.skill.tools, &groups_read.list);
            let groups_read = groups_read.list.into_iter();
            self.skill.groups = groups_read.map(|read| read.group).collect();
            let (is_read, lost) = self.groups_file(groups, &path, ToolsKnown::Yes);
            declared.is_clean &= !is_read;
            connect(&mut findings, self.skill, declared, lost.as_deref());
        } else {
            self.groups_file(groups, &path, ToolsKnown::No);
        }
        self.further.append(&mut findings.finish());
        read.map_err(|reason| format!("{path}: {reason}"))
    }

    /// Reads a groups file besides the tools file, if there is one. One that cannot be used costs the groups: their tools
    /// are always active. It tells whether there is one, and its text where that is no list of groups.
    fn groups_file(
        &mut self,
        groups: &PathKey,
        tools_path: &str,
        tools: ToolsKnown,
    ) -> (bool, Option<String>) {
        let item = match groups {
            PathKey::Absent => return (false, None),
            PathKey::Path(item) => item,
            PathKey::Unusable(_) => {
                *self.is_torn = true;
                return (false, None);
            }
        };
        if normalized(&item.text).as_deref() == Some(tools_path) {
            return (false, None);
        }
        let severity = self.front.mode.fault();
        let Ok((path, text)) = self.text(item, "the groups file", severity) else {
            *self.is_torn = true;
            return (false, None);
        };
        let mut findings = self.findings(&path, &text);
        let mut known: BTreeSet<String> = self
            .skill
            .groups
            .iter()
            .map(|group| group.name.clone())
            .collect();
        let read = read_groups_file(&mut findings, &text);
        let is_lost = read.is_err();
        *self.is_torn |= read.as_ref().map_or(true, |read| read.is_torn);
        let mut read = read.unwrap_or_default().list;
        read.retain(|read| known.insert(read.group.name.clone()));
        // Without the tools the groups are nothing to be used: what is wrong with them is told, and that is all.
        if tools == ToolsKnown::Yes {
            unknown_tools(&mut findings, &self.skill.tools, &read);
            let read = read.into_iter();
            self.skill.groups.extend(read.map(|read| read.group));
        }
        self.further.append(&mut findings.finish());
        (true, is_lost.then_some(text))
    }

    /// A skill with scripts and no declared tools gets one tool a script.
    fn scripts_as_tools(&mut self, names: &mut Names) {
        let mut findings = self.findings(&self.candidate.content.file_name, "");
        for (name, choice) in self.scripts.as_tools() {
            if !names.take(&mut findings, &self.skill.name, &name, &(0..0)) {
                continue;
            }
            several(&mut findings, &(0..0), &name, &choice);
            let mut tool = ToolDeclaration::named(name);
            tool.script = ScriptLookup::Script { path: choice.path };
            self.skill.tools.push(tool);
        }
        self.further.append(&mut findings.finish());
    }

    /// The path and the text of a file that the front matter names; an `Err` is the reason in words.
    fn text(
        &mut self,
        item: &Item,
        what: &str,
        severity: Severity,
    ) -> Result<(String, String), String> {
        let written = item.text.as_str();
        let path = normalized(written).filter(|_| !is_absolute_anywhere(written));
        let read = match &path {
            Some(path) => self.handle.read(path, TOOLS_FILE_LIMIT),
            None => Err(ReadFileError::Outside {
                path: written.to_owned(),
            }),
        };
        let path = path.unwrap_or_default();
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.unreachable(item, what, severity, &error)),
        };
        String::from_utf8(bytes)
            .map(|text| (path.clone(), text))
            .map_err(|error| {
                self.not_utf8(
                    &path,
                    severity,
                    error.as_bytes(),
                    error.utf8_error().valid_up_to(),
                )
            })
    }

    /// The YAML file in the skill's folder that a path which leads nowhere may mean.
    fn near(&self, path: &str) -> Option<String> {
        let folded = path.to_lowercase();
        let entries = self.handle.entries(".").into_iter();
        let names = entries.filter_map(|entry| entry.name.ok());
        let is_yaml = |name: &String| {
            let name = name.to_lowercase();
            matches!(name.rsplit_once('.'), Some((_, "yaml" | "yml")))
        };
        let files = names.filter(is_yaml);
        files
            .take(MOST_OFFERED)
            .map(|name| {
                (
                    strsim::damerau_levenshtein(&folded, &name.to_lowercase()),
                    name,
                )
            })
            .filter(|(distance, _)| *distance <= 2 && path.len() <= LONGEST_OFFERED)
            .min()
            .map(|(_, name)| name)
    }

    fn unreachable(
        &mut self,
        item: &Item,
        what: &str,
        severity: Severity,
        error: &ReadFileError,
    ) -> String {
        let (code, message, help) = match error {
            // The words of an absolute path are the author's, but they stay out of answers.
            ReadFileError::Outside { .. } => (
                codes::TOOLS_FILE_OUTSIDE,
                format!("{what} is outside the skill folder"),
                "put the file into the skill".to_owned(),
            ),
            ReadFileError::NotFound { path } => (
                codes::TOOLS_FILE_MISSING,
                format!("{what} `{path}` does not exist"),
                match self.near(path) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "add the file, or remove the key".to_owned(),
                },
            ),
            ReadFileError::TooLarge { path, .. } => (
                codes::TOOLS_FILE_TOO_LARGE,
                format!("{what} `{path}` is too large: more than 1 MiB"),
                "split the skill".to_owned(),
            ),
            error => (
                codes::TOOLS_FILE_UNREADABLE,
                format!("{what}: {error}"),
                error.cure().unwrap_or_default().to_owned(),
            ),
        };
        let place = self.front.place(&item.span);
        let mut diagnostic = Diagnostic::new(code, severity, message.clone()).at(place, "");
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.front.push(diagnostic);
        message
    }

    fn not_utf8(&mut self, path: &str, severity: Severity, bytes: &[u8], at: usize) -> String {
        let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let message = if utf16 {
            format!("`{path}` is not UTF-8: it looks like UTF-16")
        } else {
            format!("`{path}` is not UTF-8 (byte {at})")
        };
        let place = Location::in_bytes(self.candidate.shown(path), bytes, at..at);
        self.further.push(
            Diagnostic::new(codes::TOOLS_FILE_NOT_UTF8, severity, message.clone())
                .at(place, "")
                .help("save the file as UTF-8"),
        );
        message
    }
}
