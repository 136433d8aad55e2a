//! Nobody is told of a fault without being told what to do about it.

use std::collections::BTreeMap;
use std::path::Path;

use metier_check::{CheckOptions, CheckReport, check};
use metier_diagnostics::Severity;
use metier_loader::ParseMode;

use crate::literate::{Block, checked, folder, sections};

fn note(report: &CheckReport, without: &mut BTreeMap<String, String>) {
    for finding in report.shown() {
        if finding.severity > Severity::Info && finding.help.as_deref().is_none_or(str::is_empty) {
            let known = without.entry(finding.code.id.to_string()).or_default();
            known.clone_from(&finding.message);
        }
    }
}

#[test]
fn every_error_and_every_warning_has_its_cure() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut without = BTreeMap::new();
    let mut documents = 0;
    for folder_of in [
        "../../fixtures/spec",
        "src/pages",
        "../loader/src/pages",
        "../catalog/src/pages",
    ] {
        for entry in std::fs::read_dir(here.join(folder_of)).unwrap() {
            let document = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for section in sections(&document) {
                if !section.blocks.iter().any(Block::is_file) {
                    continue;
                }
                let folder = folder(&section.blocks);
                let roots: Vec<&str> = ["first", "second"]
                    .into_iter()
                    .filter(|root| folder.path().join(root).is_dir())
                    .collect();
                for mode in [ParseMode::Strict, ParseMode::Lenient] {
                    note(&checked(&folder, &roots, mode), &mut without);
                }
                documents += 1;
            }
        }
    }
    assert!(documents > 150, "{documents}");
    for fixtures in ["../../fixtures/skills", "../loader/tests/fixtures"] {
        for entry in std::fs::read_dir(here.join(fixtures)).unwrap() {
            for mode in [ParseMode::Strict, ParseMode::Lenient] {
                let mut options = CheckOptions::default();
                options.mode = mode;
                let path = entry.as_ref().unwrap().path();
                note(&check(&[path], &options), &mut without);
            }
        }
    }
    assert!(without.is_empty(), "without a cure: {without:#?}");
}
