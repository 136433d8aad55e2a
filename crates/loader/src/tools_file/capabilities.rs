//! `required_capabilities`: what a tool needs of the host.

use crate::codes;
use crate::findings::Findings;
use crate::values;
use crate::yaml::Node;

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
        let known = needed
            .iter()
            .find(|known| known.to_lowercase() == text.to_lowercase());
        match known {
            Some(known) if known == text => {}
            Some(known) => {
                let message = format!(
                    "`{path}`: `{known}` and `{text}` are two capabilities, because letter case counts"
                );
                findings.warning(codes::CAPABILITY_CASE, &item.span, message);
                needed.push(text.to_owned());
            }
            None => needed.push(text.to_owned()),
        }
    }
    let mut unique = Vec::new();
    for name in needed {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    Ok(unique)
}
