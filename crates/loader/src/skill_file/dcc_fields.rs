//! The keys below `metadata.dcc-mcp`, nested or flat.

use std::collections::BTreeSet;
use std::fmt::Display;

use metier_diagnostics::Severity;
use metier_skill_model::SkillMetadata;

use super::depends::read_depends;
use super::fields::FrontMatter;
use crate::codes;
use crate::findings::{Findings, brief};
use crate::tools_file::{is_tool_key, nearest};
use crate::values::{self, Item};
use crate::yaml::Node;

/// How many search aliases are kept: those of a skill and of one of its tools together.
pub(crate) const MOST_ALIASES: usize = 24;

/// The key of `metadata` below which our own are.
const OUR_KEY: &str = "dcc-mcp";

/// Keys that are kept as they are; other parts of Metier may read them.
const KEPT: [&str; 10] = [
    "external-deps",
    "runtimes",
    "runtime-deps",
    "optional-runtimes",
    "prompts",
    "resources",
    "recipes",
    "branding",
    "links",
    "examples",
];

/// Keys that are read, for finding the nearest to an unknown one.
const READ: [&str; 13] = [
    "dcc",
    "version",
    "layer",
    "stage",
    "tags",
    "products",
    "example-prompts",
    "search-hint",
    "search-aliases",
    "depends",
    "tools",
    "groups",
    "allow-implicit-invocation",
];

/// Reads the value of `metadata`.
pub(crate) fn read_metadata(
    findings: &mut Findings<'_>,
    node: &Node<'_>,
    skill: &mut SkillMetadata,
    front: &mut FrontMatter,
) {
    if node.is_absent() {
        return;
    }
    let Some(entries) = node.map() else {
        values::wrong_type(findings, "metadata", "a mapping", node);
        return;
    };
    let nested = node.get("dcc-mcp");
    let nested_names: BTreeSet<&str> = nested
        .and_then(Node::map)
        .unwrap_or_default()
        .iter()
        .filter_map(|(key, _)| key.text())
        .collect();
    for (key, value) in entries {
        let written = key.text().unwrap_or_default();
        let Some(name) = written.strip_prefix("dcc-mcp.") else {
            misspelt(findings, key, written);
            if ONLY_OURS.contains(&&*written.replace('_', "-")) {
                one_level_too_far_out(findings, key, written);
            }
            continue;
        };
        let shown = brief(name);
        findings
            .warning(
                codes::FLAT_DOTTED_KEY,
                &key.span,
                format!("`dcc-mcp.{shown}` is an old spelling"),
            )
            .help(format!("nest it: metadata: {{dcc-mcp: {{{shown}: …}}}}"));
        if !nested_names.contains(name) {
            read_dcc_key(findings, key, name, value, skill, front);
        }
    }
    let Some(nested) = nested.filter(|nested| !nested.is_absent()) else {
        return;
    };
    let Some(entries) = nested.map() else {
        values::wrong_type(findings, "metadata.dcc-mcp", "a mapping", nested);
        return;
    };
    for (key, value) in entries.iter().filter(|(key, _)| !key.is_merge_key()) {
        read_dcc_key(findings, key, &key.key_text(), value, skill, front);
    }
}

/// Keys that nobody but us has: written beside `dcc-mcp`, they are meant to stand below it.
const ONLY_OURS: [&str; 6] = [
    "depends",
    "search-hint",
    "search-aliases",
    "dcc",
    "allow-implicit-invocation",
    "example-prompts",
];

fn one_level_too_far_out(findings: &mut Findings<'_>, key: &Node<'_>, written: &str) {
    if !findings.has_room(Severity::Warning) {
        findings.left_out_at(Severity::Warning, &key.span);
        return;
    }
    let name = written.replace('_', "-");
    findings
        .warning(
            codes::MISPLACED_KEY,
            &key.span,
            format!("`metadata.{written}` is not read: it belongs below `metadata.dcc-mcp`"),
        )
        .help(format!("write metadata: {{dcc-mcp: {{{name}: …}}}}"));
}

/// A word on a key that is nearly `dcc-mcp`: with it, everything below would be lost in silence.
fn misspelt(findings: &mut Findings<'_>, key: &Node<'_>, written: &str) {
    let start = written.split('.').next().unwrap_or(written);
    // A longer word is near none, and comparing takes time by its length.
    if start == OUR_KEY || start.len() > 4 * OUR_KEY.len() {
        return;
    }
    let folded: String = start.to_lowercase();
    let plain: String = folded.chars().filter(char::is_ascii_alphanumeric).collect();
    if plain == "dccmcp" || strsim::damerau_levenshtein(&folded, OUR_KEY) <= 2 {
        findings
            .warning(
                codes::MISSPELT_DCC_MCP,
                &key.span,
                format!(
                    "`metadata.{}` is not read: Metier reads its keys below `dcc-mcp`",
                    brief(start)
                ),
            )
            .help("did you mean `dcc-mcp`?");
    }
}

