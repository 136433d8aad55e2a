//! What a check counted.

use std::collections::{BTreeMap, BTreeSet};

use metier::check::{CheckReport, Verdict};
use metier::loader::is_safety_code;
use serde_json::json;

/// What the check counted, and every skill with its verdict.
pub(super) fn figures(report: &CheckReport, milliseconds: u128) -> serde_json::Value {
    let mut by_code: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &report.findings {
        let diagnostic = &finding.diagnostic;
        let key = format!(
            "{} {} {}",
            diagnostic.code, diagnostic.code.name, diagnostic.severity
        );
        *by_code.entry(key).or_default() += 1;
    }
    let flagged = flagged(report);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for code in report.skills.iter().flat_map(|skill| &skill.reasons) {
        *reasons.entry(format!("{code} {}", code.name)).or_default() += 1;
    }
    let skills: Vec<serde_json::Value> = report
        .skills
        .iter()
        .map(|skill| {
            let verdict = match skill.verdict {
                Verdict::Loaded => "loaded",
                Verdict::Pending => "pending",
                Verdict::Blocked => "blocked",
                Verdict::Unusable => "unusable",
                Verdict::Shadowed => "shadowed",
                _ => "rejected",
            };
            let reasons: Vec<&str> = skill.reasons.iter().map(|code| code.id).collect();
            json!({
                "id": skill.id,
                "name": skill.name,
                "verdict": verdict,
                "reasons": reasons,
                "tools": skill.tools,
                "callable": skill.callable,
            })
        })
        .collect();
    json!({
        "skills_found": report.skills.len(),
        "loaded": report.with_verdict(Verdict::Loaded),
        "pending": report.with_verdict(Verdict::Pending),
        "blocked": report.with_verdict(Verdict::Blocked),
        "unusable": report.with_verdict(Verdict::Unusable),
        "rejected": report.with_verdict(Verdict::Rejected),
        "shadowed": report.with_verdict(Verdict::Shadowed),
        "reasons": reasons,
        "tools_declared": report.skills.iter().map(|skill| skill.tools.len()).sum::<usize>(),
        "tools_callable": report.skills.iter().map(|skill| skill.callable).sum::<usize>(),
        "findings": by_code,
        "skills_by_finding": flagged,
        "milliseconds": u64::try_from(milliseconds).unwrap_or(u64::MAX),
        "skills": skills,
    })
}

/// How many skills each safety rule has something to say about.
fn flagged(report: &CheckReport) -> BTreeMap<String, usize> {
    let folders: BTreeSet<&str> = report
        .skills
        .iter()
        .filter_map(|skill| skill.id.split_once(':'))
        .map(|(_, folder)| folder)
        .collect();
    let mut found: BTreeSet<(String, &str)> = BTreeSet::new();
    for finding in &report.findings {
        let diagnostic = &finding.diagnostic;
        let place = diagnostic
            .location()
            .filter(|_| is_safety_code(diagnostic.code));
        let mut folder = place.map_or("", |place| place.file.as_str());
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            if folders.contains(folder) {
                let key = format!("{} {}", diagnostic.code, diagnostic.code.name);
                found.insert((key, folder));
                break;
            }
        }
    }
    let mut counts = BTreeMap::new();
    for (key, _) in found {
        *counts.entry(key).or_default() += 1;
    }
    counts
}
