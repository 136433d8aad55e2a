//! Dependencies: the items of `depends`. The bullets of metadata/depends.md are read in `depends_file.rs`.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use metier_diagnostics::Location;

use crate::findings::{Findings, brief};
use crate::values;
use crate::yaml::{Node, Text};
use crate::{codes, effort};

/// A dependency and where it is written.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) place: Location,
}

/// Dependencies in the order in which they are written, each once.
#[derive(Debug, Default)]
pub(crate) struct Depends {
    pub(crate) items: Vec<Dependency>,
    known: BTreeSet<String>,
}

/// The items of `depends`: names, texts with a version, or mappings with a name.
pub(crate) fn read_depends(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    node: &Node<'_>,
    depends: &mut Depends,
) {
    let Some(items) = node.list() else {
        for item in values::comma_list(findings, path, node) {
            add(findings, &item.text, &item.span, depends);
        }
        return;
    };
    for item in items {
        let named = item.get("name").and_then(Node::text);
        if item.is_absent() {
            values::empty_item(findings, path, item);
        } else if let Some(text) = item.text() {
            add(findings, text, &item.span, depends);
        } else if let Some(name) = named {
            if item.map().is_some_and(|entries| entries.len() > 1) {
                let entry = item.to_json().to_string();
                unchecked(findings, &entry, &item.span);
            }
            add(findings, name, &item.span, depends);
        } else {
            values::wrong_type(findings, &format!("{path}[]"), "a skill's name", item);
        }
    }
}

/// Adds one dependency; what follows the name is a version that nobody checks.
fn add(findings: &mut Findings<'_>, entry: &str, span: &Range<usize>, depends: &mut Depends) {
    let entry = entry.trim();
    let (name, version) = entry.split_at(end_of_name(entry));
    if name.is_empty() {
        values::wrong_type(
            findings,
            "depends",
            "skill names",
            &Node::scalar(Text::Written(entry), true, span.clone()),
        );
        return;
    }
    if !version.trim().is_empty() {
        unchecked(findings, entry, span);
    }
    depends.push(findings, name, span);
}

/// Where a version begins, or a word that is none.
pub(super) fn end_of_name(entry: &str) -> usize {
    entry
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '<' | '>' | '=' | '~' | '!' | '^' | '@' | '(' | ';')
        })
        .unwrap_or(entry.len())
}

impl Depends {
    pub(super) fn push(&mut self, findings: &Findings<'_>, name: &str, span: &Range<usize>) {
        effort::step();
        if self.known.insert(name.to_owned()) {
            self.items.push(Dependency {
                name: name.to_owned(),
                place: findings.place(span),
            });
        }
    }
}

pub(super) fn unchecked(findings: &mut Findings<'_>, entry: &str, span: &Range<usize>) {
    findings
        .warning(
            codes::DEPENDENCY_VERSION,
            span,
            format!(
                "`{}`: versions of dependencies are not checked, only the name counts",
                brief(entry)
            ),
        )
        .help("write the name alone");
}
