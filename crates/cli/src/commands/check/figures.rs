//! What a check counted.

use std::collections::BTreeMap;

use metier::check::{CheckReport, Verdict};
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
        "milliseconds": u64::try_from(milliseconds).unwrap_or(u64::MAX),
        "skills": skills,
    })
}
