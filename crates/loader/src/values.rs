//! Reads values of the types that keys want, in every shape that authors use.

use std::fmt::Display;
use std::ops::Range;

use crate::findings::Findings;
use crate::yaml::{Kind, Node};

/// An item of a list with its place.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// Says that a value has the wrong type; the key then counts as not written.
pub(crate) fn wrong_type(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    wanted: &str,
    node: &Node<'_>,
) {
    let code = findings.codes.wrong_type;
    let found = node.noun();
    findings
        .fault(
            code,
            &node.span,
            format!("`{path}` must be {wanted}, found {found}"),
        )
        .help(format!("write {wanted}, or remove the key"));
}

/// Text in the author's spelling, trimmed; absent when null or blank.
pub(crate) fn text(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
) -> Option<String> {
    if node.is_absent() {
        return None;
    }
    if let Some(text) = node.text() {
        return Some(text.to_owned());
    }
    wrong_type(findings, path, "text", node);
    None
}

/// Text of one line, without blanks around it; empty when absent.
pub(crate) fn line(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
) -> String {
    let text = text(findings, path, node).unwrap_or_default();
    text.trim().into()
}

/// A list of texts, written as a list or as text with commas (`,`, `，`, `、`).
pub(crate) fn comma_list(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
) -> Vec<Item> {
    if let Some(text) = node.text() {
        return text
            .split([',', '，', '、'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| Item {
                text: part.to_owned(),
                span: node.span.clone(),
            })
            .collect();
    }
    plain_list(findings, path, node)
}

/// A list of texts; a single text is a list of one.
pub(crate) fn plain_list(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
) -> Vec<Item> {
    if node.is_absent() {
        return Vec::new();
    }
    if let Some(text) = node.text() {
        return vec![Item {
            text: text.trim().to_owned(),
            span: node.span.clone(),
        }];
    }
    let Some(items) = node.list() else {
        wrong_type(findings, path, "a list or text", node);
        return Vec::new();
    };
    let mut texts = Vec::new();
    for item in items {
        if item.is_absent() {
            empty_item(findings, path, item);
        } else if let Some(text) = item.text() {
            texts.push(Item {
                text: text.trim().to_owned(),
                span: item.span.clone(),
            });
        } else {
            wrong_type(findings, &format!("{path}[]"), "text", item);
        }
    }
    texts
}

/// Says that a list holds nothing at one place; the item is dropped.
pub(crate) fn empty_item(findings: &mut Findings<'_>, path: impl Display + Copy, item: &Node<'_>) {
    let code = findings.codes.empty_item;
    findings
        .warning(
            code,
            &item.span,
            format!("`{path}` holds an empty item, which is dropped"),
        )
        .help("remove the item, or write what was meant");
}

/// The words for yes and no, in any letter case, quoted or not.
pub(crate) fn flag_word(node: &Node<'_>) -> Option<bool> {
    let text = node.text()?.trim();
    let is_one_of = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_one_of(["true", "yes", "on"]) {
        Some(true)
    } else {
        is_one_of(["false", "no", "off"]).then_some(false)
    }
}

/// Drops what was named before, without regard to letter case.
pub(crate) fn without_repeats(items: Vec<Item>) -> Vec<Item> {
    if items.len() < 2 {
        return items;
    }
    let mut seen = std::collections::BTreeSet::new();
    items
        .into_iter()
        .filter(|item| seen.insert(item.text.to_lowercase()))
        .collect()
}

/// Only the texts.
pub(crate) fn texts(items: Vec<Item>) -> Vec<String> {
    items.into_iter().map(|item| item.text).collect()
}

/// `allowed-tools`: text separated by blanks or commas, where parentheses stay whole, or a list.
pub(crate) fn tool_patterns(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
) -> Vec<String> {
    if let Kind::Scalar { .. } = node.kind {
        return node.text().map(split_patterns).unwrap_or_default();
    }
    texts(plain_list(findings, path, node))
}

fn split_patterns(text: &str) -> Vec<String> {
    let mut patterns = Vec::new();
    let mut current = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || matches!(c, ',' | '，' | '、')) {
            if !current.is_empty() {
                patterns.push(std::mem::take(&mut current));
            }
        } else {
            current.push(c);
        }
    }
    let rest = current.trim();
    if !rest.is_empty() {
        patterns.push(rest.to_owned());
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::split_patterns;

    #[test]
    fn parentheses_stay_whole() {
        assert_eq!(
            split_patterns("Bash(git add:*), Bash(git commit:*) Read,Grep"),
            ["Bash(git add:*)", "Bash(git commit:*)", "Read", "Grep"]
        );
        assert_eq!(split_patterns("Bash(open"), ["Bash(open"]);
        assert_eq!(split_patterns(" ,, "), Vec::<String>::new());
    }
}
