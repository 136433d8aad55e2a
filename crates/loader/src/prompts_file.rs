//! The prompts that a skill brings along: `metadata.dcc-mcp.prompts` names a file, or several with `*`.
//!
//! A prompt that cannot be used costs that prompt, with the reason.

use metier_diagnostics::{Diagnostic, Location};
use metier_skill_model::SkillMetadata;
use serde::Deserialize;
use serde_json::Value;

use crate::candidate::Candidate;
use crate::findings::{Findings, TOOLS_CODES, brief};
use crate::format::{PromptArgumentEntry, PromptArgumentFields, PromptEntry};
use crate::script::normalized;
use crate::skill_files::{FolderHandle, is_absolute_anywhere};
use crate::yaml::{Node, parse};
use crate::{ParseMode, codes};

/// The most bytes of one file.
const MOST_BYTES: usize = 1024 * 1024;
/// The most prompts of one skill, and the most files.
const MOST_PROMPTS: usize = 100;

/// One prompt of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillPrompt {
    /// Its name within the skill.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it is filled with.
    pub arguments: Vec<PromptArgument>,
    /// The text, with `{{name}}` where an argument belongs.
    pub template: String,
}

/// One argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Whether the prompt makes no sense without it.
    pub required: bool,
}

/// The files that a skill names for its prompts, of those that it has: one, or those that a name with
/// one `*` means, in the order of their paths.
pub fn prompt_files<'p>(
    metadata: &SkillMetadata,
    paths: impl IntoIterator<Item = &'p str>,
) -> Vec<String> {
    let Some(Value::String(named)) = metadata.dcc_extra.get("prompts") else {
        return Vec::new();
    };
    let Some((before, after)) = named.split_once('*') else {
        return vec![plain_path(named)];
    };
    let is_meant = |path: &&str| {
        path.strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|middle| !middle.contains('/'))
    };
    let meant = paths.into_iter().filter(is_meant).take(MOST_PROMPTS);
    meant.map(ToOwned::to_owned).collect()
}

fn plain_path(named: &str) -> String {
    let within = normalized(named).filter(|_| !is_absolute_anywhere(named));
    within.unwrap_or_else(|| named.to_owned())
}

/// What the prompts files of a skill say.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadPrompts {
    /// The prompts, each name once.
    pub prompts: Vec<SkillPrompt>,
    /// What was found wrong, in words for the author.
    pub faults: Vec<String>,
    /// A file could not be used as a whole: there may be prompts that nobody sees.
    pub is_torn: bool,
}

/// The prompts of these files. `read` gives the bytes of a file, or why there are none, in words for the author.
pub fn read_prompts(
    files: &[String],
    mut read: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> ReadPrompts {
    let mut found = ReadPrompts::default();
    for path in files {
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                found.faults.push(error);
                found.is_torn = true;
                continue;
            }
        };
        let (findings, is_torn) = read_bytes(path, &bytes, &mut found.prompts);
        let told = findings.into_iter().map(|finding| {
            let place = finding.location().map(ToString::to_string);
            format!("{}: {}", place.as_deref().unwrap_or(path), finding.message)
        });
        found.faults.extend(told);
        found.is_torn |= is_torn;
    }
    found
}

/// Adds the prompts of one file, `shown` to people; it tells what was found and whether the file cannot be used as a whole.
fn read_bytes(
    shown: &str,
    bytes: &[u8],
    prompts: &mut Vec<SkillPrompt>,
) -> (Vec<Diagnostic>, bool) {
    let whole = |message: String, help: &str| {
        let about = Diagnostic::warning(codes::PROMPTS_FILE, message);
        (vec![about.at(Location::file(shown), "").help(help)], true)
    };
    if bytes.len() > MOST_BYTES {
        let message = format!("the prompts file has more than {MOST_BYTES} bytes");
        return whole(message, "split it, and name the files with a `*`");
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return whole(
            "the prompts file is not UTF-8".to_owned(),
            "save it as UTF-8",
        );
    };
    let mut findings = Findings::new(ParseMode::Lenient, &TOOLS_CODES, shown.to_owned(), text);
    let is_read = read_text(&mut findings, text, prompts);
    (findings.finish(), !is_read)
}

