//! The whole way: roots, folders, skills, and which of two comes first.

use std::collections::BTreeMap;
use std::sync::Arc;

use metier_diagnostics::{Diagnostic, Location};
use unicode_normalization::UnicodeNormalization;

use crate::findings::printable;
use crate::parallel::in_parallel;
use crate::parse::{SKILL_FILE, parse_candidate};
use crate::report::{LoadedSkill, RejectedSkill, ScanReport, ShadowedSkill};
use crate::walk::{Walked, path_order, walk};
use crate::{ParseMode, Root, codes};

/// Finds and reads every skill below the roots.
///
/// The order is by root and path, never that of a directory listing. Nothing ends a scan: what
/// cannot be read is in the report. Of two skills with the same name, compared after NFC and
/// without regard to case, the first wins and the other is shadowed.
pub fn scan(roots: &[Root], mode: ParseMode) -> ScanReport {
    let walked = walk(roots, mode);
    let read = in_parallel(&walked.candidates, |candidate| {
        parse_candidate(candidate, mode)
            .map(Arc::new)
            .map_err(|rejected| Arc::new(*rejected))
    });
    assemble(roots, &walked, read)
}

/// Puts together what was read of the candidates of a walk, in their order.
pub(crate) fn assemble(
    roots: &[Root],
    walked: &Walked,
    read: Vec<Result<Arc<LoadedSkill>, Arc<RejectedSkill>>>,
) -> ScanReport {
    let mut report = ScanReport {
        root_findings: walked.findings.clone(),
        ..ScanReport::default()
    };
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for skill in read {
        let skill = match skill {
            Ok(skill) => skill,
            Err(rejected) => {
                report.rejected.push(rejected);
                continue;
            }
        };
        let key = folded(&skill.metadata.name);
        let winner = first.get(&key).and_then(|place| report.skills.get(*place));
        let Some(winner) = winner else {
            first.insert(key, report.skills.len());
            report.skills.push(skill);
            continue;
        };
        report.shadowed.push(ShadowedSkill {
            by: winner.id.clone(),
            diagnostic: shadowed(&skill, winner),
            skill,
        });
    }
    for (candidate, diagnostic) in &walked.locked {
        let rejected = candidate.reject(None, vec![diagnostic.clone()]);
        report.rejected.push(Arc::new(rejected));
    }
    let order: BTreeMap<_, _> = roots
        .iter()
        .enumerate()
        .rev()
        .map(|(number, root)| ((root.label, root.path.clone()), number))
        .collect();
    report.rejected.sort_by(|one, other| {
        let place = |root: &Root| order.get(&(root.label, root.path.clone())).copied();
        place(&one.root)
            .cmp(&place(&other.root))
            .then_with(|| path_order(&one.display_path, &other.display_path))
    });
    report
}

fn shadowed(skill: &LoadedSkill, winner: &LoadedSkill) -> Diagnostic {
    let place = |skill: &LoadedSkill| {
        skill.name_at.clone().unwrap_or_else(|| {
            Location::file(if skill.display_path.is_empty() {
                SKILL_FILE.to_owned()
            } else {
                format!("{}/{SKILL_FILE}", skill.display_path)
            })
        })
    };
    // A place is written below the skill's own root, so one below another root is told by its id.
    let is_near = skill.root == winner.root;
    let first = if is_near {
        format!("`{}`", printable(&place(winner).file))
    } else {
        printable(winner.id.as_str())
    };
    let name = &skill.metadata.name;
    let own = if is_near {
        String::new()
    } else {
        format!(" ({})", printable(skill.id.as_str()))
    };
    let message =
        format!("the skill `{name}`{own} is shadowed: {first} has the same name and comes first");
    let finding = Diagnostic::warning(codes::SHADOWED, message).at(place(skill), "");
    let finding = finding.help(format!(
        "rename one of the two, or remove it; `metier info {}` shows this one",
        printable(skill.id.as_str())
    ));
    if is_near {
        finding.at(place(winner), "this one is used")
    } else {
        finding
    }
}

/// Names are compared in this form.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_lowercase).collect()
}
