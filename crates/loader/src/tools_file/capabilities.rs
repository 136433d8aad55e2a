//! `required_capabilities`: what a tool needs of the host.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::findings::{Findings, brief};
use crate::yaml::Node;
use crate::{codes, effort, values};

/// Trimmed, each once, in the given order; an `Err` is the reason why the tool refuses calls:
/// needs that cannot be read must not count as no needs.
pub(crate) fn read_capabilities(
    findings: &mut Findings<'_>,
    tool: &str,
    value: &Node<'_>,
) -> Result<Vec<String>, String> {
    let path = format!("{tool}: required_capabilities");
    let single = std::slice::from_ref(value);
    let items = match value.list() {
        Some(items) => items,
        None if value.is_absent() => &[],
        None => single,
    };
    let mut needed: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
    for item in items {
        if item.is_absent() {
            values::empty_item(findings, &path, item);
            continue;
        }
        let Some(text) = item.text() else {
            let reason = format!(
                "its required capabilities cannot be read: {} stands where a name is wanted",
                item.noun()
            );
            findings
                .error(
                    codes::UNREADABLE_CAPABILITIES,
                    &item.span,
                    format!(
                        "`{path}` must be a list of names, found {}; every call is refused",
                        item.noun()
                    ),
                )
                .help("write a list of names");
            return Err(reason);
        };
        let text = text.trim();
        effort::step();
        if !known.insert(text) {
            continue;
        }
        match spellings.entry(text.to_lowercase()) {
            Entry::Vacant(entry) => {
                entry.insert(text);
            }
            Entry::Occupied(entry) => {
                let first = brief(entry.get());
                let message = format!(
                    "`{path}`: `{first}` and `{}` are two capabilities, because letter case counts",
                    brief(text)
                );
                findings
                    .warning(codes::CAPABILITY_CASE, &item.span, message)
                    .help("keep the spelling that the host declares");
            }
        }
        needed.push(text.to_owned());
    }
    Ok(needed)
}

/// Says that a key is nearly `required_capabilities`; the answer is the reason why the tool refuses calls.
pub(super) fn misspelt_needs(findings: &mut Findings<'_>, tool: &str, key: &Node<'_>) -> String {
    let spelled = key.key_text();
    let spelled = brief(&spelled);
    findings
        .error(
            codes::UNREADABLE_CAPABILITIES,
            &key.span,
            format!("`{tool}: {spelled}` is not a key of the format; as it may say what the tool needs, every call is refused"),
        )
        .help("did you mean `required_capabilities`? If not, give it another name");
    format!("its key `{spelled}` is not read, and may be meant as `required_capabilities`")
}
