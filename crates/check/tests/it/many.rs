//! Many skills, and names that no document can hold.

use metier_check::{CheckOptions, Verdict, check};
use metier_diagnostics::Severity;

/// The field cases that are answered here.
pub(crate) const CASES: [u16; 1] = [46];

#[test]
fn thousands_of_skills_give_one_line_each_at_most() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..5000 {
        let skill = folder.path().join(format!("skill-{number:04}"));
        std::fs::create_dir(&skill).unwrap();
        let text =
            format!("---\nname: skill-{number:04}\ndescription: Does task {number}.\n---\nText.\n");
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    assert_eq!(report.with_verdict(Verdict::Loaded), 5000);
    assert!(report.findings.is_empty());
    assert!(report.skills.is_sorted_by_key(|skill| skill.name.clone()));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_text_is_told_with_escapes() {
    use std::os::unix::ffi::OsStringExt;

    let folder = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsString::from_vec(b"odd-\xFF".to_vec());
    let skill = folder.path().join(odd);
    // Some file systems refuse such names, and then there is nothing to tell.
    if std::fs::create_dir(&skill).is_err() {
        return;
    }
    std::fs::write(
        skill.join("SKILL.md"),
        "---\nname: odd\ndescription: Odd.\n---\n",
    )
    .unwrap();
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let finding = &report.findings[0].diagnostic;
    assert_eq!(finding.code.id, "MT156");
    assert!(finding.message.contains("odd-\\xff"), "{finding}");
    assert!(report.skills.is_empty());
}

#[test]
fn a_fault_of_one_skill_leaves_the_findings_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let skill = folder.path().join(name);
        std::fs::create_dir_all(&skill).unwrap();
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    };
    write("a", "---\nname: [a\n---\n");
    write(
        "b",
        "---\nname: b\nmetadata: {dcc-mcp: {depends: [a, nobody]}}\n---\n[x](gone.md)\n",
    );
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let codes: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| finding.diagnostic.code.id)
        .collect();
    // The rejected b is read again, so that its link and its dependencies are told as well.
    assert_eq!(codes, ["MT108", "MT124", "MT501", "MT501", "MT604"]);
    assert_eq!(report.with_severity(Severity::Error), 4);
    let rejected = report
        .findings
        .iter()
        .find(|finding| finding.diagnostic.message.contains("which is rejected"));
    assert!(rejected.is_some(), "{codes:?}");
}
