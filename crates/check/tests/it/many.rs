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
    let shown = report.findings[0].shown().location().unwrap().to_string();
    assert!(
        shown.starts_with(folder.path().to_str().unwrap()),
        "{shown}"
    );
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

/// One file is told of a hundred times, whoever finds what: the loader, what skills find of each other.
#[test]
fn findings_about_dependencies_keep_the_limit_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, depends: &str| {
        let skill = folder.path().join(name);
        std::fs::create_dir_all(&skill).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: d\nmetadata:\n  dcc-mcp:\n    depends: [{depends}]\n---\n"
        );
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    };
    let names: Vec<String> = (0..3000).map(|number| format!("d{number}")).collect();
    write("plain", &names.join(", "));
    let versions: Vec<String> = names.iter().map(|name| format!("{name}>=1")).collect();
    write("versions", &versions.join(", "));
    write("needs-plain", "plain");
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let of = |file: &str| {
        let findings = report.findings.iter().map(|finding| &finding.diagnostic);
        findings
            .filter(|about| about.location().is_some_and(|place| place.file == file))
            .collect::<Vec<_>>()
    };
    for (file, rest) in [
        (
            "plain/SKILL.md",
            "2900 further findings about this file left out: 2900 errors",
        ),
        (
            "versions/SKILL.md",
            "5900 further findings about this file left out: 2900 errors, 3000 warnings",
        ),
    ] {
        let told = of(file);
        assert_eq!(told.len(), 101, "{file}");
        let missing = told.iter().filter(|about| about.code.id == "MT501");
        assert_eq!(missing.count(), 100, "{file}");
        let counted = told.iter().find(|about| about.code.id == "MT163").unwrap();
        assert_eq!(counted.message, rest, "{file}");
    }
    assert!(of("needs-plain/SKILL.md").is_empty());
}
