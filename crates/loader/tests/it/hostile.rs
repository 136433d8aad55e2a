//! Whatever the bytes: no panic, places that fit the text, and strict within lenient.

use metier_diagnostics::{Diagnostic, LineIndex};
use metier_loader::{ParseMode, parse_skill_dir};
use proptest::prelude::*;

use crate::folder::Folder;

fn read_both(skill_file: &[u8], tools_file: &[u8]) {
    let folder = Folder::new();
    folder
        .write("bake/SKILL.md", skill_file)
        .write("bake/tools.yaml", tools_file)
        .write("bake/scripts/run.py", "");
    let lenient = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient);
    let strict = parse_skill_dir(&folder.at("bake"), ParseMode::Strict);
    for result in [&lenient, &strict] {
        let findings = match result {
            Ok(skill) => &skill.diagnostics,
            Err(rejected) => &rejected.diagnostics,
        };
        for finding in findings {
            check_places(finding, skill_file, tools_file);
        }
    }
    match (&lenient, &strict) {
        (_, Err(rejected)) => assert!(metier_diagnostics::has_errors(&rejected.diagnostics)),
        (Ok(lenient), Ok(strict)) => assert_eq!(lenient.metadata, strict.metadata),
        (Err(rejected), Ok(_)) => panic!("strict accepts what lenient rejects: {rejected}"),
    }
}

fn check_places(finding: &Diagnostic, skill_file: &[u8], tools_file: &[u8]) {
    for label in &finding.labels {
        let place = &label.location;
        let bytes = if place.file.ends_with("tools.yaml") {
            tools_file
        } else {
            skill_file
        };
        // Only the part that was read as text has places.
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
        };
        assert!(
            valid.get(place.span.clone()).is_some(),
            "{finding}: {:?}",
            place.span
        );
        if !place.span.is_empty() {
            let position = LineIndex::new(valid).position(place.span.start);
            assert_eq!(position, (place.line, place.column), "{finding}");
        }
    }
}

/// Pieces of YAML in an order nobody would choose.
fn yaml_soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("name: bake\n".to_owned()),
        Just("description: ".to_owned()),
        Just("metadata:\n  dcc-mcp:\n    tools: tools.yaml\n".to_owned()),
        Just("tools:\n".to_owned()),
        Just("- name: 烘焙\n  ".to_owned()),
        Just("  input_schema: {type: object}\n".to_owned()),
        Just("groups: [a]\n".to_owned()),
        Just("&a ".to_owned()),
        Just("*a ".to_owned()),
        Just("<<: *a\n".to_owned()),
        Just("!!x ".to_owned()),
        Just("---\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\t".to_owned()),
        Just("|2-\n   ".to_owned()),
        Just("\u{FEFF}".to_owned()),
        Just("? [a]\n: b\n".to_owned()),
        "[\\[\\]{},:#'\"%@`&*!|>-]{1,4}",
        "\\PC{0,12}",
        "[ \n]{1,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(skill_file in prop::collection::vec(any::<u8>(), 0..300), tools_file in prop::collection::vec(any::<u8>(), 0..300)) {
        read_both(&skill_file, &tools_file);
        let front = [b"---\n", &skill_file[..], b"\n---\n"].concat();
        read_both(&front, &tools_file);
    }

    #[test]
    fn any_front_matter(text in yaml_soup()) {
        read_both(format!("---\n{text}\n---\nbody").as_bytes(), b"tools: [run]\n");
    }

    #[test]
    fn any_tools_file(text in yaml_soup()) {
        let front = "---\nname: bake\ndescription: x\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n";
        read_both(front.as_bytes(), text.as_bytes());
    }
}

/// A key that is a mapping, whose key is a mapping, and so on: text made of it would double with every level.
#[test]
fn keys_in_keys_end_at_once_and_cost_no_neighbour() {
    let marks = "? ".repeat(50);
    let flow = format!("{}a: b{}", "{? ".repeat(50), "}: b".repeat(50));
    let flow = flow.strip_suffix(": b").unwrap();
    let front = |more: &str| format!("---\nname: bad\ndescription: x\n{more}---\n");
    let named = front("metadata: {dcc-mcp: {tools: tools.yaml}}\n");
    for (skill_file, tools_file, code) in [
        (
            front(&format!(
                "metadata:\n  dcc-mcp:\n    {marks}tools: tools.yaml\n"
            )),
            String::new(),
            "MT108",
        ),
        (
            front(&format!("metadata:\n  x: {flow}\n")),
            String::new(),
            "MT108",
        ),
        (
            named.clone(),
            format!("tools:\n- name: a\n- name: b\n  produces:\n    {marks}x\n"),
            "MT207",
        ),
        (
            named.clone(),
            format!("tools:\n- name: a\n- name: b\n  produces: {flow}\n"),
            "MT207",
        ),
        (
            named,
            format!("tools:\n- name: a\n- name: b\n  input_schema: {flow}\n"),
            "MT207",
        ),
    ] {
        let folder = Folder::new();
        folder
            .write("bad/SKILL.md", &skill_file)
            .write("bad/tools.yaml", &tools_file)
            .write("good/SKILL.md", "---\nname: good\ndescription: x\n---\n");
        let report = folder.scan(&[""], ParseMode::Lenient);
        let names: Vec<_> = report
            .skills
            .iter()
            .map(|skill| skill.metadata.name.as_str())
            .collect();
        assert!(names.contains(&"good"), "{names:?}");
        let found = if let Some(rejected) = report.rejected.first() {
            &rejected.diagnostics
        } else {
            // The entry that is good is there.
            assert_eq!(report.skills[0].metadata.tools.len(), 1);
            &report.skills[0].diagnostics
        };
        let told: Vec<_> = found
            .iter()
            .filter(|finding| finding.message.contains("a key must be"))
            .collect();
        assert_eq!(told.len(), 1, "{found:?}");
        assert_eq!(told[0].code.id, code);
        assert!(told[0].help.is_some());
    }
}
