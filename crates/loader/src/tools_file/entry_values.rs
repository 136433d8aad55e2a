//! Values of an entry that only the tools list has.

use std::fmt::Display;

use metier_skill_model::{LONGEST_DEADLINE_SECS, NextTools, ToolDeclaration};

use super::{Surroundings, unknown_key};
use crate::codes;
use crate::findings::{Findings, brief};
use crate::skill_file::MOST_ALIASES;
use crate::values;
use crate::yaml::Node;

/// A flag; a word that is neither yes nor no counts as not written.
pub(crate) fn flag(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
) -> Option<bool> {
    if value.is_absent() {
        return None;
    }
    let flag = values::flag_word(value);
    if flag.is_none() {
        let found = value.text().map_or_else(
            || value.noun().to_owned(),
            |text| format!("`{}`", brief(text)),
        );
        findings
            .fault(
                codes::UNREADABLE_FLAG,
                &value.span,
                format!("`{path}` must be true or false, found {found}"),
            )
            .help("write true or false");
    }
    flag
}

pub(super) fn word<'w>(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
    known: &[&'w str],
) -> Option<&'w str> {
    let text = values::text(findings, path, value)?;
    let found = known
        .iter()
        .find(|word| word.eq_ignore_ascii_case(text.trim()));
    if found.is_none() {
        findings
            .fault(
                codes::WRONG_TOOL_VALUE,
                &value.span,
                format!(
                    "`{path}` must be `{}`, found `{}`",
                    known.join("` or `"),
                    brief(&text)
                ),
            )
            .help("write one of them, or remove the key");
    }
    found.copied()
}

pub(super) fn seconds(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
) -> Option<u64> {
    if value.is_absent() {
        return None;
    }
    let seconds = value.text().and_then(|text| {
        let text = text.trim();
        let whole = text.strip_suffix(".0").unwrap_or(text);
        whole.parse::<u64>().ok()
    });
    if seconds.is_none() {
        findings
            .fault(
                codes::WRONG_TOOL_VALUE,
                &value.span,
                format!("`{path}` must be a whole number of seconds"),
            )
            .help("write a number such as 60");
    }
    if seconds.is_some_and(|seconds| seconds > LONGEST_DEADLINE_SECS) {
        let message = format!(
            "`{path}` is more than the {LONGEST_DEADLINE_SECS} seconds that a server gives a call at most; {LONGEST_DEADLINE_SECS} count"
        );
        findings
            .info(codes::TIMEOUT_OVER_BOUND, &value.span, message)
            .help(format!("write {LONGEST_DEADLINE_SECS} or less; whoever runs the server can give all calls more, with `--timeout`"));
    }
    seconds
}

pub(super) fn next_tools(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
) -> NextTools {
    let mut next = NextTools::default();
    if value.is_absent() {
        return next;
    }
    let Some(entries) = value.map() else {
        values::wrong_type(
            findings,
            path,
            "a mapping of `on-success` and `on-failure`",
            value,
        );
        return next;
    };
    for (key, value) in entries {
        let name = key.key_text();
        let mut read = || values::texts(values::comma_list(findings, path, value));
        match name.replace('_', "-").as_str() {
            "on-success" => next.on_success = read(),
            "on-failure" => next.on_failure = read(),
            _ => unknown_key(findings, key, &name, &["on-success", "on-failure"]),
        }
    }
    next
}

/// Aliases in the form in which they are compared.
pub(crate) fn lower_cased(aliases: &[String]) -> Vec<String> {
    aliases.iter().map(|alias| alias.to_lowercase()).collect()
}

/// The aliases of a skill and of one of its tools are bounded together.
pub(super) fn aliases(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
    around: &Surroundings<'_>,
    tool: &mut ToolDeclaration,
) {
    let known = &around.aliases;
    let items = values::comma_list(findings, path, value);
    let mut items = values::without_repeats(items);
    items.retain(|item| !known.contains(&item.text.to_lowercase()));
    let room = MOST_ALIASES.saturating_sub(known.len());
    if let Some(first) = items.get(room) {
        findings.warning(
            codes::TOO_MANY_TOOL_ALIASES,
            &first.span,
            format!(
                "`{}` has {} search aliases, its skill's included; the first {MOST_ALIASES} are kept",
                brief(&tool.name),
                items.len() + known.len()
            ),
        )
        .help("keep the words that people search for, and remove the others");
    }
    items.truncate(room);
    tool.search_aliases = values::texts(items);
}
