//! Our own keys at the top level, where they are not read.

use std::borrow::Cow;
use std::fmt::Write as _;

use metier_diagnostics::Severity;

use super::fields::{FrontMatter, PathKey};
use crate::codes;
use crate::findings::{Findings, brief};
use crate::values::Item;
use crate::yaml::Node;

/// The key that names the tools file, as it is written: a path with dots would be taken for one key.
pub(crate) const NESTED_TOOLS: &str = "metadata: {dcc-mcp: {tools: tools.yaml}}";

/// How many misplaced keys are named in their one finding.
const MOST_MISPLACED: usize = 20;

/// Keys that belong below `metadata.dcc-mcp`; upper level ones of our own.
const OURS: [&str; 20] = [
    "dcc-mcp",
    "dcc",
    "version",
    "tags",
    "tools",
    "depends",
    "search-hint",
    "search-aliases",
    "aliases",
    "groups",
    "layer",
    "stage",
    "products",
    "allow-implicit-invocation",
    "external-deps",
    "runtimes",
    "prompts",
    "resources",
    "recipes",
    "example-prompts",
];

pub(super) fn is_ours(key: &str) -> bool {
    let key = if key.contains('_') {
        Cow::Owned(key.replace('_', "-"))
    } else {
        Cow::Borrowed(key)
    };
    OURS.contains(&&*key)
        || matches!(&*key, "branding" | "links")
        || key.starts_with("dcc-mcp.")
        || key == "metadata.dcc-mcp"
        || key.starts_with("metadata.dcc-mcp.")
}

/// A key without the path before it: pages and messages name keys by their paths, and some authors write
/// the path down.
pub(super) fn bare(key: &str) -> &str {
    let key = key.strip_prefix("metadata.").unwrap_or(key);
    key.strip_prefix("dcc-mcp.").unwrap_or(key)
}

/// The skill is rejected for the place of the key; what is wrong with the file that it names is told with it.
pub(super) fn misplaced_tools(value: &Node<'_>) -> PathKey {
    match value.text() {
        Some(path) if value.to_json().is_string() => PathKey::Path(Item {
            text: path.trim().to_owned(),
            span: value.span.clone(),
        }),
        _ => PathKey::Unusable("the key `tools` stands at the top level".to_owned()),
    }
}

/// Every spelling of our own keys that is refused at the top level.
pub(crate) fn misplaced_spellings() -> impl Iterator<Item = String> {
    OURS.into_iter()
        .chain(["branding", "links"])
        .flat_map(|key| [key.to_owned(), key.replace('-', "_")])
}

/// All misplaced keys in one finding, each with its place and its cure.
pub(super) fn misplaced(
    findings: &mut Findings<'_>,
    entries: &[(Node<'_>, Node<'_>)],
    front: &mut FrontMatter,
) {
    let found: Vec<(&Node<'_>, Cow<'_, str>)> = entries
        .iter()
        .map(|(key, _)| (key, key.key_str()))
        .filter(|(_, name)| is_ours(name))
        .collect();
    let Some((first, _)) = found.first() else {
        return;
    };
    let named = found.iter().take(MOST_MISPLACED);
    let mut names: Vec<String> = named
        .clone()
        .map(|(_, name)| format!("`{}`", brief(name)))
        .collect();
    let cures: Vec<String> = named
        .clone()
        .map(|(_, name)| format!("`{}` → `{}`", brief(name), new_place(&brief(name))))
        .collect();
    if found.len() > MOST_MISPLACED {
        names.push(format!("{} more", found.len() - MOST_MISPLACED));
    }
    // Loading the skill without its tools or dependencies would lose what the author wants most.
    front.rejected = found
        .iter()
        .any(|(_, name)| matches!(bare(name), "tools" | "depends"));
    let severity = if front.rejected {
        Severity::Error
    } else {
        findings.mode.fault()
    };
    let (verb, taken) = if names.len() == 1 {
        ("belongs", "it is")
    } else {
        ("belong", "they are")
    };
    let mut below = "metadata.dcc-mcp";
    if found.iter().all(|(_, name)| &**name == "dcc-mcp") {
        below = "metadata";
    }
    let mut message = format!("{} {verb} below `{below}`", names.join(", "));
    if severity == Severity::Warning {
        let _ = write!(message, "; {taken} not read here");
    }
    let mut diagnostic =
        metier_diagnostics::Diagnostic::new(codes::MISPLACED_KEY, severity, message)
            .at(findings.place(&first.span), "")
            .help(format!("move: {}", cures.join(", ")));
    for (key, _) in named.skip(1) {
        diagnostic = diagnostic.at(findings.place(&key.span), "and here");
    }
    findings.push(diagnostic);
}

fn new_place(name: &str) -> String {
    match bare(name) {
        "dcc-mcp" if name.len() == "dcc-mcp".len() => "metadata.dcc-mcp".to_owned(),
        "dcc-mcp" => "metadata: {dcc-mcp: …}".to_owned(),
        "tools" => format!("{NESTED_TOOLS}, with the list in that file"),
        // Who writes a path down takes one for a key.
        other if other.len() < name.len() => {
            format!("metadata: {{dcc-mcp: {{{}: …}}}}", other.replace('_', "-"))
        }
        other => format!("metadata.dcc-mcp.{}", other.replace('_', "-")),
    }
}
