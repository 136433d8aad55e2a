//! SARIF is valid against the official schema.
//!
//! `fixtures/sarif-schema-2.1.0.json` is the schema of the OASIS committee with descriptions and
//! defaults taken out.

use metier_check::{CheckOptions, check};
use metier_diagnostics::render::{SarifRun, sarif};
use metier_tool::CompiledSchema;
use serde_json::Value;

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

    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../loader/tests/fixtures");
    let report = check(&[folder.clone()], &CheckOptions::default());
    let shown = report.shown();
    assert!(shown.len() > 50, "{}", shown.len());
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
