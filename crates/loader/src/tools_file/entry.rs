//! One entry of the `tools` list.

use std::ops::Range;

use metier_skill_model::{
    Affinity, Execution, NextTools, ScriptLookup, ToolDeclaration, ToolRefusal,
};

use super::annotations::{is_annotation, read_annotation, read_annotations};
use super::capabilities::read_capabilities;
use super::schema::read_schema;
use super::{Names, Surroundings, unknown_key};
use crate::codes;
use crate::findings::Findings;
use crate::script::{Choice, SourceFile};
use crate::skill_file::MOST_ALIASES;
use crate::values;
use crate::yaml::Node;

/// Every key, for finding the nearest to an unknown one.
const KEYS: [&str; 29] = [
    "name",
    "description",
    "input_schema",
    "output_schema",
    "read_only",
    "destructive",
    "idempotent",
    "defer_loading",
    "source_file",
    "search_aliases",
    "required_capabilities",
    "group",
    "annotations",
    "execution",
    "timeout_hint_secs",
    "affinity",
    "thread_affinity",
    "enforce_thread_affinity",
    "requires_in_process",
    "job_strategy",
    "next_tools",
    "intent",
    "tool_role",
    "risk",
    "side_effects",
    "produces",
    "requires",
    "call_examples",
    "title",
];

/// Reads one entry; `None`, with a finding, when it cannot be a tool.
pub(crate) fn read_entry(
    findings: &mut Findings<'_>,
    index: usize,
    node: &Node,
    around: &Surroundings<'_>,
    names: &mut Names,
) -> Option<ToolDeclaration> {
    let (name, name_node) = entry_name(findings, index, node)?;
    if !names.take(findings, &around.skill.name, &name, &name_node.span) {
        return None;
    }
    let mut tool = ToolDeclaration::named(name);
    let mut written_annotations = None;
    let mut source = None;
    let mut seen: Vec<String> = Vec::new();
    for (key, value) in node.map().unwrap_or_default() {
        let spelled = key.key_text();
        let plain = match spelled.as_str() {
            "inputSchema" => "input_schema".to_owned(),
            "outputSchema" => "output_schema".to_owned(),
            "aliases" => "search_aliases".to_owned(),
            other => other.replace('-', "_"),
        };
        if seen.contains(&plain) {
            findings.fault(
                codes::DUPLICATE_KEY,
                &key.span,
                format!("`{spelled}` is another spelling of a key of `{}` that is written before; the first stays", tool.name),
            );
            continue;
        }
        seen.push(plain.clone());
        let path = format!("{}: {spelled}", tool.name);
        match plain.as_str() {
            "name" => {}
            "description" => {
                tool.description = values::text(findings, &path, value).unwrap_or_default();
            }
            "input_schema" | "output_schema" => {
                match read_schema(findings, &tool.name, &spelled, value) {
                    Ok(schema) if plain == "input_schema" => tool.input_schema = schema,
                    Ok(schema) => tool.output_schema = schema,
                    Err(reason) => refuse(&mut tool, reason),
                }
            }
            "read_only" => {
                let flag = flag(findings, &path, value);
                tool.read_only = flag.unwrap_or(false);
                tool.annotations.read_only_hint = flag;
            }
            "destructive" => {
                let written = !value.is_absent();
                // What cannot be read may destroy: the careful reading.
                let flag = flag(findings, &path, value).or(written.then_some(true));
                tool.destructive = flag.unwrap_or(false);
                tool.annotations.destructive_hint = flag;
            }
            "idempotent" => {
                let flag = flag(findings, &path, value);
                tool.idempotent = flag.unwrap_or(false);
                tool.annotations.idempotent_hint = flag;
            }
            "defer_loading" => tool.defer_loading = flag(findings, &path, value).unwrap_or(false),
            "requires_in_process" => {
                tool.requires_in_process = flag(findings, &path, value).unwrap_or(false);
            }
            "source_file" => {
                tool.source_file = values::line(findings, &path, value);
                source = Some(value);
            }
            "search_aliases" => aliases(findings, &path, value, around, &mut tool),
            "required_capabilities" => match read_capabilities(findings, &tool.name, value) {
                Ok(needed) => tool.required_capabilities = needed,
                Err(reason) => refuse(&mut tool, reason),
            },
            "group" => {
                tool.group = values::line(findings, &path, value);
            }
            "annotations" => written_annotations = Some(value),
            "execution" => match word(findings, &path, value, &["sync", "async"]) {
                Some("async") => tool.execution = Execution::Async,
                _ => tool.execution = Execution::Sync,
            },
            "affinity" | "thread_affinity" => {
                match word(findings, &path, value, &["any", "main"]) {
                    Some("main") => tool.affinity = Affinity::Main,
                    _ => tool.affinity = Affinity::Any,
                }
            }
            "timeout_hint_secs" => tool.timeout_hint_secs = seconds(findings, &path, value),
            "next_tools" => tool.next_tools = next_tools(findings, &path, value),
            "job_strategy"
            | "intent"
            | "tool_role"
            | "risk"
            | "side_effects"
            | "produces"
            | "requires"
            | "call_examples"
            | "enforce_thread_affinity" => {
                tool.extra.insert(plain, value.to_json());
            }
            other if is_annotation(other) => {
                read_annotation(findings, &path, other, value, &mut tool);
            }
            _ => unknown_key(findings, key, &spelled, &KEYS),
        }
    }
    // Behind the flags, because what `annotations` says wins.
    if let Some(value) = written_annotations {
        read_annotations(findings, value, &mut tool);
    }
    let place = source.unwrap_or(name_node);
    find_script(findings, place, around, &mut tool);
    Some(tool)
}