fn read_text(findings: &mut Findings<'_>, text: &str, prompts: &mut Vec<SkillPrompt>) -> bool {
    let start = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let parsed = parse(text.get(start..).unwrap_or_default(), start);
    let (fault, root) = match parsed {
        Ok(tree) => (tree.faults.into_iter().next(), tree.root),
        Err(fault) => (Some(fault), None),
    };
    if let Some(fault) = fault {
        let message = format!("the prompts file cannot be read: {}", fault.message);
        let added = findings.warning(codes::PROMPTS_FILE, &fault.span, message);
        added.help(fault.help.unwrap_or_else(|| "mend the line".to_owned()));
        return false;
    }
    let list = root.as_ref().and_then(|root| root.get("prompts"));
    let Some(entries) = list.and_then(Node::list) else {
        let place = list.map_or(0..0, |list| list.span.clone());
        let message = match list {
            Some(node) => format!("expected a list `prompts`, found {}", node.noun()),
            None => "expected a list `prompts`".to_owned(),
        };
        findings
            .warning(codes::PROMPTS_FILE, &place, message)
            .help("write `prompts:` and one `- name: …` with a `template` for each prompt");
        return false;
    };
    for entry in entries {
        let place = entry.get("name").unwrap_or(entry).span.clone();
        let (message, help) = match PromptEntry::deserialize(entry.to_json()) {
            Ok(written) if written.blank().is_some() => (
                format!(
                    "this prompt cannot be used: {}",
                    written.blank().unwrap_or_default()
                ),
                "write one, or remove the entry",
            ),
            Ok(written) if prompts.len() >= MOST_PROMPTS => (
                format!("`{}` is one prompt too many", brief(&written.name)),
                "a skill has at most 100 prompts",
            ),
            Ok(written) if prompts.iter().any(|known| known.name == written.name) => (
                format!("`{}` is there twice; the first stays", brief(&written.name)),
                "give it another name, or remove one of the two",
            ),
            Ok(written) => {
                prompts.push(written.into());
                continue;
            }
            Err(error) => (
                format!("this prompt cannot be used: {error}"),
                "a prompt has a `name` and a `template`; `description` is text, `arguments` a list",
            ),
        };
        let start = place.start..place.start;
        findings
            .warning(codes::PROMPT_ENTRY, &start, message)
            .help(help);
    }
    true
}

/// What is wrong with the prompts that a skill names, for the author. `key` is where they are named.
pub(crate) fn prompt_findings(
    front: &mut Findings<'_>,
    key: &Node<'_>,
    candidate: &Candidate,
    handle: &FolderHandle,
    metadata: &SkillMetadata,
) -> Vec<Diagnostic> {
    if key.is_absent() {
        return Vec::new();
    }
    let Some(Value::String(named)) = metadata.dcc_extra.get("prompts") else {
        let message = format!("`prompts` must be the path of a file, found {}", key.noun());
        front
            .warning(codes::PROMPTS_FILE, &key.span, message)
            .help("put the list into prompts.yaml beside SKILL.md and name that file here");
        return Vec::new();
    };
    let files = match named.split_once('*') {
        Some((before, after)) => files_like(handle, before, after),
        None => vec![plain_path(named)],
    };
    if files.is_empty() {
        let message = format!("no file of the skill is meant by `{}`", brief(named));
        front
            .warning(codes::PROMPTS_FILE, &key.span, message)
            .help("add the file, or remove the key");
    }
    let mut prompts = Vec::new();
    let mut found = Vec::new();
    for file in files {
        match handle.read(&file, MOST_BYTES as u64) {
            Ok(bytes) => found.extend(read_bytes(&candidate.shown(&file), &bytes, &mut prompts).0),
            Err(error) => {
                let message = format!("the prompts file: {error}");
                let cure = error
                    .cure()
                    .unwrap_or("put the file into the skill, or remove the key");
                front
                    .warning(codes::PROMPTS_FILE, &key.span, message)
                    .help(cure);
            }
        }
    }
    found
}

/// The files that a name with one `*` means, in the order of their paths.
fn files_like(handle: &FolderHandle, before: &str, after: &str) -> Vec<String> {
    let (folder, start) = before.rsplit_once('/').unwrap_or((".", before));
    let (end, below) = after.split_once('/').unwrap_or((after, ""));
    let prefix = before.strip_suffix(start).unwrap_or_default();
    let names = handle.entries(folder).into_iter();
    let names = names.filter_map(|entry| entry.name.ok());
    let meant = names.filter(|name| {
        let rest = name.strip_prefix(start);
        rest.is_some_and(|rest| rest.ends_with(end))
    });
    let mut files: Vec<String> = meant
        .map(|name| match below {
            "" => format!("{prefix}{name}"),
            below => format!("{prefix}{name}/{below}"),
        })
        .filter(|path| handle.file_path(path).is_ok())
        .collect();
    files.sort_unstable();
    files.truncate(MOST_PROMPTS);
    files
}

