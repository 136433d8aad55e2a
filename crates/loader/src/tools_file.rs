//! tools.yaml and the groups file: one bad entry costs that entry.

mod annotations;
mod broken;
mod capabilities;
mod entry;
mod entry_script;
mod entry_values;
mod faults;
mod groups;
mod names;
mod schema;
mod schema_check;

use std::collections::BTreeSet;
use std::ops::Range;

use metier_diagnostics::Severity;
use metier_skill_model::{SkillMetadata, ToolDeclaration};

use crate::cut_text::tell_cut_text;
use crate::findings::{Findings, brief};
use crate::script::Scripts;
use crate::skill_files::FolderHandle;
use crate::yaml::{Fault, FaultKind, Node, parse};
use crate::{codes, effort};

pub(crate) use entry::{is_tool_key, plain_key};
pub(crate) use entry_script::several;
pub(crate) use entry_values::lower_cased;
pub(crate) use faults::Faults;
pub(crate) use groups::{ReadGroups, connect, read_groups_file, unknown_tools};
pub(crate) use names::Names;
pub(crate) use schema::is_schema_key;

/// The largest tools or groups file in bytes.
pub(crate) const TOOLS_FILE_LIMIT: u64 = 1024 * 1024;

/// What the reading of an entry needs to know of its skill.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) skill: &'a SkillMetadata,
    pub(crate) scripts: &'a Scripts,
    pub(crate) handle: &'a FolderHandle,
    /// The skill's own aliases, lower-cased: each tool's are held against them.
    pub(crate) aliases: Vec<String>,
}

/// What a tools file declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) tools: Vec<ToolDeclaration>,
    /// With the place of each `group` and `tools` item, for the check of both against each other.
    pub(crate) group_of: Vec<(String, Range<usize>)>,
    pub(crate) groups: ReadGroups,
    /// The list held no entry at all, good or bad.
    pub(crate) empty: bool,
    /// Every value stands in the file as it is, and it is certain that no safety rule finds anything there.
    pub(crate) is_clean: bool,
}

/// Reads a tools file; an `Err` says why it cannot be used as a whole.
pub(crate) fn read_tools_file(
    findings: &mut Findings<'_>,
    text: &str,
    around: &Surroundings<'_>,
    names: &mut Names,
) -> Result<Declared, String> {
    read_without(findings, text, around, names, &[])
}

/// The same, passing over the entries at these places.
fn read_without(
    findings: &mut Findings<'_>,
    text: &str,
    around: &Surroundings<'_>,
    names: &mut Names,
    passed_over: &[Range<usize>],
) -> Result<Declared, String> {
    let (root, faults, is_plain) = match parse_root(findings, text, "tools") {
        Ok(parsed) => parsed,
        Err(Unparsed::Told(reason)) => return Err(reason),
        Err(Unparsed::NoYaml(fault)) => {
            broken::tell(findings, text, &fault, |findings, rest, broken| {
                let unusable = read_without(findings, rest, around, names, broken);
                drop(unusable);
            });
            return Err(fault.message);
        }
    };
    let list = root.get("tools");
    let Some(entries) = list.and_then(Node::list) else {
        let place = list.map_or(root.span.start..root.span.start, |node| node.span.clone());
        let message = match list {
            None => "there is no `tools` list".to_owned(),
            Some(node) => format!("`tools` must be a list, found {}", node.noun()),
        };
        findings
            .error(codes::NO_TOOLS_LIST, &place, message.clone())
            .help("write `tools:` and one `- name: …` for each tool");
        return Err(message);
    };
    let mut declared = Declared {
        empty: entries.is_empty(),
        is_clean: is_plain && metier_safety::is_clean(text),
        tools: Vec::with_capacity(entries.len()),
        group_of: Vec::with_capacity(entries.len()),
        ..Declared::default()
    };
    for (index, node) in entries.iter().enumerate() {
        if broken::holds(passed_over, node) || faults.in_entry(findings, node) {
            continue;
        }
        if let Some(tool) = entry::read_entry(findings, index, node, around, names) {
            let group = node.get("group").unwrap_or(node);
            declared
                .group_of
                .push((tool.name.clone(), group.span.clone()));
            declared.tools.push(tool);
        }
    }
    let groups = root.get("groups");
    if let Some(groups) = groups {
        declared.groups = groups::read_groups(findings, groups, &faults, passed_over);
    }
    let keys = root.map().unwrap_or_default().iter();
    for (key, _) in keys.filter(|(key, _)| key.scalar_text().is_some()) {
        let name = key.key_text();
        // `x-…` is the custom for keys that hold anchors.
        if !matches!(name.as_str(), "tools" | "groups") && !name.starts_with("x-") {
            unknown_key(findings, key, &name, &["tools", "groups"]);
        }
    }
    faults.outside(findings, &[list, groups]);
    declared.tools.shrink_to_fit();
    Ok(declared)
}

