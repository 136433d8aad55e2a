//! Dependencies: the items of `depends` and the bullets of metadata/depends.md.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use metier_diagnostics::Location;

use crate::findings::{Findings, brief};
use crate::skill_files::{FolderHandle, ReadFileError};
use crate::values;
use crate::yaml::{Node, Text};
use crate::{codes, effort};

/// The largest depends.md that is read.
const LIMIT: u64 = 256 * 1024;
const PATH: &str = "metadata/depends.md";

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
    let end = entry
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '<' | '>' | '=' | '~' | '!' | '^' | '@' | '(' | ';')
        })
        .unwrap_or(entry.len());
    let (name, version) = entry.split_at(end);
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
    effort::step();
    if depends.known.insert(name.to_owned()) {
        depends.items.push(Dependency {
            name: name.to_owned(),
            place: findings.place(span),
        });
    }
}

fn unchecked(findings: &mut Findings<'_>, entry: &str, span: &Range<usize>) {
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

/// Reads the bullets of metadata/depends.md.
///
/// `- name` or `* name`, with a trailing `# note` ignored; the first word is the name, or the text
/// of a link. Prose, headings and fenced lines are ignored.
pub(crate) fn read_depends_file(
    handle: &FolderHandle,
    new_findings: impl for<'t> Fn(&'t str) -> Findings<'t>,
    depends: &mut Depends,
) -> Vec<metier_diagnostics::Diagnostic> {
    let problem = |message: String| {
        let findings = new_findings("");
        vec![
            metier_diagnostics::Diagnostic::new(
                codes::DEPENDS_FILE,
                findings.mode.fault(),
                message,
            )
            .at(findings.whole(), ""),
        ]
    };
    let bytes = match handle.read(PATH, LIMIT) {
        Ok(bytes) => bytes,
        Err(ReadFileError::NotFound { .. }) => return Vec::new(),
        Err(error) => return problem(error.to_string()),
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            return problem(format!(
                "`{PATH}` is not UTF-8 (byte {})",
                error.valid_up_to()
            ));
        }
    };
    let mut findings = new_findings(text);
    let mut fence = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let words = line.trim().trim_start_matches('\u{FEFF}');
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| words.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        if fence.is_some() || marker.is_some() {
            continue;
        }
        let Some(bullet) = words
            .strip_prefix("- ")
            .or_else(|| words.strip_prefix("* "))
        else {
            continue;
        };
        let entry = bullet.split(" #").next().unwrap_or(bullet).trim();
        let entry = entry.trim_matches('`');
        if entry.is_empty() || entry.starts_with('#') {
            continue;
        }
        let span = start..start + line.trim_end().len();
        match link_text(entry) {
            Some(name) => add(&mut findings, name, &span, depends),
            None => add(&mut findings, entry, &span, depends),
        }
    }
    findings.finish()
}

fn link_text(entry: &str) -> Option<&str> {
    let rest = entry.strip_prefix('[')?;
    let (text, _) = rest.split_once(']')?;
    Some(text.trim().trim_matches('`'))
}
