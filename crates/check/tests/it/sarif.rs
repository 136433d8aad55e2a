//! SARIF is valid against the official schema.
//!
//! `fixtures/sarif-schema-2.1.0.json` is the schema of the OASIS committee with descriptions and
//! defaults taken out.

use metier_check::{CheckOptions, check};
use metier_diagnostics::render::{SarifRun, sarif};
use metier_loader::ParseMode;
use metier_tool::CompiledSchema;
use serde_json::Value;

use crate::literate::{checked, folder, sections};

#[test]
fn a_log_of_real_findings_is_valid() {
    let schema: Value =
        serde_json::from_str(include_str!("../fixtures/sarif-schema-2.1.0.json")).unwrap();
    let mut schema = schema.as_object().unwrap().clone();
    // The keywords it uses mean the same in the dialect that is compiled here.
    schema.remove("$schema");
    schema.remove("$id");
    let (schema, notes) = CompiledSchema::compile(&schema).unwrap();
    assert_eq!(notes, []);

    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    // Besides places in lines: a finding about a file as a whole, one without any place, and one about
    // bytes that are no text.
    let odd = tempfile::tempdir().unwrap();
    std::fs::create_dir(odd.path().join("a b%c")).unwrap();
    std::fs::write(odd.path().join("a b%c/SKILL.md"), b"---\nname: \xE9\n---\n").unwrap();
    let places = [
        here.join("../loader/tests/fixtures"),
        here.join("no-such-folder"),
        odd.path().to_owned(),
    ];
    let mut shown = check(&places, &CheckOptions::default()).shown();
    assert!(shown.iter().any(|about| about.location().is_none()));
    let mut documents: Vec<_> = std::fs::read_dir(here.join("../../fixtures/spec"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    documents.sort();
    for document in documents {
        for section in sections(&std::fs::read_to_string(document).unwrap()) {
            let folder = folder(&section.blocks);
            shown.extend(checked(&folder, &[], ParseMode::Strict).shown());
        }
    }
    assert!(shown.len() > 200, "{}", shown.len());
    let run = SarifRun {
        tool: "metier",
        version: "0.0.0",
    };
    let source = |file: &str| std::fs::read_to_string(file).ok();
    let mut log: Value = serde_json::from_str(&sarif(&shown, run, &source)).unwrap();
    assert_eq!(schema.validate(&log), Ok(()));
    // The schema can tell: a log without a version is none.
    log.as_object_mut().unwrap().remove("version");
    assert!(schema.validate(&log).is_err());
}
