//! The JSON Schemas and the check agree: valid is what has no error.

use std::path::{Path, PathBuf};

use metier_check::{CheckOptions, check};
use metier_diagnostics::Severity;
use metier_loader::ParseMode;
use metier_tool::CompiledSchema;
use serde_json::Value;

use crate::literate::{checked, folder, sections};

/// Errors that no schema can express, with the reason.
const BEYOND_A_SCHEMA: [(&str, &str); 24] = [
    ("MT101", "the file is empty"),
    ("MT102", "there is no front matter"),
    ("MT103", "there is no end of the front matter"),
    ("MT107", "a size in bytes"),
    ("MT108", "no YAML"),
    ("MT109", "a reader into JSON keeps one of two keys"),
    ("MT110", "a reader resolves merge keys"),
    ("MT111", "a reader drops tags"),
    ("MT112", "a reader expands aliases"),
    ("MT113", "documents"),
    ("MT118", "no YAML as it stands"),
    ("MT139", "needs the skill's own name"),
    ("MT202", "another file"),
    ("MT204", "another file"),
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

/// Errors about something else than the shape of the file, with the reason.
const OF_OTHERS: [(&str, &str); 5] = [
    ("MT228", "a schema inside the file"),
    ("MT501", "another skill"),
    ("MT502", "other skills"),
    ("MT504", "another skill's tools"),
    ("MT505", "a schema inside the file"),
];

/// Whether the error is one that the schema of the file cannot express.
pub(crate) fn is_exception(code: &str) -> bool {
    let mut exceptions = BEYOND_A_SCHEMA.iter().chain(&OF_OTHERS);
    exceptions.any(|(known, _)| *known == code)
}

/// Fixtures that no check reads as a skill, with the reason.
const NOT_READ: [(&str, &str); 5] = [
    (
        "../loader/tests/fixtures/layout/.hidden/secret/SKILL.md",
        "a hidden folder",
    ),
    (
        "../loader/tests/fixtures/layout/a/b/c/d/e/f/too-deep/SKILL.md",
        "below the deepest level",
    ),
    (
        "../loader/tests/fixtures/layout/group/inner/examples/nested/SKILL.md",
        "inside another skill",
    ),
    (
        "../loader/tests/fixtures/layout/lower-case/skill.md",
        "another spelling of the file's name, which no schema sees",
    ),
    (
        "../loader/tests/fixtures/layout/node_modules/pkg/SKILL.md",
        "a folder of packages",
    ),
];

/// Folders of skills as files, each a root; the specification and the pages hold the rest.
const PLACES: [&str; 7] = [
    "../loader/tests/fixtures/depends",
    "../loader/tests/fixtures/front-matter",
    "../loader/tests/fixtures/layout",
    "../loader/tests/fixtures/tools",
    "../loader/tests/fixtures/yaml-faults",
    "../../fixtures/skills/demo",
    "../../fixtures/skills/seed",
];
/// What holds those folders, and nothing else.
const HOLDERS: [&str; 2] = ["../loader/tests/fixtures", "../../fixtures/skills"];
const FILES: [&str; 2] = ["SKILL.md", "tools.yaml"];

pub(crate) fn compiled(schema: Value) -> CompiledSchema {
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut samples = Vec::new();
    let mut take = |origin: &str, report: &metier_check::CheckReport| {
        for skill in &report.skills {
            for file in FILES {
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
    for place in PLACES {
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

/// That parser makes no value of an integer beyond 64 bits, which is a number like any other to a schema.
fn without_long_numbers(text: &str) -> String {
    let mut short = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        short.push_str(if digits.len() < 20 { &digits } else { "1e30" });
        digits.clear();
        short.push(c);
    }
    short
}

#[test]
fn valid_is_what_has_no_error() {
    let skill = compiled(metier_loader::format::skill_schema());
    let tools = compiled(metier_loader::format::tools_schema());
    let mut wrong = Vec::new();
    let mut compared = 0;
    for sample in samples() {
        if sample.errors.iter().any(|code| is_exception(code)) {
            continue;
        }
        let Some(text) = yaml(&sample.file, &sample.text) else {
            continue;
        };
        // What a program wrote as JSON may spell characters in a way that YAML does not know.
        let value = serde_yaml::from_str::<Value>(text)
            .or_else(|error| serde_json::from_str(text).map_err(|_| error))
            .or_else(|error| serde_yaml::from_str(&without_long_numbers(text)).map_err(|_| error));
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
                wrong.push(format!("{}: valid, but {:?}", sample.shown, sample.errors));
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

/// Every file of this name below a folder.
pub(crate) fn files_named(folder: &Path, names: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_named(&path, names, found);
        } else if let Some(name) = path.file_name()
            && names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted))
        {
            found.push(path);
        }
    }
}

#[test]
fn every_fixture_is_fed_to_both() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut unread = Vec::new();
    let held = HOLDERS.iter().flat_map(|holder| {
        let entries = std::fs::read_dir(root.join(holder)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    let held: Vec<PathBuf> = held.map(|path| path.canonicalize().unwrap()).collect();
    let places = PLACES.map(|place| root.join(place).canonicalize().unwrap());
    assert_eq!(held.len(), places.len());
    assert!(held.iter().all(|path| places.contains(path)), "{held:?}");
    for place in PLACES {
        let folder = root.join(place).canonicalize().unwrap();
        let report = check(&[root.join(place)], &CheckOptions::default());
        let mut files = Vec::new();
        files_named(&folder, &["SKILL.md", "tools.yaml"], &mut files);
        files.retain(|file| {
            let read = report.skills.iter().any(|skill| {
                let folder = skill.path.canonicalize().unwrap();
                FILES.iter().any(|name| *file == folder.join(name))
            });
            !read
        });
        for file in files {
            let below = file.strip_prefix(&folder).unwrap();
            unread.push(format!("{place}/{}", below.display()));
        }
    }
    unread.sort();
    let named: Vec<String> = NOT_READ
        .iter()
        .map(|(path, _)| (*path).to_owned())
        .collect();
    assert_eq!(unread, named);
}

#[test]
fn no_exception_is_idle() {
    let shown: Vec<&str> = samples()
        .iter()
        .flat_map(|sample| sample.errors.clone())
        .collect();
    let idle: Vec<&str> = BEYOND_A_SCHEMA
        .iter()
        .chain(&OF_OTHERS)
        .map(|(code, _)| *code)
        .filter(|code| !shown.contains(code))
        .collect();
    assert_eq!(idle, Vec::<&str>::new(), "no fixture shows these");
}

#[test]
fn the_schemas_are_the_ones_that_are_checked_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    for (name, schema) in [
        (
            "skill-frontmatter.json",
            metier_loader::format::skill_schema(),
        ),
        ("tools.json", metier_loader::format::tools_schema()),
        ("prompts.json", metier_loader::format::prompts_schema()),
    ] {
        let text = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        assert_eq!(
            text,
            format!("{schema:#}\n"),
            "{name}: run `cargo xtask gen`"
        );
    }
}
