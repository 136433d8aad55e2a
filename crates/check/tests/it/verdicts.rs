//! The check and the loader give the same verdict, over every fixture.

use std::path::{Path, PathBuf};

use metier_check::{CheckOptions, CheckReport, Verdict, check};
use metier_diagnostics::Severity;
use metier_loader::{ParseMode, Root, RootLabel, ScanReport, scan};

use crate::literate::{Block, folder, sections};

/// Errors that only the check finds begin here: they are about more than one skill, or about what a
/// skill means, and no loader rejects for them.
const OF_THE_CHECK: &str = "MT3";
/// One of the loader's beyond them.
const OF_THE_LOADER: &str = "MT505";

fn roots(paths: &[PathBuf]) -> Vec<Root> {
    let roots = paths.iter();
    roots
        .map(|path| Root::new(RootLabel::Explicit, path))
        .collect()
}

fn compare(shown: &str, paths: &[PathBuf]) {
    let strict = scan(&roots(paths), ParseMode::Strict);
    let lenient = scan(&roots(paths), ParseMode::Lenient);
    let report = check(paths, &CheckOptions::default());
    same_verdicts(shown, &report, &strict);
    same_verdicts(
        shown,
        &check(paths, &CheckOptions::default().lenient()),
        &lenient,
    );
    for skill in &report.skills {
        let rejected = skill.verdict == Verdict::Rejected;
        let folder = skill.path.canonicalize().unwrap();
        let has_error = report.findings.iter().any(|finding| {
            let about = &finding.diagnostic;
            let Some(root) = &finding.root else {
                return false;
            };
            about.severity == Severity::Error
                && (about.code.id < OF_THE_CHECK || about.code.id == OF_THE_LOADER)
                && about.location().is_some_and(|place| {
                    let root = root.canonicalize().unwrap_or_default();
                    let file = root.join(&place.file);
                    file.starts_with(&folder)
                        || file
                            .canonicalize()
                            .is_ok_and(|file| file.starts_with(&folder))
                })
        });
        assert_eq!(rejected, has_error, "{shown}: {}", skill.id);
        let is_fine = matches!(skill.verdict, Verdict::Loaded | Verdict::Shadowed);
        assert_eq!(is_fine, skill.reasons.is_empty(), "{shown}: {}", skill.id);
    }
    // What strict mode loads, lenient mode loads, and as the same.
    for skill in &strict.skills {
        // One that strict mode rejects may stand before it in lenient mode.
        let shadowed = lenient.shadowed.iter().map(|shadowed| &shadowed.skill);
        let mut read = lenient.skills.iter().chain(shadowed);
        let known = read.find(|other| other.id == skill.id);
        let known = known.map(|known| (&known.metadata, known.unusable.is_some()));
        assert_eq!(
            known,
            Some((&skill.metadata, false)),
            "{shown}: {}",
            skill.id
        );
    }
}

fn same_verdicts(shown: &str, report: &CheckReport, scanned: &ScanReport) {
    let mut checked: Vec<String> = report
        .skills
        .iter()
        .map(|skill| {
            // The loader reads one skill at a time and does not see what others make of it.
            let by_others = ["MT501", "MT502", "MT503"];
            let reasons = &skill.reasons;
            let verdict = if skill.verdict != Verdict::Rejected
                && !reasons.is_empty()
                && reasons.iter().all(|code| by_others.contains(&code.id))
            {
                Verdict::Loaded
            } else {
                skill.verdict
            };
            format!("{} {verdict:?}", skill.id)
        })
        .collect();
    let loaded = scanned.skills.iter().map(|skill| {
        let verdict = if skill.unusable.is_some() {
            Verdict::Unusable
        } else {
            Verdict::Loaded
        };
        format!("{} {verdict:?}", skill.id)
    });
    let rejected = scanned.rejected.iter();
    let rejected = rejected.map(|skill| format!("{} {:?}", skill.id, Verdict::Rejected));
    let shadowed = scanned.shadowed.iter();
    let shadowed = shadowed.map(|other| format!("{} {:?}", other.skill.id, Verdict::Shadowed));
    let mut found: Vec<String> = loaded.chain(rejected).chain(shadowed).collect();
    checked.sort();
    found.sort();
    assert_eq!(checked, found, "{shown}");
}

#[test]
fn check_and_loader_agree_on_every_fixture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for place in ["../../fixtures/skills/demo", "../../fixtures/skills/seed"] {
        compare(place, &[root.join(place)]);
    }
    for entry in std::fs::read_dir(root.join("../loader/tests/fixtures")).unwrap() {
        let path = entry.unwrap().path();
        compare(&path.display().to_string(), std::slice::from_ref(&path));
    }
    let mut compared = 0;
    for place in ["../../fixtures/spec", "../loader/src/pages", "src/pages"] {
        for entry in std::fs::read_dir(root.join(place)).unwrap() {
            let document = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for section in sections(&document) {
                if !section.blocks.iter().any(Block::is_file) {
                    continue;
                }
                let folder = folder(&section.blocks);
                let named = ["first", "second"].map(|name| folder.path().join(name));
                let named: Vec<PathBuf> = named.into_iter().filter(|path| path.is_dir()).collect();
                let paths = if named.is_empty() {
                    vec![folder.path().to_owned()]
                } else {
                    named
                };
                compare(&section.heading, &paths);
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "{compared}");
}
