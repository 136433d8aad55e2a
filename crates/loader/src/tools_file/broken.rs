//! What a file that is no YAML says besides: its other entries, so that one broken line hides nothing.

use std::ops::Range;

use super::text_start;
use crate::codes;
use crate::findings::Findings;
use crate::yaml::{Fault, Node, parse, salvage};

/// Tells what is broken, and lets the rest be read for what is wrong with it, with the places of what is not to be read; the
/// file stays unusable as a whole.
pub(super) fn tell(
    findings: &mut Findings<'_>,
    text: &str,
    fault: &Fault,
    read_rest: impl FnOnce(&mut Findings<'_>, &str, &[Range<usize>]),
) {
    let base = text_start(text);
    let yaml = text.get(base..).unwrap_or_default();
    let whole = |rest: &str| parse(rest, base).err();
    let alone = |lines: &str, place: usize| parse(lines, place).err();
    let Some(salvaged) = salvage((yaml, base), parts(yaml), fault, whole, alone) else {
        findings.yaml_fault(fault);
        return;
    };
    let mut broken = Vec::new();
    for (part, fault) in &salvaged.broken {
        if let Some(fault) = fault {
            findings.yaml_fault(fault);
        }
        broken.push(base + part.start..base + part.end);
    }
    let mark = text.get(..base).unwrap_or_default();
    read_rest(findings, &format!("{mark}{}", salvaged.rest), &broken);
    // The list may be what is broken.
    findings.forget(codes::NO_TOOLS_LIST);
}

/// Whether an entry was taken out.
pub(super) fn holds(broken: &[Range<usize>], entry: &Node<'_>) -> bool {
    broken.iter().any(|part| part.contains(&entry.span.start))
}

/// The lines of each entry of the lists at the top, and of each key up to its first entry.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut entry_indent = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let is_entry = content
            .strip_prefix('-')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let is_key = indent == 0
            && !is_entry
            && !content.trim().is_empty()
            && !content.starts_with(['\t', '#', ']', '}']);
        let begins = if is_key {
            entry_indent = None;
            true
        } else {
            is_entry && *entry_indent.get_or_insert(indent) == indent
        };
        let end = at + line.len();
        match parts.last_mut() {
            Some(last) if !begins => last.end = end,
            _ => parts.push(at..end),
        }
        at = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_both_lists_are_parts() {
        let text = "# x\ntools:\n  - name: a\n    next:\n      - b\n\n  - name: c\ngroups:\n- name: d\n  tools:\n    - a\nx-y: 1\n";
        let found: Vec<&str> = parts(text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(
            found,
            [
                "# x\n",
                "tools:\n",
                "  - name: a\n    next:\n      - b\n\n",
                "  - name: c\n",
                "groups:\n",
                "- name: d\n  tools:\n    - a\n",
                "x-y: 1\n"
            ]
        );
    }
}
