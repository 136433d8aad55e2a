//! Two skills whose tools would have one name on the wire.

use std::collections::BTreeMap;

use metier_catalog::codes::TOOL_NAME_TAKEN;
use metier_diagnostics::Diagnostic;
use metier_skill_model::{canonical_name, wire_name};

use super::Served;
use crate::places::Places;
use crate::subject::Subject;

pub(super) fn find(served: &[Served<'_, '_>]) -> Vec<(usize, Diagnostic)> {
    let mut taken: BTreeMap<String, (&Subject<'_>, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for Served {
        number, subject, ..
    } in served
    {
        let metadata = subject.metadata();
        let places = Places::new(subject);
        for tool in &metadata.tools {
            let wire = wire_name(&canonical_name(&metadata.name, &tool.name));
            // Names within one skill are the loader's business.
            let Some((other, spelled)) = taken.get(&wire) else {
                taken.insert(wire, (*subject, tool.name.as_str()));
                continue;
            };
            // Two skills of one name are never loaded together.
            if other.metadata().name == metadata.name {
                continue;
            }
            let message = format!(
                "the tool `{}` of `{}` has the same name `{wire}` as `{spelled}` of `{}`; with both skills \
                 loaded the later one is refused",
                tool.name,
                metadata.name,
                other.metadata().name
            );
            let about = Diagnostic::error(TOOL_NAME_TAKEN, message)
                .at(places.name(&tool.name), "")
                .help("rename the tool or the skill");
            found.push((*number, about));
        }
    }
    found
}
