//! One entry of the `tools` list.

use std::borrow::Cow;
use std::collections::BTreeSet;

use metier_skill_model::{Affinity, Execution, JsonObject, ToolDeclaration, ToolRefusal};

use super::annotations::{contradiction, is_annotation, read_annotation, read_annotations};
use super::capabilities::{misspelt_needs, read_capabilities};
use super::entry_script::find_script;
use super::entry_values::{aliases, flag, next_tools, seconds, word};
use super::schema::{Schema, read_schema};
use super::schema_check::check_written;
use super::{Names, Surroundings, may_mean, unknown_key};
use crate::codes;
use crate::findings::{Findings, brief};
use crate::skill_file::misspelt;
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

/// The key that must not get lost by a slip of the pen.
const NEEDS: &str = "required_capabilities";

/// Whether entries have a key of this name.
pub(crate) fn is_tool_key(name: &str) -> bool {
    KEYS.contains(&&*plain_key(name.into()))
}

/// Reads one entry; `None`, with a finding, when it cannot be a tool.
pub(crate) fn read_entry(
    findings: &mut Findings<'_>,
    index: usize,
    node: &Node<'_>,
    around: &Surroundings<'_>,
    names: &mut Names,
) -> Option<ToolDeclaration> {
    let (name, name_node) = entry_name(findings, index, node)?;
    if !names.take(findings, &around.skill.name, &name, &name_node.span) {
        return None;
    }
    let mut tool = ToolDeclaration::named(name.as_str());
    let mut written_annotations = None;
    let mut source = None;
    let (mut input, mut output) = (None, None);
    let mut seen: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    let shown = brief(&name);
    for (key, value) in node.map().unwrap_or_default() {
        let spelled = key.key_str();
        let plain = plain_key(spelled.clone());
        if !seen.insert(plain.clone()) {
            // Needs that are written twice are needed both: nothing may get lost that keeps a tool from running.
            let is_need = plain == NEEDS;
            let stays = if is_need {
                "both count"
            } else {
                "the first stays"
            };
            findings
                .fault(
                    codes::DUPLICATE_KEY,
                    &key.span,
                    format!("`{spelled}` is another spelling of a key of `{shown}` that is written before; {stays}"),
                )
                .help("keep one of the two");
            if !is_need {
                continue;
            }
        }
        let path = format_args!("{shown}: {spelled}");
        match &*plain {
            "name" => {}
            "description" => {
                tool.description = values::text(findings, path, value).unwrap_or_default();
            }
            "input_schema" | "output_schema" => {
                match read_schema(findings, &shown, &spelled, value) {
                    Ok(Some(schema)) if plain == "input_schema" => {
                        input = Some(((key, value), schema));
                    }
                    Ok(Some(schema)) => output = Some(((key, value), schema)),
                    Ok(None) => {}
                    Err(reason) => refuse(&mut tool, reason),
                }
            }
            "read_only" => {
                let flag = flag(findings, path, value);
                tool.read_only = flag.unwrap_or(false);
                tool.annotations.read_only_hint = flag;
            }
            "destructive" => {
                let written = !value.is_absent();
                // What cannot be read may destroy: the careful reading.
                let flag = flag(findings, path, value).or(written.then_some(true));
                tool.destructive = flag.unwrap_or(false);
                tool.annotations.destructive_hint = flag;
            }
            "idempotent" => {
                let flag = flag(findings, path, value);
                tool.idempotent = flag.unwrap_or(false);
                tool.annotations.idempotent_hint = flag;
            }
            "defer_loading" => tool.defer_loading = flag(findings, path, value).unwrap_or(false),
            "requires_in_process" => {
                tool.requires_in_process = flag(findings, path, value).unwrap_or(false);
            }
            "source_file" => {
                tool.source_file = values::line(findings, path, value);
                source = Some(value);
            }
            "search_aliases" => aliases(findings, path, value, around, &mut tool),
            "required_capabilities" => match read_capabilities(findings, &shown, value) {
                Ok(needed) => {
                    for name in needed {
                        if !tool.required_capabilities.contains(&name) {
                            tool.required_capabilities.push(name);
                        }
                    }
                }
                Err(reason) => refuse(&mut tool, reason),
            },
            "group" => {
                tool.group = values::line(findings, path, value);
            }
            "annotations" => written_annotations = Some(value),
            "execution" => match word(findings, path, value, &["sync", "async"]) {
                Some("async") => tool.execution = Execution::Async,
                _ => tool.execution = Execution::Sync,
            },
            "affinity" | "thread_affinity" => match word(findings, path, value, &["any", "main"]) {
                Some("main") => tool.affinity = Affinity::Main,
                _ => tool.affinity = Affinity::Any,
            },
            "timeout_hint_secs" => tool.timeout_hint_secs = seconds(findings, path, value),
            "next_tools" => tool.next_tools = next_tools(findings, path, value),
            "job_strategy"
            | "intent"
            | "tool_role"
            | "risk"
            | "side_effects"
            | "produces"
            | "requires"
            | "call_examples"
            | "enforce_thread_affinity" => {
                tool.extra.insert(plain.into_owned(), value.to_json());
            }
            other if is_annotation(other) => {
                read_annotation(findings, path, other, value, &mut tool);
            }
            _ if may_mean(&spelled, &KEYS, NEEDS) => {
                refuse(&mut tool, misspelt_needs(findings, &shown, key));
            }
            _ => unknown_key(findings, key, &spelled, &KEYS),
        }
    }
    // Behind the flags, because what `annotations` says wins.
    if let Some(value) = written_annotations {
        read_annotations(findings, value, &mut tool);
    }
    contradiction(findings, node, name_node, &tool);
    // In the order in which they are compiled when the skill is loaded: they share one budget.
    for (written, kept) in [
        (input, &mut tool.input_schema),
        (output, &mut tool.output_schema),
    ] {
        let Some((place, schema)) = written else {
            continue;
        };
        *kept = Some(match schema {
            Schema::Checked(schema) => schema,
            Schema::Tree(schema) => {
                let fault = check_written(findings, &shown, place, &schema, &mut names.patterns);
                if let Some(reason) = fault {
                    tool.refusal.get_or_insert_with(|| ToolRefusal::new(reason));
                }
                JsonObject::new(schema)
            }
        });
    }
    let place = source.unwrap_or(name_node);
    find_script(findings, place, around, &mut tool);
    Some(tool)
}

/// The one spelling of a key that may be spelled in several ways.
pub(crate) fn plain_key(spelled: Cow<'_, str>) -> Cow<'_, str> {
    match &*spelled {
        "inputSchema" => "input_schema".into(),
        "outputSchema" => "output_schema".into(),
        "requiredCapabilities" => NEEDS.into(),
        "aliases" => "search_aliases".into(),
        other if other.contains('-') => other.replace('-', "_").into(),
        _ => spelled,
    }
}

fn entry_name<'n, 'a>(
    findings: &mut Findings<'_>,
    index: usize,
    node: &'n Node<'a>,
) -> Option<(String, &'n Node<'a>)> {
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
            .help(misspelt(node, "name").unwrap_or_else(|| "add `name: …`".to_owned()));
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
pub(super) fn refuse(tool: &mut ToolDeclaration, reason: String) {
    tool.refusal.get_or_insert_with(|| ToolRefusal::new(reason));
}
