//! What was found wrong, for the operator.

use metier::catalog::CatalogSnapshot;
use metier::diagnostics::{Diagnostic, Severity};
use metier::skill_model::SkillSummary;

use crate::printer::Printer;

/// Tells the operator of everything that was not used as written.
pub(crate) fn tell_findings(printer: Printer, snapshot: &CatalogSnapshot) {
    tell_those(printer, snapshot, |_| true);
}

/// The same of those findings that are wanted.
pub(crate) fn tell_those(
    printer: Printer,
    snapshot: &CatalogSnapshot,
    wanted: impl Fn(&Diagnostic) -> bool,
) {
    for (root, finding) in snapshot.operator_findings() {
        if finding.severity >= Severity::Warning && wanted(finding) {
            printer.say(&line(&root.to_string_lossy(), finding));
        }
    }
}

/// A finding as an operator finds its place: from the working directory, not from the skill's root.
pub(crate) fn placed(snapshot: &CatalogSnapshot, finding: &Diagnostic) -> Diagnostic {
    let root = snapshot
        .operator_findings()
        .into_iter()
        .find(|(_, known)| *known == finding)
        .map(|(root, _)| root.to_string_lossy());
    below(root.as_deref().unwrap_or_default(), finding)
}

/// The errors of one skill, placed from the working directory, each on one line.
pub(crate) fn errors_of(snapshot: &CatalogSnapshot, skill: &SkillSummary) -> Vec<String> {
    let mut lines: Vec<String> = snapshot
        .operator_findings()
        .into_iter()
        .filter(|(_, finding)| finding.severity == Severity::Error)
        .filter(|(_, finding)| skill.diagnostics.contains(finding))
        .map(|(root, finding)| line(&root.to_string_lossy(), finding))
        .collect();
    lines.dedup();
    lines
}

fn line(root: &str, finding: &Diagnostic) -> String {
    below(root, finding).to_string().replace(['\n', '\r'], " ")
}

/// A name below the working directory is written without `./`, as everywhere.
fn below(root: &str, finding: &Diagnostic) -> Diagnostic {
    match root.strip_prefix("./").unwrap_or(root) {
        "" | "." => finding.clone(),
        root => finding.clone().below(root),
    }
}