impl From<PromptEntry> for SkillPrompt {
    fn from(written: PromptEntry) -> Self {
        let arguments = written
            .arguments
            .into_iter()
            .map(|argument| match argument {
                PromptArgumentEntry::Name(name) => PromptArgument {
                    name,
                    ..PromptArgument::default()
                },
                PromptArgumentEntry::Fields(PromptArgumentFields {
                    name,
                    description,
                    required,
                }) => PromptArgument {
                    name,
                    description,
                    required,
                },
            });
        Self {
            name: written.name,
            description: written.description,
            arguments: arguments.collect(),
            template: written.template,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseMode, parse_skill_dir};

    fn read(named: &str, files: &[(&str, &str)]) -> (Vec<SkillPrompt>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "---\nname: x\ndescription: x\nmetadata:\n  dcc-mcp:\n    prompts: '{named}'\n---\n"
        );
        std::fs::write(folder.path().join("SKILL.md"), text).unwrap();
        std::fs::create_dir(folder.path().join("prompts")).unwrap();
        for (path, text) in files {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let skill = parse_skill_dir(folder.path(), ParseMode::Lenient).unwrap();
        let manifest = skill.files.manifest().unwrap();
        let paths = manifest.files.iter().map(|file| &*file.path);
        let read = |path: &str| {
            let bytes = skill.files.read(path, 1 << 24);
            bytes.map_err(|error| error.to_string())
        };
        let found = read_prompts(&prompt_files(&skill.metadata, paths), read);
        (found.prompts, found.faults)
    }

    #[test]
    fn a_bad_prompt_costs_that_prompt() {
        let file = "prompts:\n- name: a\n  template: Do {{what}}\n  arguments: [what, {name: how, required: true}]\n- name: b\n- name: a\n  template: again\n";
        let (prompts, faults) = read("prompts.yaml", &[("prompts.yaml", file)]);
        assert_eq!(prompts.len(), 1);
        assert!(prompts[0].arguments[1].required);
        assert_eq!(prompts[0].arguments[0].name, "what");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }

    #[test]
    fn a_character_may_be_written_in_two_halves() {
        let file = r#"{"prompts": [{"name": "a", "template": "Bake \ud83d\ude00 now"}, {"name": "b", "template": "\u00e9"}]}"#;
        let (prompts, faults) = read("prompts.json", &[("prompts.json", file)]);
        let templates: Vec<_> = prompts.iter().map(|prompt| &*prompt.template).collect();
        assert_eq!(
            (templates, faults),
            (vec!["Bake \u{1F600} now", "é"], vec![])
        );
        let half = r#"{"prompts": [{"name": "a", "template": "\ud83d"}]}"#;
        let (prompts, faults) = read("prompts.json", &[("prompts.json", half)]);
        assert_eq!((prompts.len(), faults.len()), (0, 1));
    }

    #[test]
    fn a_star_means_files_of_one_folder() {
        let one = |name: &str| format!("prompts:\n- name: {name}\n  template: t\n");
        let files = [
            ("prompts/b.prompt.yaml", &*one("b")),
            ("prompts/a.prompt.yaml", &*one("a")),
            ("prompts/other.yaml", &*one("c")),
        ];
        let (prompts, faults) = read("prompts/*.prompt.yaml", &files);
        let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!((names, faults), (vec!["a", "b"], vec![]));
    }

    #[test]
    fn a_file_is_read_as_far_as_it_is_small() {
        let large = format!("prompts: []\n{}", "#".repeat(MOST_BYTES));
        let (prompts, faults) = read("prompts.yaml", &[("prompts.yaml", &large)]);
        assert_eq!((prompts.len(), faults.len()), (0, 1));
        assert!(faults[0].contains("1048576 bytes"), "{faults:?}");
    }

    #[test]
    fn what_is_not_there_or_leads_out_is_named() {
        for named in ["none.yaml", "../x.yaml", "SKILL.md"] {
            let (prompts, faults) = read(named, &[]);
            assert_eq!((prompts.len(), faults.len()), (0, 1), "{named}: {faults:?}");
        }
    }
}
