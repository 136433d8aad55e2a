//! `next-tools` that name a tool which does not exist.

use metier_diagnostics::Diagnostic;
use metier_skill_model::{CORE_TOOLS, GROUP_TOOLS, canonical_name};

use super::{Neighbours, nearest};
use crate::codes::UNKNOWN_NEXT_TOOL;
use crate::places::Places;
use crate::subject::Subject;

/// A name of another skill that is not here may be right where that skill is; nothing is said of it.
pub(super) fn find<'s>(subject: &'s Subject<'_>, neighbours: &Neighbours<'_>) -> Vec<Diagnostic> {
    let metadata = subject.metadata();
    let mut found = Vec::new();
    let places = Places::new(subject);
    for tool in &metadata.tools {
        let next = &tool.next_tools;
        let after =
            |key: &'static str, names: &'s [String]| names.iter().map(move |name| (key, name));
        let named =
            after("on_success", &next.on_success).chain(after("on_failure", &next.on_failure));
        for (key, name) in named {
            if CORE_TOOLS.contains(&name.as_str()) || GROUP_TOOLS.contains(&name.as_str()) {
                continue;
            }
            let plain = name.replace('-', "_");
            let message = format!(
                "`{}` suggests the tool `{name}`, which does not exist",
                tool.name
            );
            let about = if let Some((prefix, _)) = plain.rsplit_once("__") {
                if !neighbours.prefixes.contains(prefix) || neighbours.tools.contains_key(&plain) {
                    continue;
                }
                let known = neighbours.tools.keys().map(String::as_str);
                (
                    Diagnostic::warning(UNKNOWN_NEXT_TOOL, message),
                    nearest(&plain, known),
                )
            } else {
                if neighbours.bare.contains(&plain) {
                    continue;
                }
                let known = metadata.tools.iter().map(|tool| tool.name.as_str());
                (
                    Diagnostic::info(UNKNOWN_NEXT_TOOL, message),
                    nearest(name, known),
                )
            };
            let (about, near) = about;
            let place = places.item(&tool.name, &["next_tools", key], name);
            let about = about.at(place, "");
            found.push(match near {
                Some(near) => about.help(format!("did you mean `{near}`?")),
                None => about.help(format!(
                    "name a tool as clients see it, such as `{}`",
                    canonical_name(&metadata.name, &tool.name)
                )),
            });
        }
    }
    found
}
