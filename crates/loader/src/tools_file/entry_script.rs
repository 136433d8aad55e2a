//! The script of an entry.

use std::ops::Range;

use metier_skill_model::{ScriptLookup, ToolDeclaration};

use super::Surroundings;
use super::entry::refuse;
use crate::codes;
use crate::findings::{Findings, brief};
use crate::script::{Choice, SourceFile};
use crate::yaml::Node;

pub(super) fn find_script(
    findings: &mut Findings<'_>,
    place: &Node<'_>,
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
                        format!("no script for tool `{}`", brief(&tool.name)),
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
                        brief(&tool.name)
                    ),
                )
                .help("put the script into the skill");
            refuse(
                tool,
                "its source_file is outside the skill folder".to_owned(),
            );
        }
        SourceFile::Forbidden { path } => {
            let message = format!("permission denied for `{path}`");
            findings
                .fault(codes::SCRIPT_MISSING, &place.span, message.clone())
                .help("let the user that the server runs as read it");
            refuse(tool, message);
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
                    None => match around.scripts.near(path) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "add the script, or mend the path".to_owned(),
                    },
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
    let mut named = others.join(" and ");
    if choice.more > 0 {
        named = format!("{named} and {} more", choice.more);
    }
    let verbs = if others.len() == 1 {
        "fits as well and is passed over"
    } else {
        "fit as well and are passed over"
    };
    findings
        .warning(
            codes::SEVERAL_SCRIPTS,
            place,
            format!("`{}` runs `{}`; {named} {verbs}", brief(tool), choice.path),
        )
        .help("name the script with `source_file`");
}
