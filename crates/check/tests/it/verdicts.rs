//! The check and the loader give the same verdict, over every fixture.

use std::path::{Path, PathBuf};

use metier_catalog::{CatalogSettings, SkillCatalog, ToolRegistry};
use metier_check::{CheckOptions, CheckReport, Verdict, check};
use metier_diagnostics::{Diagnostic, Severity};
use metier_loader::{ParseMode, Root, RootLabel, ScanReport, scan};
use metier_skill_model::SkillStatus;

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
    for mode in [ParseMode::Strict, ParseMode::Lenient] {
        same_as_the_catalog(shown, paths, mode);
    }
    for skill in &report.skills {
        // The loader reads one skill at a time and does not see what others make of it.
        if skill.reasons.iter().any(|code| code.id == "MT504") {
            continue;
        }
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

/// What servers and `metier list` tell of skills is what a check tells, but for the rules that it alone has.
fn same_as_the_catalog(shown: &str, paths: &[PathBuf], mode: ParseMode) {
    let mut settings = CatalogSettings::default();
    settings.parse_mode = mode;
    let catalog = SkillCatalog::new(ToolRegistry::with_settings(settings));
    catalog.discover(paths, None);
    let snapshot = catalog.snapshot();
    let options = match mode {
        ParseMode::Strict => CheckOptions::default(),
        ParseMode::Lenient => CheckOptions::default().lenient(),
    };
    let report = check(paths, &options);
    let checked = report.findings.iter().map(|finding| &finding.diagnostic);
    let told = snapshot.operator_findings();
    let told = told.iter().map(|(_, finding)| *finding);
    assert_eq!(comparable(told), comparable(checked), "{shown} {mode:?}");
    let count = |verdict| {
        let skills = report.skills.iter();
        skills.filter(|skill| skill.verdict == verdict).count()
    };
    let statuses = snapshot.count_by_status();
    let rejected = statuses.get(&SkillStatus::Skipped).copied();
    assert_eq!(
        rejected.unwrap_or_default(),
        count(Verdict::Rejected),
        "{shown} {mode:?}"
    );
    let waiting = statuses.get(&SkillStatus::PendingDeps).copied();
    let is_blocked = count(Verdict::Pending);
    assert!(
        waiting.unwrap_or_default() >= is_blocked,
        "{shown} {mode:?}"
    );
}

/// The findings that both tell, with severity, place and words: none of the rules that only a check has, and none about
/// files that are looked at when a skill is loaded.
fn comparable<'d>(findings: impl Iterator<Item = &'d Diagnostic>) -> Vec<String> {
    let both =
        findings.filter(|finding| finding.code.id < "MT4" || finding.code.id.starts_with("MT5"));
    let mut lines: Vec<String> = both
        .map(|finding| {
            let place = finding.location();
            let place = place.map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
            format!("{} {finding}", place.unwrap_or_default())
        })
        .collect();
    lines.sort();
    lines
}

fn same_verdicts(shown: &str, report: &CheckReport, scanned: &ScanReport) {
    let mut checked: Vec<String> = report
        .skills
        .iter()
        .map(|skill| {
            // The loader reads one skill at a time and does not see what others make of it.
            let by_others = ["MT501", "MT502", "MT503", "MT504"];
            let reasons = &skill.reasons;
            let verdict =
                if !reasons.is_empty() && reasons.iter().all(|code| by_others.contains(&code.id)) {
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

#[test]
fn what_skills_make_of_each_other_is_one_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let skill = |name: &str, more: &str, tools: &str| {
        let place = folder.path().join(name);
        std::fs::create_dir_all(place.join("scripts")).unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: Bakes lights into textures.\n{more}metadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n"
        );
        std::fs::write(place.join("SKILL.md"), text).unwrap();
        std::fs::write(place.join("tools.yaml"), format!("tools:\n{tools}")).unwrap();
        std::fs::write(place.join("scripts/run.py"), "print('{}')\n").unwrap();
    };
    skill("aa", "", "- {name: bb__t}\n");
    skill("bb", "", "- {name: t}\n");
    // Needs one that strict mode rejects, and one that nobody has.
    skill("cc", "", "- {name: t}\n");
    std::fs::create_dir(folder.path().join("cc/metadata")).unwrap();
    std::fs::write(
        folder.path().join("cc/metadata/depends.md"),
        "- bb\n- gone\n",
    )
    .unwrap();
    // Rejected in both modes, and it has needs and a name of another all the same; a circle leads through it.
    skill("dd", "depends: [x]\n", "- {name: bb__t}\n");
    std::fs::create_dir(folder.path().join("dd/metadata")).unwrap();
    std::fs::write(
        folder.path().join("dd/metadata/depends.md"),
        "- gone\n- ee\n",
    )
    .unwrap();
    skill("ee", "", "- {name: t}\n");
    std::fs::create_dir(folder.path().join("ee/metadata")).unwrap();
    std::fs::write(folder.path().join("ee/metadata/depends.md"), "- dd\n").unwrap();
    compare("others", &[folder.path().to_owned()]);

    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let verdicts: Vec<_> = report.skills.iter().map(|skill| skill.verdict).collect();
    let codes = |name: &str| {
        let of_it = report.findings.iter().filter(|finding| {
            let place = finding.diagnostic.location();
            place.is_some_and(|place| place.file.starts_with(name))
        });
        of_it
            .map(|finding| finding.diagnostic.code.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        verdicts,
        [
            Verdict::Loaded,
            Verdict::Rejected,
            Verdict::Pending,
            Verdict::Rejected,
            Verdict::Pending
        ]
    );
    assert!(codes("bb").contains(&"MT504"));
    assert_eq!(codes("cc"), ["MT501", "MT501"]);
    for code in ["MT501", "MT504"] {
        assert!(codes("dd").contains(&code), "{:?}", codes("dd"));
    }
}
