//! tools.yaml and the groups file: one bad entry costs that entry.

mod annotations;
mod capabilities;
mod entry;
mod groups;
mod names;
mod schema;

use metier_skill_model::{SkillGroup, SkillMetadata, ToolDeclaration};

use crate::codes;
use crate::findings::Findings;
use crate::script::Scripts;
use crate::skill_files::FolderHandle;
use crate::yaml::{Fault, FaultKind, Node, parse};

pub(crate) use entry::several;
pub(crate) use groups::{connect, read_groups_file};
pub(crate) use names::Names;

/// The largest tools or groups file in bytes.
pub(crate) const TOOLS_FILE_LIMIT: u64 = 1024 * 1024;

/// What the reading of an entry needs to know of its skill.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) skill: &'a SkillMetadata,
    pub(crate) scripts: &'a Scripts,
    pub(crate) handle: &'a FolderHandle,
}

/// What a tools file declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) tools: Vec<ToolDeclaration>,
    /// With the place of each `group` and `tools` item, for the check of both against each other.
    pub(crate) group_of: Vec<(String, std::ops::Range<usize>)>,
    pub(crate) groups: Vec<SkillGroup>,
    /// Where the groups are declared.
    pub(crate) groups_at: std::ops::Range<usize>,
    /// The list held no entry at all, good or bad.
    pub(crate) empty: bool,
}

/// Reads a tools file; an `Err` says why it cannot be used as a whole.
pub(crate) fn read_tools_file(
    findings: &mut Findings<'_>,
    text: &str,
    around: &Surroundings<'_>,
    names: &mut Names,
) -> Result<Declared, String> {
    let (root, faults) = parse_root(findings, text, "tools")?;
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
        ..Declared::default()
    };
    for (index, node) in entries.iter().enumerate() {
        if report_faults(findings, &faults, node) {
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
        declared.groups_at = groups.span.start..groups.span.start;
        declared.groups = groups::read_groups(findings, groups, &faults);
    }
    for (key, _) in root.map().unwrap_or_default() {
        let name = key.key_text();
        // `x-…` is the custom for keys that hold anchors.
        if !matches!(name.as_str(), "tools" | "groups") && !name.starts_with("x-") {
            unknown_key(findings, key, &name, &["tools", "groups"]);
        }
    }
    let inside = |fault: &Fault| {
        let of =
            |list: Option<&Node>| list.is_some_and(|node| node.span.contains(&fault.span.start));
        of(list) || of(groups)
    };
    for fault in faults.iter().filter(|fault| !inside(fault)) {
        findings.yaml_fault(fault);
    }
    Ok(declared)
}

/// Parses the file; faults that make it unusable as a whole are reported and end here.
fn parse_root(
    findings: &mut Findings<'_>,
    text: &str,
    key: &str,
) -> Result<(Node, Vec<Fault>), String> {
    let text_start = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let parsed = parse(text.get(text_start..).unwrap_or_default(), text_start);
    let tree = parsed.map_err(|fault| {
        findings.yaml_fault(&fault);
        fault.message
    })?;
    let Some(root) = tree.root.filter(|root| root.map().is_some()) else {
        let message = format!("the file must be a mapping with a `{key}` list");
        findings.error(codes::NO_TOOLS_LIST, &(0..0), message.clone());
        return Err(message);
    };
    let twice = tree.faults.iter().find(|fault| {
        let is_key = |key: &Node| {
            key.span == fault.span && matches!(key.key_text().as_str(), "tools" | "groups")
        };
        fault.kind == FaultKind::DuplicateKey
            && root
                .map()
                .unwrap_or_default()
                .iter()
                .any(|(key, _)| is_key(key))
    });
    if let Some(fault) = twice {
        findings.yaml_fault(fault);
        return Err(fault.message.clone());
    }
    Ok((root, tree.faults))
}

/// Reports the faults inside a node; true if there are any.
fn report_faults(findings: &mut Findings<'_>, faults: &[Fault], node: &Node) -> bool {
    let mut any = false;
    for fault in faults {
        if node.span.contains(&fault.span.start) {
            findings.yaml_fault(fault);
            any = true;
        }
    }
    any
}

fn unknown_key(findings: &mut Findings<'_>, key: &Node, name: &str, known: &[&str]) {
    let added = findings.warning(
        codes::UNKNOWN_TOOL_KEY,
        &key.span,
        format!("`{name}` is not a key of the format and is not read"),
    );
    if let Some(nearest) = nearest(name, known) {
        added.help(format!("did you mean `{nearest}`?"));
    }
}

/// The nearest of some known words, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|known| {
            (
                strsim::damerau_levenshtein(&name, &known.replace('-', "_")),
                *known,
            )
        })
        .min()
        .filter(|(distance, known)| *distance * 3 <= known.len().max(3))
        .map(|(_, known)| known)
}