/// Why there is nothing to be read.
enum Unparsed {
    /// It was reported, and this says it.
    Told(String),
    NoYaml(Fault),
}

/// Where the text begins behind its mark, if it has one.
fn text_start(text: &str) -> usize {
    text.len() - text.trim_start_matches('\u{FEFF}').len()
}

/// Parses the file; faults that make it unusable as a whole end here. It also tells whether every value stands in the text
/// as it is.
fn parse_root<'a>(
    findings: &mut Findings<'_>,
    text: &'a str,
    key: &str,
) -> Result<(Node<'a>, Faults, bool), Unparsed> {
    let base = text_start(text);
    let parsed = parse(text.get(base..).unwrap_or_default(), base);
    let tree = parsed.map_err(Unparsed::NoYaml)?;
    let Some(root) = tree.root.filter(|root| root.map().is_some()) else {
        let message = format!("the file must be a mapping with a `{key}` list");
        findings
            .error(codes::NO_TOOLS_LIST, &(0..0), message.clone())
            .help(format!("write `{key}:` and one `- name: …` for each"));
        return Err(Unparsed::Told(message));
    };
    let lists: BTreeSet<usize> = root
        .map()
        .unwrap_or_default()
        .iter()
        .filter(|(key, _)| matches!(&*key.key_str(), "tools" | "groups"))
        .map(|(key, _)| key.span.start)
        .collect();
    let twice = tree
        .faults
        .iter()
        .find(|fault| fault.kind == FaultKind::DuplicateKey && lists.contains(&fault.span.start));
    if let Some(fault) = twice {
        findings.yaml_fault(fault);
        return Err(Unparsed::Told(fault.message.clone()));
    }
    tell_cut_text(findings, &root);
    Ok((root, Faults::new(tree.faults), tree.is_plain))
}

fn unknown_key(findings: &mut Findings<'_>, key: &Node<'_>, name: &str, known: &[&str]) {
    if !findings.has_room(Severity::Warning) {
        findings.left_out_at(Severity::Warning, &key.span);
        return;
    }
    let added = findings.warning(
        codes::UNKNOWN_TOOL_KEY,
        &key.span,
        format!(
            "`{}` is not a key of the format and is not read",
            brief(name)
        ),
    );
    added.help(match likely(name, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "remove it, or write a key of the format".to_owned(),
    });
}

/// The key that an unknown one was likely meant to be.
fn likely<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let meant = meant(name).filter(|meant| known.contains(meant));
    meant.or_else(|| nearest(name, known))
}

/// Whether an unknown key was likely meant to be this one of the known.
fn may_mean(name: &str, known: &[&str], key: &str) -> bool {
    // Of a million unknown keys each is compared with one word, and only what is near with all.
    (meant(name) == Some(key) || nearest(name, &[key]).is_some())
        && likely(name, known) == Some(key)
}

/// Words that other formats have for a key of this one. No letters lead from one to the other.
const MEANT: [(&str, &str); 22] = [
    ("timeout", "timeout_hint_secs"),
    ("timeout_secs", "timeout_hint_secs"),
    ("timeout_seconds", "timeout_hint_secs"),
    ("deadline", "timeout_hint_secs"),
    ("source", "source_file"),
    ("script", "source_file"),
    ("file", "source_file"),
    ("path", "source_file"),
    ("entrypoint", "source_file"),
    ("command", "source_file"),
    ("schema", "input_schema"),
    ("parameters", "input_schema"),
    ("params", "input_schema"),
    ("arguments", "input_schema"),
    ("args", "input_schema"),
    ("inputs", "input_schema"),
    ("returns", "output_schema"),
    ("outputs", "output_schema"),
    ("summary", "description"),
    ("capabilities", "required_capabilities"),
    ("thread", "thread_affinity"),
    ("active", "default-active"),
];

fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('-', "_");
    let found = MEANT.iter().find(|(other, _)| *other == name);
    found.map(|(_, key)| *key)
}

/// The nearest of some known words, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    // A longer name is near none, and comparing takes time by its length.
    let longest = known.iter().map(|known| known.len()).max()?;
    if name.len() > 4 * longest.max(3) {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    let length = name.chars().count();
    known
        .iter()
        .filter(|known| known.len().abs_diff(length) <= farthest(known))
        .map(|known| {
            effort::step();
            (
                strsim::damerau_levenshtein(&name, &known.replace('-', "_")),
                *known,
            )
        })
        .filter(|(distance, known)| *distance <= farthest(known))
        .min()
        .map(|(_, known)| known)
}

/// How many letters a word may differ from a known one.
fn farthest(known: &str) -> usize {
    known.len().max(3) / 3
}
