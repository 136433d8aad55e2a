//! What the front matter says: every key at its place, and a word on every key that is not.

use std::collections::BTreeSet;

use metier_diagnostics::{Location, Severity};
use metier_skill_model::{SkillMetadata, SkillName};

use super::client_fields::read_client_field;
use super::dcc_fields::read_metadata;
use super::depends::Depends;
use super::misplaced::{bare, is_ours, misplaced, misplaced_tools};
use super::recover::Recovered;
use crate::findings::{Findings, brief, printable};
use crate::tools_file::nearest;
use crate::values::{self, Item};
use crate::yaml::Node;
use crate::{ParseMode, codes};

const LONGEST_DESCRIPTION: usize = 1024;
pub(super) const LONGEST_COMPATIBILITY: usize = 500;

/// What is read from the front matter and used later.
#[derive(Debug, Default)]
pub(crate) struct FrontMatter {
    pub(crate) tools: PathKey,
    pub(crate) groups: PathKey,
    pub(crate) depends: Depends,
    /// The skill is rejected in both modes.
    pub(crate) rejected: bool,
    /// Why it cannot be served as it is under `skill://`.
    pub(crate) not_served: Option<String>,
    /// Where the name is written.
    pub(crate) name_at: Option<Location>,
}

/// A key whose value is the path of a sibling file.
#[derive(Debug, Default)]
pub(crate) enum PathKey {
    /// Not written.
    #[default]
    Absent,
    /// A path as written.
    Path(Item),
    /// Something else, with the words for it.
    Unusable(String),
}

/// The fields of the Agent Skills format.
pub(super) const STANDARD: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "allowed-tools",
    "metadata",
];

/// The keys that authors mean most often, for finding the nearest to an unknown one.
const KNOWN: [&str; 7] = {
    let [name, description, license, compatibility, tools, metadata] = STANDARD;
    [
        name,
        description,
        license,
        compatibility,
        tools,
        metadata,
        "argument-hint",
    ]
};

/// Whether a key is none that may be meant as another one.
pub(super) fn is_known(key: &str) -> bool {
    KNOWN.contains(&key)
}

/// Reads every key of the front matter into `skill`, whose name is the folder's so far.
pub(crate) fn read_fields(
    findings: &mut Findings<'_>,
    root: &Node<'_>,
    recovered: Option<&Recovered>,
    folder_names: &[&str],
    skill: &mut SkillMetadata,
) -> FrontMatter {
    let mut front = FrontMatter::default();
    skill.front_matter = root.to_json_map();
    if let Some(recovered) = recovered {
        skill.front_matter.insert(
            "description".to_owned(),
            serde_json::Value::String(recovered.value.clone()),
        );
    }
    let entries = root.map().unwrap_or_default();
    misplaced(findings, entries, &mut front);
    let mut name = None;
    let mut seen = BTreeSet::new();
    for (key, value) in entries {
        let text = key.key_str();
        // Of a key that is written twice, which has been told, the first stays; so has been one that is no text.
        let is_told = key.is_merge_key() || key.scalar_text().is_none();
        if is_told || !seen.insert(text.clone()) {
            continue;
        }
        match &*text {
            "name" => name = Some(value),
            "description" => {}
            "license" => {
                skill.license = values::text(findings, "license", value).unwrap_or_default();
            }
            "compatibility" => compatibility(findings, value, skill),
            "allowed-tools" | "allowed_tools" => {
                skill.allowed_tools = values::tool_patterns(findings, &text, value);
            }
            "metadata" => read_metadata(findings, value, skill, &mut front),
            other if is_ours(other) => {
                if matches!(front.tools, PathKey::Absent) && bare(other) == "tools" {
                    front.tools = misplaced_tools(value);
                }
            }
            other => {
                if !read_client_field(findings, key, other, value, &mut skill.client) {
                    unknown(findings, key, other);
                }
            }
        }
    }
    read_name(findings, root, name, folder_names, skill, &mut front);
    description(findings, root, recovered, skill, &mut front);
    front
}

fn unknown(findings: &mut Findings<'_>, key: &Node<'_>, name: &str) {
    let severity = match findings.mode {
        ParseMode::Strict => Severity::Warning,
        ParseMode::Lenient => Severity::Info,
    };
    if !findings.has_room(severity) {
        findings.left_out_at(severity, &key.span);
        return;
    }
    let message = format!(
        "`{}` is not a key of the format; it is kept as it is",
        brief(name)
    );
    let added = match severity {
        Severity::Warning => findings.warning(codes::UNKNOWN_KEY, &key.span, message),
        _ => findings.info(codes::UNKNOWN_KEY, &key.span, message),
    };
    let odd = name.chars().next().filter(|c| c.is_whitespace());
    added.help(match nearest(name, &KNOWN) {
        _ if odd.is_some() => format!(
            "the line begins with U+{:04X}, which is no blank to YAML: indent with spaces",
            odd.map_or(0, u32::from)
        ),
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "put data of your own below `metadata`".to_owned(),
    });
}

fn compatibility(findings: &mut Findings<'_>, value: &Node<'_>, skill: &mut SkillMetadata) {
    skill.compatibility = values::text(findings, "compatibility", value).unwrap_or_default();
    let length = skill.compatibility.chars().count();
    if length > LONGEST_COMPATIBILITY {
        findings
            .warning(
                codes::COMPATIBILITY_TOO_LONG,
                &value.span,
                format!(
                    "`compatibility` has {length} characters, more than {LONGEST_COMPATIBILITY}"
                ),
            )
            .help("say the rest in the text below the front matter");
    }
}

