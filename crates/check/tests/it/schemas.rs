//! The JSON Schemas and the check agree: valid is what has no error.

use metier_check::{CheckOptions, check};
use metier_diagnostics::Severity;
use metier_loader::ParseMode;
use metier_tool::CompiledSchema;
use serde_json::Value;

use crate::literate::{checked, folder, sections};

/// Errors that no schema can express, with the reason.
const BEYOND_A_SCHEMA: [(&str, &str); 31] = [
    ("MT101", "the file is empty"),
    ("MT102", "there is no front matter"),
    ("MT103", "there is no end of the front matter"),
    ("MT106", "bytes"),
    ("MT107", "a size in bytes"),
    ("MT108", "no YAML"),
    ("MT109", "a reader into JSON keeps one of two keys"),
    ("MT110", "a reader resolves merge keys"),
    ("MT111", "a reader drops tags"),
    ("MT112", "a reader expands aliases"),
    ("MT113", "documents"),
    ("MT116", "the name of the file"),
    ("MT118", "no YAML as it stands"),
    ("MT139", "needs the skill's own name"),
    ("MT140", "another file"),
    ("MT158", "the file system"),
    ("MT159", "the file system"),
    ("MT202", "another file"),
    ("MT203", "another file"),
    ("MT204", "another file"),
    ("MT205", "another file"),
    ("MT206", "another file"),
    ("MT207", "no YAML"),
    ("MT208", "documents"),
    ("MT210", "two keys, or two spellings of one"),
    ("MT211", "a reader resolves merge keys"),
    ("MT212", "a reader drops tags"),
    ("MT213", "a reader expands aliases"),
    ("MT222", "names are compared after they are mapped"),
    ("MT230", "another file"),
    ("MT231", "another file"),
];

/// Errors about other skills, or about schemas inside the file.
const OF_OTHERS: [&str; 5] = ["MT501", "MT502", "MT504", "MT505", "MT228"];

fn compiled(schema: Value) -> CompiledSchema {
    let mut schema = schema.as_object().unwrap().clone();
    schema.remove("$id");
    let (schema, notes) = CompiledSchema::compile(&schema).unwrap();
    assert_eq!(notes, []);
    schema
}

/// A SKILL.md or a tools file with the codes of its errors.
struct Sample {
    shown: String,
    file: String,
    text: String,
    errors: Vec<&'static str>,
}

fn samples() -> Vec<Sample> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = Vec::new();
    let mut take = |origin: &str, report: &metier_check::CheckReport| {
        for skill in &report.skills {
            for file in ["SKILL.md", "tools.yaml"] {
                let Ok(text) = std::fs::read_to_string(skill.path.join(file)) else {
                    continue;
                };
                let end = if skill.path.file_name().is_some() {
                    format!(
                        "{}/{file}",
                        skill.path.file_name().unwrap().to_string_lossy()
                    )
                } else {
                    file.to_owned()
                };
                let errors = report
                    .findings
                    .iter()
                    .map(|finding| &finding.diagnostic)
                    .filter(|found| found.severity == Severity::Error)
                    .filter(|found| {
                        found.location().is_some_and(|place| {
                            place.file == end || place.file.ends_with(&format!("/{end}"))
                        })
                    })
                    .map(|found| found.code.id)
                    .collect();
                samples.push(Sample {
                    shown: format!("{origin}: {} {file}", skill.id),
                    file: file.to_owned(),
                    text,
                    errors,
                });
            }
        }
    };
    for place in ["../loader/tests/fixtures", "../../fixtures/skills"] {
        take(place, &check(&[root.join(place)], &CheckOptions::default()));
    }
    for place in [
        "../../fixtures/spec",
        "../loader/src/pages",
        "../catalog/src/pages",
        "src/pages",
    ] {
        let mut paths: Vec<_> = std::fs::read_dir(root.join(place))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            for section in sections(&std::fs::read_to_string(&path).unwrap()) {
                let folder = folder(&section.blocks);
                let report = checked(&folder, &[], ParseMode::Strict);
                take(&format!("{name} {}", section.heading), &report);
            }
        }
    }
    samples
}

/// The front matter of a SKILL.md, the whole of anything else.
fn yaml<'t>(file: &str, text: &'t str) -> Option<&'t str> {
    let text = text
        .trim_start_matches('\u{FEFF}')
        .trim_start_matches(['\n', '\r']);
    if file != "SKILL.md" {
        return Some(text);
    }
    let rest = text.strip_prefix("---")?;
    let end = rest.find("\n---").map_or(rest.len(), |at| at + 1);
    rest.get(..end)
}

#[test]
fn valid_is_what_has_no_error() {
    let skill = compiled(metier_loader::format::skill_schema());
    let tools = compiled(metier_loader::format::tools_schema());
    let mut wrong = Vec::new();
    let mut compared = 0;
    for sample in samples() {
        let beyond = |code: &&str| {
            BEYOND_A_SCHEMA.iter().any(|(known, _)| known == code) || OF_OTHERS.contains(code)
        };
        if sample.errors.iter().any(beyond) {
            continue;
        }
        let Some(text) = yaml(&sample.file, &sample.text) else {
            continue;
        };
        let value: Result<Value, _> = serde_yaml::from_str(text);
        let Ok(value) = value else {
            if sample.errors.is_empty() {
                wrong.push(format!("{}: no YAML and no error", sample.shown));
            }
            continue;
        };
        compared += 1;
        let schema = if sample.file == "SKILL.md" {
            &skill
        } else {
            &tools
        };
        match (schema.validate(&value), sample.errors.is_empty()) {
            (Ok(()), true) | (Err(_), false) => {}
            (Ok(()), false) => {
                wrong.push(format!("{}: valid, but {:?}", sample.shown, sample.errors))
            }
            (Err(faults), true) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                wrong.push(format!(
                    "{}: no error, but {}",
                    sample.shown,
                    faults.join("; ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 250, "{compared}");
}

#[test]
fn the_schemas_are_the_ones_that_are_checked_in() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for (name, schema) in [
        (
            "skill-frontmatter.json",
            metier_loader::format::skill_schema(),
        ),
        ("tools.json", metier_loader::format::tools_schema()),
    ] {
        let text = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        assert_eq!(
            text,
            format!("{schema:#}\n"),
            "{name}: run `cargo xtask gen`"
        );
    }
}
