//! Shadowed skills that clients cannot read under any URI.

use std::collections::BTreeSet;

use metier_catalog::shadowed_places;
use metier_diagnostics::Diagnostic;

use crate::codes::URI_TAKEN;
use crate::subject::{SKILL_FILE, Subject};

/// The findings about shadowed skills, each with the number that the skill has among them. The others are those that
/// are found first by their names.
pub(crate) fn find(others: &[&Subject<'_>], shadowed: &[&Subject<'_>]) -> Vec<(usize, Diagnostic)> {
    let others = others.iter().map(|subject| subject.skill);
    let names: BTreeSet<&str> = others
        .filter(|skill| skill.not_served.is_none())
        .map(|skill| skill.metadata.name.as_str())
        .collect();
    let skills = shadowed.iter().map(|subject| subject.skill);
    let places = shadowed_places(|name| names.contains(name), skills);
    let mut found = Vec::new();
    for (number, (subject, place)) in shadowed.iter().zip(places).enumerate() {
        // What keeps a skill back wherever it lies is told with the skill.
        let Some(obstacle) = place
            .obstacle
            .filter(|_| subject.skill.not_served.is_none())
        else {
            continue;
        };
        let name = &subject.metadata().name;
        let message = format!("no file of `{name}` is served to clients: {obstacle}");
        let finding = Diagnostic::warning(URI_TAKEN, message).at(subject.whole(SKILL_FILE), "");
        found.push((number, finding.help("give it a name of its own")));
    }
    found
}
