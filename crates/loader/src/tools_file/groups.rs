//! Tool groups, from tools.yaml or a file of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use metier_skill_model::{SkillGroup, SkillMetadata, ToolDeclaration};

use super::entry_values::flag;
use super::faults::Faults;
use super::{Declared, Unparsed, broken, parse_root, unknown_key};
use crate::findings::{Findings, brief};
use crate::skill_file::misspelt;
use crate::yaml::Node;
use crate::{codes, effort, values};

/// A group, and where the tools are written that it names.
#[derive(Debug, Default)]
pub(crate) struct ReadGroup {
    pub(crate) group: SkillGroup,
    tools_at: Vec<Range<usize>>,
}

/// The groups of a list.
#[derive(Debug, Default)]
pub(crate) struct ReadGroups {
    pub(crate) list: Vec<ReadGroup>,
    /// Some of what is written there could not be read, so that tools may have lost their group.
    pub(crate) is_torn: bool,
}

/// Reads a groups file; an `Err` says why it cannot be used.
pub(crate) fn read_groups_file(
    findings: &mut Findings<'_>,
    text: &str,
) -> Result<ReadGroups, String> {
    read_without(findings, text, &[])
}

/// The same, passing over the entries at these places.
fn read_without(
    findings: &mut Findings<'_>,
    text: &str,
    passed_over: &[Range<usize>],
) -> Result<ReadGroups, String> {
    let (root, faults, _) = match parse_root(findings, text, "groups") {
        Ok(parsed) => parsed,
        Err(Unparsed::Told(reason)) => return Err(reason),
        Err(Unparsed::NoYaml(fault)) => {
            broken::tell(findings, text, &fault, |findings, rest, broken| {
                drop(read_without(findings, rest, broken));
            });
            return Err(fault.message);
        }
    };
    if let Some(node) = root.get("groups") {
        return Ok(read_groups(findings, node, &faults, passed_over));
    }
    let message = "there is no `groups` list".to_owned();
    findings
        .error(codes::NO_TOOLS_LIST, &(0..0), message.clone())
        .help("write `groups:` and one `- name: …` for each");
    Err(message)
}

/// Reads the `groups` list.
pub(crate) fn read_groups(
    findings: &mut Findings<'_>,
    node: &Node<'_>,
    faults: &Faults,
    passed_over: &[Range<usize>],
) -> ReadGroups {
    let mut groups = ReadGroups::default();
    if node.is_absent() {
        return groups;
    }
    let Some(entries) = node.list() else {
        values::wrong_type(findings, "groups", "a list", node);
        groups.is_torn = true;
        return groups;
    };
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        if broken::holds(passed_over, entry) || faults.report(findings, entry) {
            groups.is_torn = true;
            continue;
        }
        let Some(read) = read_group(findings, index, entry) else {
            groups.is_torn = true;
            continue;
        };
        groups.is_torn |= entry
            .get("tools")
            .is_some_and(|tools| tools.map().is_some());
        let group = &read.group;
        if !names.insert(group.name.clone()) {
            findings
                .error(
                    codes::DUPLICATE_TOOL,
                    &entry.span,
                    format!(
                        "the group `{}` is declared twice; the first stays",
                        brief(&group.name)
                    ),
                )
                .help("give one of them another name, or make them one");
            continue;
        }
        groups.list.push(read);
    }
    groups
}

fn read_group(findings: &mut Findings<'_>, index: usize, entry: &Node<'_>) -> Option<ReadGroup> {
    let mut group = SkillGroup::default();
    let mut tools_at = Vec::new();
    if let Some(name) = entry.text().filter(|_| entry.to_json().is_string()) {
        name.trim().clone_into(&mut group.name);
    } else if entry.map().is_none() {
        let found = entry.noun();
        findings
            .error(
                codes::ENTRY_SHAPE,
                &entry.span,
                format!(
                    "`groups[{index}]` must be a mapping or a name, found {found}; it is left out"
                ),
            )
            .help("write `- name: …` with the group's keys below");
        return None;
    }
    for (key, value) in entry.map().unwrap_or_default() {
        let spelled = key.key_text();
        let path = format!("groups[{index}].{}", brief(&spelled));
        match spelled.replace('_', "-").as_str() {
            "name" => {
                group.name = values::line(findings, &path, value);
            }
            "description" => {
                group.description = values::text(findings, &path, value).unwrap_or_default();
            }
            "tools" => {
                let items = values::comma_list(findings, &path, value);
                tools_at = items.iter().map(|item| item.span.clone()).collect();
                group.tools = values::texts(items);
            }
            "default-active" => {
                group.default_active = flag(findings, &path, value).unwrap_or(false);
            }
            _ => unknown_key(
                findings,
                key,
                &spelled,
                &["name", "description", "tools", "default-active"],
            ),
        }
    }
    if group.name.is_empty() {
        let span = entry.span.start..entry.span.start;
        findings
            .error(
                codes::ENTRY_WITHOUT_NAME,
                &span,
                format!("`groups[{index}]` has no name, so it is left out"),
            )
            .help(misspelt(entry, "name").unwrap_or_else(|| "add `name: …`".to_owned()));
        return None;
    }
    Some(ReadGroup { group, tools_at })
}

