//! What the safety rules find in the files that a scan does not read.

use metier_diagnostics::Diagnostic;

use crate::subject::{SKILL_FILE, Subject};

pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let skill = subject.skill;
    // The loader has told what it read: the beginning of SKILL.md and the tools.
    let is_known = |finding: &Diagnostic| {
        skill.diagnostics.iter().any(|known| {
            let place = |of: &Diagnostic| of.location().map(|place| (place.line, place.column));
            known.code.id == finding.code.id && place(known) == place(finding)
        })
    };
    let verdict = skill.verdict(None);
    let fresh = verdict
        .findings()
        .iter()
        .filter(|finding| !is_known(finding));
    let mut found: Vec<Diagnostic> = fresh.cloned().collect();
    for label in found.iter_mut().flat_map(|finding| &mut finding.labels) {
        let file = std::mem::take(&mut label.location.file);
        label.location.file = if file.is_empty() {
            subject.shown(SKILL_FILE)
        } else {
            subject.shown(&file)
        };
    }
    found
}
