//! Hints for clients: only what the author wrote, because silence is not a claim of safety.

use std::fmt::Display;

use metier_skill_model::ToolDeclaration;

use super::entry::plain_key;
use super::entry_values::flag;
use super::unknown_key;
use crate::codes;
use crate::findings::{Findings, brief};
use crate::values;
use crate::yaml::Node;

const KEYS: [&str; 6] = [
    "title",
    "read_only_hint",
    "destructive_hint",
    "idempotent_hint",
    "open_world_hint",
    "deferred_hint",
];

/// Whether a key (in snake case) is one of the annotations.
pub(crate) fn is_annotation(key: &str) -> bool {
    KEYS.contains(&key)
}

/// Reads the `annotations` mapping; what it says wins over flags.
pub(crate) fn read_annotations(
    findings: &mut Findings<'_>,
    value: &Node<'_>,
    tool: &mut ToolDeclaration,
) {
    let name = brief(&tool.name).into_owned();
    let path = format_args!("{name}: annotations");
    if value.is_absent() {
        return;
    }
    let Some(entries) = value.map() else {
        values::wrong_type(findings, path, "a mapping", value);
        return;
    };
    for (key, value) in entries {
        let spelled = key.key_text();
        let name = snake_case(&spelled);
        if is_annotation(&name) {
            read_annotation(
                findings,
                format_args!("{path}.{}", brief(&spelled)),
                &name,
                value,
                tool,
            );
        } else {
            unknown_key(findings, key, &spelled, &KEYS);
        }
    }
}

/// Reads one annotation, named in snake case.
pub(crate) fn read_annotation(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    name: &str,
    value: &Node<'_>,
    tool: &mut ToolDeclaration,
) {
    if name == "title" {
        if let Some(title) = values::text(findings, path, value) {
            tool.annotations.title = Some(title);
        }
        return;
    }
    let mut flag = flag(findings, path, value);
    if name == "destructive_hint" && flag.is_none() && !value.is_absent() {
        flag = Some(true);
    }
    let Some(flag) = flag else {
        return;
    };
    let hints = &mut tool.annotations;
    match name {
        "read_only_hint" => hints.read_only_hint = Some(flag),
        "destructive_hint" => hints.destructive_hint = Some(flag),
        "idempotent_hint" => hints.idempotent_hint = Some(flag),
        "open_world_hint" => hints.open_world_hint = Some(flag),
        _ => {
            tool.extra.insert(name.to_owned(), flag.into());
        }
    }
}

/// Tells of a tool that says two things of itself, of which one is not true.
pub(crate) fn contradiction(
    findings: &mut Findings<'_>,
    entry: &Node<'_>,
    name: &Node<'_>,
    tool: &ToolDeclaration,
) {
    let hints = &tool.annotations;
    if (hints.read_only_hint, hints.destructive_hint) != (Some(true), Some(true)) {
        return;
    }
    let says =
        |key: &Node<'_>, wanted: &[&str]| wanted.contains(&&*snake_case(&plain_key(key.key_str())));
    let place = |wanted: &[&str]| {
        let keys = entry.map().unwrap_or_default().iter().map(|(key, _)| key);
        keys.into_iter().find(|key| says(key, wanted))
    };
    let place = place(&["destructive", "destructive_hint"])
        .or_else(|| place(&["annotations"]))
        .unwrap_or(name);
    let message = format!(
        "`{}` says that it only reads, and that it may destroy; clients are told both",
        brief(&tool.name)
    );
    findings
        .warning(codes::CONTRADICTING_HINTS, &place.span, message)
        .help("keep the flag that is true, and remove the other");
}

/// `readOnlyHint` and `read-only-hint` as `read_only_hint`.
fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(if c == '-' {
            '_'
        } else {
            c.to_ascii_lowercase()
        });
    }
    snake
}