/// Holds tools and groups against each other: both may state that a tool belongs to a group, and
/// afterwards both do. A tool of an unknown group belongs to none and so is always active.
pub(crate) fn connect(
    findings: &mut Findings<'_>,
    skill: &mut SkillMetadata,
    declared: &Declared,
    lost: Option<&str>,
) {
    // The tools of each unknown group, and the groups in the order of their first tools.
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut unknown_of: Vec<(String, String)> = Vec::new();
    let places: BTreeMap<&str, &Range<usize>> = declared
        .group_of
        .iter()
        .map(|(tool, span)| (tool.as_str(), span))
        .collect();
    let by_name: BTreeMap<String, usize> = skill
        .groups
        .iter()
        .enumerate()
        .rev()
        .map(|(number, group)| (group.name.clone(), number))
        .collect();
    // The first group that lists a tool, for tools that name none.
    let mut home: BTreeMap<String, usize> = BTreeMap::new();
    let mut listed: BTreeSet<(usize, String)> = BTreeSet::new();
    for (number, group) in skill.groups.iter().enumerate() {
        for tool in &group.tools {
            effort::step();
            home.entry(tool.clone()).or_insert(number);
            listed.insert((number, tool.clone()));
        }
    }
    for tool in &mut skill.tools {
        effort::step();
        if tool.group.is_empty() {
            let group = home.get(&tool.name).and_then(|at| skill.groups.get(*at));
            if let Some(group) = group {
                tool.group.clone_from(&group.name);
            }
        } else if let Some(number) = by_name.get(&tool.group) {
            if listed.insert((*number, tool.name.clone()))
                && let Some(group) = skill.groups.get_mut(*number)
            {
                group.tools.push(tool.name.clone());
            }
        } else {
            let group = std::mem::take(&mut tool.group);
            let tools = unknown.entry(group.clone()).or_default();
            if *tools == 0 {
                unknown_of.push((group, tool.name.clone()));
            }
            *tools += 1;
        }
    }
    for (group, first) in unknown_of {
        // A group in a text that could not be read is not undeclared.
        if lost.is_some_and(|lost| lost.contains(&group)) {
            continue;
        }
        // One slip, one finding: at the first tool, however many follow.
        let more = unknown.get(&group).map_or(0, |tools| tools - 1);
        let message = match more {
            0 => format!(
                "`{}` names the unknown group `{}`; the tool is always active",
                brief(&first),
                brief(&group)
            ),
            more => format!(
                "`{}` and {more} more name the unknown group `{}`; they are always active",
                brief(&first),
                brief(&group)
            ),
        };
        let place = places.get(first.as_str()).copied().unwrap_or(&(0..0));
        findings
            .warning(codes::UNKNOWN_GROUP, place, message)
            .help("declare the group under `groups:`");
    }
}

/// Says which tools groups name that are not there, each where it is named.
pub(crate) fn unknown_tools(
    findings: &mut Findings<'_>,
    tools: &[ToolDeclaration],
    groups: &[ReadGroup],
) {
    let tools: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    for ReadGroup { group, tools_at } in groups {
        for (name, place) in group.tools.iter().zip(tools_at) {
            effort::step();
            if !tools.contains(name.as_str()) {
                findings
                    .warning(
                        codes::UNKNOWN_GROUP,
                        place,
                        format!(
                            "the group `{}` names the unknown tool `{}`",
                            brief(&group.name),
                            brief(name)
                        ),
                    )
                    .help("declare the tool, or remove its name from the group");
            }
        }
    }
}