fn read_dcc_key(
    findings: &mut Findings<'_>,
    key: &Node<'_>,
    name: &str,
    value: &Node<'_>,
    skill: &mut SkillMetadata,
    front: &mut FrontMatter,
) {
    let shown = brief(name);
    let path = format_args!("metadata.dcc-mcp.{shown}");
    match name {
        "dcc" => set(&mut skill.dcc, values::text(findings, path, value)),
        "version" => set(&mut skill.version, values::text(findings, path, value)),
        "layer" => set(&mut skill.layer, values::text(findings, path, value)),
        "stage" => set(&mut skill.stage, values::text(findings, path, value)),
        "tags" => skill.tags = list(findings, path, value),
        "products" => skill.products = list(findings, path, value),
        "example-prompts" | "example_prompts" => {
            // Prompts are sentences; a comma in one does not end it.
            skill.example_prompts = values::texts(values::plain_list(findings, path, value));
        }
        "search-hint" | "search_hint" => {
            skill.search_hint = match value.list() {
                Some(_) => list(findings, path, value).join(", "),
                None => values::text(findings, path, value).unwrap_or_default(),
            };
        }
        "search-aliases" | "search_aliases" | "aliases" => {
            let aliases = values::comma_list(findings, path, value);
            skill
                .search_aliases
                .extend(bounded(findings, aliases, skill.search_aliases.len()));
        }
        "depends" => read_depends(findings, path, value, &mut front.depends),
        "tools" => front.tools = path_key(findings, path, value),
        "groups" => front.groups = path_key(findings, path, value),
        "allow-implicit-invocation" | "allow_implicit_invocation" => {
            if value.is_absent() {
                return;
            }
            match values::flag_word(value) {
                Some(flag) => skill.allow_implicit_invocation = flag,
                None => match value.text() {
                    Some("1" | "1.0") => skill.allow_implicit_invocation = true,
                    Some("0" | "0.0") => skill.allow_implicit_invocation = false,
                    _ => values::wrong_type(findings, path, "true or false", value),
                },
            }
        }
        _ => {
            if KEPT.contains(&name.replace('_', "-").as_str()) {
                // Said nowhere: it is a key of the format.
            } else if !findings.has_room(Severity::Info) {
                findings.left_out_at(Severity::Info, &key.span);
            } else {
                let added = findings.info(
                    codes::UNKNOWN_DCC_KEY,
                    &key.span,
                    format!("`{path}` is unknown; it is kept as it is"),
                );
                if is_tool_key(name) {
                    added.help("it is a key of a tool: write it into tools.yaml");
                } else if let Some(nearest) = nearest(name, &READ) {
                    added.help(format!("did you mean `{nearest}`?"));
                }
            }
            skill.dcc_extra.insert(name.to_owned(), value.to_json());
        }
    }
}

fn set(field: &mut String, value: Option<String>) {
    if let Some(value) = value {
        value.trim().clone_into(field);
    }
}

fn list(findings: &mut Findings<'_>, path: impl Display + Copy, value: &Node<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    values::texts(values::comma_list(findings, path, value))
        .into_iter()
        .filter(|text| seen.insert(text.clone()))
        .collect()
}

fn bounded(findings: &mut Findings<'_>, aliases: Vec<Item>, known: usize) -> Vec<String> {
    let mut aliases = values::without_repeats(aliases);
    let room = MOST_ALIASES.saturating_sub(known);
    let total = aliases.len();
    if let Some(first) = aliases.get(room) {
        findings
            .warning(
                codes::TOO_MANY_ALIASES,
                &first.span,
                format!("{total} search aliases, of which the first {room} are kept"),
            )
            .help("keep the words that people search for, and remove the others");
    }
    aliases.truncate(room);
    values::texts(aliases)
}

/// A key that names a sibling file.
fn path_key(
    findings: &mut Findings<'_>,
    path: impl Display + Copy,
    value: &Node<'_>,
) -> super::fields::PathKey {
    use super::fields::PathKey;
    if value.is_absent() {
        return PathKey::Absent;
    }
    let is_text = value.text().is_some() && value.to_json().is_string();
    match value.text() {
        Some(text) if is_text => PathKey::Path(Item {
            text: text.trim().to_owned(),
            span: value.span.clone(),
        }),
        _ => {
            let found = value.noun();
            let message =
                format!("`{path}` must be the path of a file in the skill, found {found}");
            findings
                .error(codes::TOOLS_FILE_NOT_A_PATH, &value.span, message.clone())
                .help("put the list into tools.yaml beside SKILL.md and name that file here");
            PathKey::Unusable(message)
        }
    }
}