fn entry_name<'n>(
    findings: &mut Findings<'_>,
    index: usize,
    node: &'n Node,
) -> Option<(String, &'n Node)> {
    if node.map().is_some() {
        let name = node.get("name");
        if let Some(name) = name
            && let Some(text) = name.text().map(str::trim).filter(|text| !text.is_empty())
        {
            return Some((text.to_owned(), name));
        }
        let place = name.unwrap_or(node);
        // The first line of the entry: its whole span would underline half the file.
        let span = place.span.start..place.span.start;
        findings
            .error(
                codes::ENTRY_WITHOUT_NAME,
                &span,
                format!("`tools[{index}]` has no name, so it is left out"),
            )
            .help("add `name: …`");
        return None;
    }
    if let Some(text) = node.text().filter(|text| !text.trim().is_empty())
        && node.to_json().is_string()
    {
        return Some((text.trim().to_owned(), node));
    }
    findings
        .error(
            codes::ENTRY_SHAPE,
            &node.span,
            format!(
                "`tools[{index}]` must be a mapping or a name, found {}; it is left out",
                node.noun()
            ),
        )
        .help("write `- name: …` with the tool's keys below");
    None
}

/// The first reason is told.
fn refuse(tool: &mut ToolDeclaration, reason: String) {
    tool.refusal.get_or_insert_with(|| ToolRefusal::new(reason));
}

/// A flag; a word that is neither yes nor no counts as not written.
pub(crate) fn flag(findings: &mut Findings<'_>, path: &str, value: &Node) -> Option<bool> {
    if value.is_absent() {
        return None;
    }
    let flag = values::flag_word(value);
    if flag.is_none() {
        let found = value
            .text()
            .map_or_else(|| value.noun().to_owned(), |text| format!("`{text}`"));
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

fn word<'w>(
    findings: &mut Findings<'_>,
    path: &str,
    value: &Node,
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
                    "`{path}` must be `{}`, found `{text}`",
                    known.join("` or `")
                ),
            )
            .help("write one of them, or remove the key");
    }
    found.copied()
}

fn seconds(findings: &mut Findings<'_>, path: &str, value: &Node) -> Option<u64> {
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
    seconds
}

fn next_tools(findings: &mut Findings<'_>, path: &str, value: &Node) -> NextTools {
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

/// The aliases of a skill and of one of its tools are bounded together.
fn aliases(
    findings: &mut Findings<'_>,
    path: &str,
    value: &Node,
    around: &Surroundings<'_>,
    tool: &mut ToolDeclaration,
) {
    let known: Vec<String> = around
        .skill
        .search_aliases
        .iter()
        .map(|alias| alias.to_lowercase())
        .collect();
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
                tool.name,
                items.len() + known.len()
            ),
        );
    }
    items.truncate(room);
    tool.search_aliases = values::texts(items);
}

fn find_script(
    findings: &mut Findings<'_>,
    place: &Node,
    around: &Surroundings<'_>,
    tool: &mut ToolDeclaration,
) {
    if tool.source_file.is_empty() {
        match around.scripts.for_tool(&tool.name) {
            Some(choice) => {
                several(findings, &place.span, &tool.name, &choice);
                tool.script = ScriptLookup::Script { path: choice.path };
            }
            None => {
                findings
                    .warning(
                        codes::NO_SCRIPT,
                        &place.span,
                        format!("no script for tool `{}`", tool.name),
                    )
                    .help("name one with `source_file`, or put one of that name into scripts/");
            }
        }
        return;
    }
    match around.scripts.source_file(around.handle, &tool.source_file) {
        SourceFile::Outside => {
            findings
                .error(
                    codes::SCRIPT_OUTSIDE,
                    &place.span,
                    format!(
                        "the source_file of `{}` is outside the skill folder",
                        tool.name
                    ),
                )
                .help("put the script into the skill");
            refuse(
                tool,
                "its source_file is outside the skill folder".to_owned(),
            );
        }
        SourceFile::Found(lookup) => {
            if let ScriptLookup::Missing { path, similar } = &lookup {
                let added = findings.fault(
                    codes::SCRIPT_MISSING,
                    &place.span,
                    format!("script not found: {path}"),
                );
                added.help(match similar {
                    Some(similar) => format!("there is `{similar}`; letter case counts"),
                    None => "add the script, or mend the path".to_owned(),
                });
            }
            tool.script = lookup;
        }
    }
}

/// Says which of several scripts was chosen.
pub(crate) fn several(
    findings: &mut Findings<'_>,
    place: &Range<usize>,
    tool: &str,
    choice: &Choice,
) {
    if choice.passed_over.is_empty() {
        return;
    }
    let others: Vec<String> = choice
        .passed_over
        .iter()
        .map(|path| format!("`{path}`"))
        .collect();
    let verbs = if others.len() == 1 {
        "fits as well and is passed over"
    } else {
        "fit as well and are passed over"
    };
    findings
        .warning(
            codes::SEVERAL_SCRIPTS,
            place,
            format!(
                "`{tool}` runs `{}`; {} {verbs}",
                choice.path,
                others.join(" and ")
            ),
        )
        .help("name the script with `source_file`");
}
