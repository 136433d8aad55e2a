//! The JSON Schema of a prompts file and its reader agree: valid is what is read without a fault.

use std::path::Path;

use metier_loader::format::prompts_schema;
use metier_loader::read_prompts;
use serde_json::Value;

use crate::literate::{folder, sections};
use crate::schemas::{compiled, files_named};

/// What one prompt may look like, and what it may not.
const ENTRIES: [&str; 22] = [
    "{name: a, template: t}",
    "{name: a, template: t, description: d, unknown: 1}",
    "{name: a, template: t, arguments: []}",
    "{name: a, template: t, arguments: [what, {name: how}, {name: why, description: d, required: true}]}",
    "{name: a}",
    "{template: t}",
    "{name: ' ', template: t}",
    "{name: a, template: ''}",
    "{name: null, template: t}",
    "{name: 5, template: t}",
    "{name: a, template: 1.10}",
    "{name: a, template: [t]}",
    "{name: a, template: t, description: null}",
    "{name: a, template: t, description: {}}",
    "{name: a, template: t, arguments: what}",
    "{name: a, template: t, arguments: [5]}",
    "{name: a, template: t, arguments: ['']}",
    "{name: a, template: t, arguments: [{required: true}]}",
    "{name: a, template: t, arguments: [{name: ' '}]}",
    "{name: a, template: t, arguments: [{name: how, required: 'yes'}]}",
    "a",
    "null",
];
/// What a whole file may look like.
const FILES: [&str; 8] = [
    "prompts: []\n",
    "prompts: []\nmore: 1\n",
    "prompts:\n",
    "prompts: {}\n",
    "prompts: text\n",
    "prompt: []\n",
    "[]\n",
    "text\n",
];

/// Prompts files of the demo skills, the specification and the pages.
fn fixtures() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    let mut take = |folder: &Path| {
        let mut files = Vec::new();
        files_named(folder, &["prompts.yaml"], &mut files);
        texts.extend(
            files
                .iter()
                .map(|file| std::fs::read_to_string(file).unwrap()),
        );
    };
    take(&root.join("../../fixtures/skills"));
    for place in ["../../fixtures/spec", "../loader/src/pages"] {
        for entry in std::fs::read_dir(root.join(place)).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for section in sections(&text) {
                // Others hold links that lead in a circle.
                let mut blocks = section.blocks.iter();
                if blocks.any(|block| block.info.iter().any(|word| word.ends_with("prompts.yaml")))
                {
                    take(folder(&section.blocks).path());
                }
            }
        }
    }
    texts
}

#[test]
fn valid_is_what_is_read_without_a_fault() {
    let schema = compiled(prompts_schema());
    let entries = ENTRIES.map(|entry| format!("prompts:\n- {entry}\n"));
    let files = FILES.map(ToOwned::to_owned);
    let fixtures = fixtures();
    assert!(fixtures.len() >= 3, "{fixtures:?}");
    let (mut valid, mut invalid) = (0, 0);
    for text in entries.into_iter().chain(files).chain(fixtures) {
        let read = read_prompts(&["prompts.yaml".to_owned()], |_| {
            Ok(text.clone().into_bytes())
        });
        let Ok(value) = serde_yaml::from_str::<Value>(&text) else {
            assert!(!read.faults.is_empty(), "{text}");
            continue;
        };
        let is_valid = schema.validate(&value).is_ok();
        assert_eq!(is_valid, read.faults.is_empty(), "{text}{:?}", read.faults);
        // No word of a fault is one of the program's own.
        let told = read.faults.join("\n");
        for word in ["enum", "Entry", "struct", "variant"] {
            assert!(!told.contains(word), "{told}");
        }
        *(if is_valid { &mut valid } else { &mut invalid }) += 1;
    }
    assert!(valid >= 8 && invalid >= 20, "{valid} {invalid}");
}
