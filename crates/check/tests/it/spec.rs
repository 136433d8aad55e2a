//! Runs the specification in `fixtures/spec`.
//!
//! Each section of a document is a small tree of files and what is found in it. `findings strict`
//! and `findings lenient` hold every finding, `skills strict` and `skills lenient` every skill with
//! what the loader made of it. The folders `first` and `second`, where there are any, are the roots. A section without `findings strict` expects none. With
//! `UPDATE_SPEC=1` in the environment the expectations are written instead of compared.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use metier_check::{CheckReport, Verdict};
use metier_diagnostics::render::concise;
use metier_loader::{LoadedSkill, ParseMode, Root, RootLabel, scan};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::literate::{Block, Section, checked, folder, sections};

/// The cases of the field list that a static check can answer: classes A to D of the cases that
/// were gathered from public reports, without those that need a running server, a clock or another
/// user. 046 and the raw name of 048 are in `many.rs`.
const FIELD_CASES: usize = 62;

fn documents() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/spec");
    let mut documents: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    documents.sort();
    documents
}

#[test]
fn the_specification_holds() {
    let update = std::env::var_os("UPDATE_SPEC").is_some_and(|value| value == "1");
    let mut wrong = String::new();
    let mut cases = BTreeSet::new();
    for path in documents() {
        let mut document = std::fs::read_to_string(&path).unwrap();
        let mut edits = Vec::new();
        for section in sections(&document) {
            if !section.blocks.iter().any(Block::is_file) {
                continue;
            }
            let mut right = true;
            for (expected, found) in outcomes(&section) {
                if expected.text != found {
                    right = false;
                    writeln!(
                        wrong,
                        "{} / {} / {}\nexpected:\n{}found:\n{found}",
                        path.file_name().unwrap().display(),
                        section.heading,
                        expected.info.join(" "),
                        expected.text
                    )
                    .unwrap();
                    edits.push((expected.span.clone(), found));
                }
            }
            if right {
                cases.extend(case_numbers(&section.heading));
            }
        }
        if update {
            edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
            for (span, text) in edits {
                document.replace_range(span, &text);
            }
            std::fs::write(&path, document).unwrap();
        }
    }
    assert!(update || wrong.is_empty(), "{wrong}");
    cases.extend(crate::many::CASES);
    println!("{} of {FIELD_CASES} field cases are right", cases.len());
    assert!(update || cases.len() >= 62, "{cases:?}");
}

/// `A colon in the description (001, 027)`.
fn case_numbers(heading: &str) -> Vec<u16> {
    let Some((_, numbers)) = heading.rsplit_once('(') else {
        return Vec::new();
    };
    let numbers = numbers.trim_end_matches(')').split(',');
    numbers
        .filter_map(|number| number.trim().parse().ok())
        .collect()
}

fn outcomes(section: &Section) -> Vec<(Block, String)> {
    let folder = folder(&section.blocks);
    let roots: Vec<&str> = ["first", "second"]
        .into_iter()
        .filter(|root| folder.path().join(root).is_dir())
        .collect();
    let mut outcomes = Vec::new();
    let mut expects_findings = false;
    for block in section.blocks.iter().filter(|block| !block.is_file()) {
        let mode = match block.about() {
            "strict" => ParseMode::Strict,
            "lenient" => ParseMode::Lenient,
            _ => continue,
        };
        let report = checked(&folder, &roots, mode);
        let found = match block.kind() {
            "findings" => {
                expects_findings |= mode == ParseMode::Strict;
                findings(&report, &folder)
            }
            "skills" => skills(&report, &folder, &roots, mode),
            _ => continue,
        };
        outcomes.push((block.clone(), found));
    }
    if !expects_findings {
        let report = checked(&folder, &roots, ParseMode::Strict);
        let nothing = Block {
            info: vec!["findings".to_owned(), "strict".to_owned()],
            text: String::new(),
            span: 0..0,
        };
        let found = findings(&report, &folder);
        assert!(found.is_empty(), "{}: {found}", section.heading);
        outcomes.push((nothing, found));
    }
    assert!(!outcomes.is_empty(), "{} expects nothing", section.heading);
    outcomes
}

fn findings(report: &CheckReport, folder: &TempDir) -> String {
    let prefix = format!("{}/", folder.path().display());
    concise(&report.shown()).replace(&prefix, "")
}

fn skills(report: &CheckReport, folder: &TempDir, roots: &[&str], mode: ParseMode) -> String {
    let roots: Vec<Root> = match roots {
        [] => vec![Root::new(RootLabel::Explicit, folder.path())],
        named => named
            .iter()
            .map(|root| Root::new(RootLabel::Explicit, folder.path().join(root)))
            .collect(),
    };
    let scanned = scan(&roots, mode);
    let mut text = String::new();
    for skill in &report.skills {
        let verdict = match skill.verdict {
            Verdict::Loaded => "loaded",
            Verdict::Pending => "pending",
            Verdict::Blocked => "blocked",
            Verdict::Unusable => "unusable",
            Verdict::Shadowed => "shadowed",
            _ => "rejected",
        };
        let mut line = format!("{} {verdict}", skill.name);
        let loaded = scanned
            .skills
            .iter()
            .find(|found| found.id.as_str() == skill.id);
        if let Some(loaded) = loaded {
            write!(line, " {}", Value::Object(told(loaded))).unwrap();
        }
        writeln!(text, "{line}").unwrap();
    }
    text
}

/// What is worth comparing, without what is not written.
fn told(skill: &LoadedSkill) -> Map<String, Value> {
    let metadata = serde_json::to_value(&*skill.metadata).unwrap();
    let mut told = Map::new();
    for key in [
        "description",
        "license",
        "allowed_tools",
        "dcc",
        "version",
        "tags",
        "search_aliases",
        "depends",
    ] {
        let value = &metadata[key];
        let is_default = match value {
            Value::String(text) => {
                text.is_empty()
                    || matches!(
                        (key, text.as_str()),
                        ("dcc", "python") | ("version", "1.0.0")
                    )
            }
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        if !is_default {
            told.insert(key.to_owned(), value.clone());
        }
    }
    let tools: Vec<Value> = skill
        .metadata
        .tools
        .iter()
        .map(|tool| {
            let mut name = tool.name.clone();
            if tool.refusal.is_some() {
                name.push_str(" (refuses)");
            }
            Value::String(name)
        })
        .collect();
    if !tools.is_empty() {
        told.insert("tools".to_owned(), tools.into());
    }
    if let Some(reason) = &skill.not_served {
        told.insert("not_served".to_owned(), reason.clone().into());
    }
    told
}