fn read_name(
    findings: &mut Findings<'_>,
    root: &Node<'_>,
    node: Option<&Node<'_>>,
    folder_names: &[&str],
    skill: &mut SkillMetadata,
    front: &mut FrontMatter,
) {
    let written = node.and_then(|node| {
        let text = values::text(findings, "name", node)?;
        Some((text, node.span.clone()))
    });
    let Some((text, span)) = written else {
        let span = node.map_or(root.span.start..root.span.start, |node| node.span.clone());
        findings
            .fault(codes::NAME_MISSING, &span, "the skill has no name")
            .help(
                misspelt(root, "name")
                    .unwrap_or_else(|| format!("add `name: {}`", skill.name.in_yaml())),
            );
        front.not_served = Some("its front matter has no name".to_owned());
        return;
    };
    // Few lines stand before it; an index of all of the file's would be made for nothing.
    let file = findings.whole().file;
    front.name_at = Some(Location::in_bytes(
        file,
        findings.text().as_bytes(),
        span.clone(),
    ));
    let name = match SkillName::new(&text) {
        Ok(name) => name,
        Err(fault) => {
            findings
                .error(codes::NAME_UNSAFE, &span, name_fault(&text, fault))
                .help(other_name(&text));
            front.rejected = true;
            return;
        }
    };
    let is_standard = name.is_standard();
    if !is_standard {
        findings
            .fault(
                codes::NAME_ILLEGAL,
                &span,
                format!(
                    "the name `{name}` is not 1 to 64 of `a-z`, `0-9` and single inner hyphens"
                ),
            )
            .help(other_name(&name));
        front.not_served = Some(format!(
            "its name `{name}` does not follow the pattern for skill names"
        ));
    }
    if !folder_names.is_empty() && !folder_names.contains(&name.as_str()) {
        let folder = folder_names.first().copied().unwrap_or_default();
        findings
            .warning(
                codes::NAME_DIFFERS,
                &span,
                format!(
                    "the name `{name}` differs from the folder `{}`",
                    printable(folder)
                ),
            )
            .help(if is_standard {
                "give the folder the skill's name".to_owned()
            } else {
                "give both one name of lower-case letters, digits and single hyphens".to_owned()
            });
    }
    skill.name = name;
}

/// What to say where a key is missing and one that is unknown was meant to be it.
pub(crate) fn misspelt(map: &Node<'_>, missing: &str) -> Option<String> {
    let mut keys = map.map()?.iter().map(|(key, _)| key.key_str());
    let found = keys.find(|key| {
        **key != *missing && !KNOWN.contains(&&**key) && nearest(key, &[missing]).is_some()
    })?;
    let found = brief(&found);
    Some(format!(
        "the key `{found}` is unknown: did you mean `{missing}`?"
    ))
}

fn other_name(text: &str) -> String {
    let cure = "use lower-case letters, digits and single hyphens";
    match SkillName::standard_near(text) {
        Some(near) => format!("{cure}: `{near}`"),
        None => cure.to_owned(),
    }
}

fn name_fault(text: &str, fault: metier_skill_model::NameFault) -> String {
    use metier_skill_model::NameFault;
    let shown = printable(text);
    match fault {
        NameFault::Separator(found) => format!(
            "the name `{shown}` holds `{found}` (U+{:04X}), which could be taken for a path",
            u32::from(found)
        ),
        NameFault::ParentFolder => format!("the name `{shown}` holds `..` (U+002E twice)"),
        other => format!("{other} (`{shown}`)"),
    }
}

fn description(
    findings: &mut Findings<'_>,
    root: &Node<'_>,
    recovered: Option<&Recovered>,
    skill: &mut SkillMetadata,
    front: &mut FrontMatter,
) {
    let node = root.get("description");
    let text = match (recovered, node) {
        (Some(recovered), _) => {
            let why = &recovered.fault.message;
            let why = why.strip_prefix("not valid YAML: ").unwrap_or(why);
            let taken = match findings.mode {
                ParseMode::Strict => "",
                ParseMode::Lenient => "; the whole line is taken as it stands",
            };
            // Whoever has put quotes around it needs to hear what is wrong with them.
            let own_cure = recovered.fault.help.as_deref();
            let (without, cure) =
                match own_cure.filter(|_| recovered.value.starts_with(['"', '\''])) {
                    Some(cure) => ("", cure),
                    None => (" without quotes", "quote the value"),
                };
            findings
                .fault(
                    codes::DESCRIPTION_NOT_QUOTED,
                    &recovered.span,
                    format!("the description is not valid YAML{without} ({why}){taken}"),
                )
                .help(cure);
            front.not_served = Some(
                "its front matter is not valid YAML as it stands (quote the description)"
                    .to_owned(),
            );
            Some(recovered.value.clone())
        }
        (None, Some(node)) => values::text(findings, "description", node),
        (None, None) => None,
    };
    let Some(text) = text else {
        // Something that is no text has been told.
        if node.is_some_and(|node| !node.is_absent()) {
            return;
        }
        let span = node.map_or(root.span.start..root.span.start, |node| node.span.clone());
        findings
            .fault(
                codes::DESCRIPTION_MISSING,
                &span,
                "the skill has no description",
            )
            .help(
                misspelt(root, "description").unwrap_or_else(|| {
                    "say in a sentence what it does and when to use it".to_owned()
                }),
            );
        return;
    };
    let length = text.chars().count();
    if length > LONGEST_DESCRIPTION {
        let span = node.map_or(0..0, |node| node.span.clone());
        findings
            .fault(
                codes::DESCRIPTION_TOO_LONG,
                &span,
                format!("the description has {length} characters, more than {LONGEST_DESCRIPTION}"),
            )
            .help("move the details into the body");
        if front.not_served.is_none() {
            front.not_served = Some(format!(
                "its description has {length} characters, more than {LONGEST_DESCRIPTION}"
            ));
        }
    }
    skill.description = text;
}
