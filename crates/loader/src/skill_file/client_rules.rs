//! What clients that read skills over MCP hold the standard fields to. One of them that finds another value in one entry
//! takes nothing of the whole list, so such a skill is not served.

use metier_skill_model::SkillMetadata;
use serde_json::Value;

use super::fields::{FrontMatter, LONGEST_COMPATIBILITY, STANDARD};
use crate::codes;
use crate::findings::Findings;
use crate::yaml::{Kind, Node};

/// Tells of every such field, and keeps the skill from being served. What is wrong with the name or the length of the
/// description keeps it back already. Of a field that `may_be_broken` nobody knows what it would be.
pub(crate) fn hold_to_client_rules(
    findings: &mut Findings<'_>,
    root: &Node<'_>,
    skill: &SkillMetadata,
    front: &mut FrontMatter,
    may_be_broken: impl Fn(&str) -> bool,
) {
    for field in STANDARD.into_iter().filter(|field| !may_be_broken(field)) {
        let value = skill.front_matter.get(field);
        let Some(wanted) = unmet(field, value) else {
            continue;
        };
        let node = root.get(field);
        if let Some(node) = node.filter(|node| !is_told(field, node)) {
            let found = node.noun();
            let message = format!(
                "`{field}` must be {wanted} for clients that read skills over MCP, found {found}; none of the skill's files \
                 is served to them"
            );
            let cure = match &node.kind {
                Kind::Scalar { .. } if node.is_absent() => "write it, or remove the key",
                Kind::Scalar { .. } => "put it into quotes",
                _ => "put each item into quotes",
            };
            findings
                .warning(codes::REFUSED_BY_CLIENTS, &node.span, message)
                .help(cure);
        }
        let reason = match node {
            Some(node) if !node.is_absent() => {
                format!("`{field}` in its front matter must be {wanted}")
            }
            _ if field == "name" || field == "description" => {
                format!("its front matter has no {field}")
            }
            _ => format!("`{field}` in its front matter must be {wanted}, and is empty"),
        };
        front.not_served.get_or_insert(reason);
    }
}

/// What is wanted of a field that has something else.
fn unmet(field: &str, value: Option<&Value>) -> Option<&'static str> {
    let is_met = match (field, value) {
        ("name" | "description", None) => false,
        (_, None) => true,
        ("description", Some(Value::String(text))) => !text.trim().is_empty(),
        ("compatibility", Some(Value::String(text))) => {
            (1..=LONGEST_COMPATIBILITY).contains(&text.chars().count())
        }
        ("allowed-tools", Some(Value::Array(items))) => items.iter().all(Value::is_string),
        ("metadata", Some(value)) => value.is_object(),
        (_, Some(value)) => value.is_string(),
    };
    let wanted = match field {
        "compatibility" => "text of 1 to 500 characters",
        "allowed-tools" => "text or a list of texts",
        "metadata" => "a mapping",
        _ => "text",
    };
    (!is_met).then_some(wanted)
}

/// Whether another finding says it in both modes.
fn is_told(field: &str, node: &Node<'_>) -> bool {
    let is_scalar = matches!(node.kind, Kind::Scalar { .. });
    match field {
        "name" | "description" => !is_scalar || node.is_absent(),
        "license" => !is_scalar,
        "compatibility" => {
            let length = node.text().map_or(0, |text| text.chars().count());
            !is_scalar || length > LONGEST_COMPATIBILITY
        }
        "metadata" => !node.is_absent(),
        _ => node.map().is_some(),
    }
}
