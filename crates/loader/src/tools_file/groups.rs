//! Tool groups, from tools.yaml or a file of their own.

use std::collections::BTreeMap;

use metier_skill_model::{SkillGroup, SkillMetadata};

use super::entry::flag;
use super::{Declared, parse_root, report_faults, unknown_key};
use crate::codes;
use crate::findings::Findings;
use crate::values;
use crate::yaml::{Fault, Node};

/// Reads a groups file; an `Err` says why it cannot be used.
pub(crate) fn read_groups_file(
    findings: &mut Findings<'_>,
    text: &str,
) -> Result<Vec<SkillGroup>, String> {
    let (root, faults) = parse_root(findings, text, "groups")?;
    if let Some(node) = root.get("groups") {
        return Ok(read_groups(findings, node, &faults));
    }
    let message = "there is no `groups` list".to_owned();
    findings.error(codes::NO_TOOLS_LIST, &(0..0), message.clone());
    Err(message)
}

/// Reads the `groups` list.
pub(crate) fn read_groups(
    findings: &mut Findings<'_>,
    node: &Node<'_>,
    faults: &[Fault],
) -> Vec<SkillGroup> {
    let mut groups: Vec<SkillGroup> = Vec::new();
    if node.is_absent() {
        return groups;
    }
    let Some(entries) = node.list() else {
        values::wrong_type(findings, "groups", "a list", node);
        return groups;
    };
    for (index, entry) in entries.iter().enumerate() {
        if report_faults(findings, faults, entry) {
            continue;
        }
        let Some(group) = read_group(findings, index, entry) else {
            continue;
        };
        if groups.iter().any(|known| known.name == group.name) {
            findings.error(
                codes::DUPLICATE_TOOL,
                &entry.span,
                format!(
                    "the group `{}` is declared twice; the first stays",
                    group.name
                ),
            );
            continue;
        }
        groups.push(group);
    }
    groups
}

fn read_group(findings: &mut Findings<'_>, index: usize, entry: &Node<'_>) -> Option<SkillGroup> {
    let mut group = SkillGroup::default();
    if let Some(name) = entry.text().filter(|_| entry.to_json().is_string()) {
        name.trim().clone_into(&mut group.name);
    } else if entry.map().is_none() {
        let found = entry.noun();
        findings.error(
            codes::ENTRY_SHAPE,
            &entry.span,
            format!("`groups[{index}]` must be a mapping or a name, found {found}; it is left out"),
        );
        return None;
    }
    for (key, value) in entry.map().unwrap_or_default() {
        let spelled = key.key_text();
        let path = format!("groups[{index}].{spelled}");
        match spelled.replace('_', "-").as_str() {
            "name" => {
                group.name = values::line(findings, &path, value);
            }
            "description" => {
                group.description = values::text(findings, &path, value).unwrap_or_default();
            }
            "tools" => group.tools = values::texts(values::comma_list(findings, &path, value)),
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
        findings.error(
            codes::ENTRY_WITHOUT_NAME,
            &span,
            format!("`groups[{index}]` has no name, so it is left out"),
        );
        return None;
    }
    Some(group)
}

/// Holds tools and groups against each other: both may state that a tool belongs to a group, and
/// afterwards both do. A tool of an unknown group belongs to none and so is always active.
pub(crate) fn connect(findings: &mut Findings<'_>, skill: &mut SkillMetadata, declared: &Declared) {
    let place = |name: &str| {
        declared
            .group_of
            .iter()
            .find(|(tool, _)| tool == name)
            .map_or(0..0, |(_, span)| span.clone())
    };
    // The tools of each unknown group, and the groups in the order of their first tools.
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut unknown_of: Vec<(String, String)> = Vec::new();
    for tool in &mut skill.tools {
        if tool.group.is_empty() {
            let listed = skill
                .groups
                .iter()
                .find(|group| group.tools.contains(&tool.name));
            if let Some(group) = listed {
                tool.group.clone_from(&group.name);
            }
        } else if let Some(group) = skill
            .groups
            .iter_mut()
            .find(|group| group.name == tool.group)
        {
            if !group.tools.contains(&tool.name) {
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
        // One slip, one finding: at the first tool, however many follow.
        let more = unknown.get(&group).map_or(0, |tools| tools - 1);
        let message = match more {
            0 => format!("`{first}` names the unknown group `{group}`; the tool is always active"),
            more => format!(
                "`{first}` and {more} more name the unknown group `{group}`; they are always active"
            ),
        };
        findings
            .warning(codes::UNKNOWN_GROUP, &place(&first), message)
            .help("declare the group under `groups:`");
    }
    for group in &skill.groups {
        for name in &group.tools {
            if skill.tools.iter().all(|tool| tool.name != *name) {
                findings
                    .warning(
                        codes::UNKNOWN_GROUP,
                        &declared.groups_at,
                        format!("the group `{}` names the unknown tool `{name}`", group.name),
                    )
                    .help("declare the tool, or remove its name from the group");
            }
        }
    }
}
