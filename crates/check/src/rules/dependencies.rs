//! Missing dependencies and cycles.

use std::collections::BTreeMap;

use metier_catalog::codes::{DEPENDENCY_CYCLE, DEPENDS_ON_CYCLE, MISSING_DEPENDENCY};
use metier_depgraph::DependencyGraph;
use metier_diagnostics::Diagnostic;

use super::{Neighbours, nearest};
use crate::places;
use crate::subject::Subject;

pub(super) fn find(
    served: &[(usize, &Subject<'_>)],
    neighbours: &Neighbours<'_>,
) -> Vec<(usize, Diagnostic)> {
    let graph = DependencyGraph::new(served.iter().map(|(_, subject)| {
        let metadata = subject.metadata();
        let depends: Vec<&str> = metadata.depends.iter().map(String::as_str).collect();
        (metadata.name.as_str(), depends)
    }));
    let by_name: BTreeMap<&str, (usize, &Subject<'_>)> = served
        .iter()
        .rev()
        .map(|(number, subject)| (subject.metadata().name.as_str(), (*number, *subject)))
        .collect();
    let mut found = Vec::new();
    for missing in graph.missing() {
        if let Some((number, subject)) = by_name.get(missing.node.as_str()) {
            let names = by_name.keys().copied();
            let about = is_missing(subject, &missing.dependency, names, neighbours);
            found.push((*number, about));
        }
    }
    for cycle in graph.cycles() {
        let mut about = Diagnostic::error(DEPENDENCY_CYCLE, format!("dependency cycle: {cycle}"))
            .help("remove one of these dependencies");
        let mut first = None;
        let next = cycle.path.iter().cycle().skip(1);
        for (member, needed) in cycle.path.iter().zip(next) {
            if let Some((number, subject)) = by_name.get(member.as_str()) {
                first.get_or_insert(*number);
                about = about.at(
                    places::of_dependency(subject, needed),
                    format!("`{member}` needs `{needed}`"),
                );
            }
        }
        found.extend(first.map(|number| (number, about)));
    }
    for (name, (number, subject)) in &by_name {
        if let Some(cycle) = graph.blocked_by_cycle(name)
            && graph.cycle_of(name).is_none()
        {
            let direct = graph.direct(name);
            let through = direct.iter().find(|needed| cycle.contains(needed));
            let place = places::of_dependency(subject, through.copied().unwrap_or_default());
            let message = format!("a dependency of `{name}` is part of a cycle: {cycle}");
            let about = Diagnostic::warning(DEPENDS_ON_CYCLE, message).at(place, "");
            found.push((*number, about.help("break the cycle")));
        }
    }
    found
}

fn is_missing<'n>(
    subject: &Subject<'_>,
    dependency: &str,
    names: impl Iterator<Item = &'n str>,
    neighbours: &Neighbours<'_>,
) -> Diagnostic {
    let name = &subject.metadata().name;
    let (message, help) = if neighbours.unreadable.contains(dependency) {
        (
            format!("`{name}` depends on `{dependency}`, which is rejected"),
            format!("mend the errors of `{dependency}`"),
        )
    } else {
        let help = match nearest(dependency, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("add a skill named `{dependency}` to one of the roots"),
        };
        let message = format!("`{name}` depends on `{dependency}`, which has not been found");
        (message, help)
    };
    Diagnostic::new(MISSING_DEPENDENCY, neighbours.fault(), message)
        .at(places::of_dependency(subject, dependency), "")
        .help(help)
}
