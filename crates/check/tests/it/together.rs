//! One fault never hides another: what is told of each alone is told of all of them together, as long as
//! the front matter can be read.

use std::collections::BTreeSet;

use metier_check::{CheckOptions, check};

/// Where a fault is written.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Front,
    OurKeys,
    Body,
    Tools,
    Groups,
}

const FAULTS: [(Part, &str, &str); 26] = [
    (Part::Front, "MT135", "license: [x]"),
    (Part::Front, "MT131", "colour: red"),
    (Part::Front, "MT130", "tags: [a]"),
    (Part::Front, "MT108", "compatibility: C: x"),
    (Part::Front, "MT108", "argument-hint: [a"),
    (Part::OurKeys, "MT135", "version: {a: 1}"),
    (Part::OurKeys, "MT134", "colour: 1"),
    (Part::OurKeys, "MT501", "depends: [gone]"),
    (Part::OurKeys, "MT202", "groups: lost.yaml"),
    (Part::Body, "MT604", "[x](gone.md)"),
    (Part::Body, "MT605", "[x](../../gone.md)"),
    (Part::Tools, "MT220", "- 5"),
    (Part::Tools, "MT221", "- {description: nameless}"),
    (Part::Tools, "MT222", "- twin\n- twin"),
    (Part::Tools, "MT225", "- {name: key, colour: red}"),
    (Part::Tools, "MT227", "- {name: flag, destructive: maybe}"),
    (Part::Tools, "MT228", "- {name: list, input_schema: [x]}"),
    (
        Part::Tools,
        "MT230",
        "- {name: lost, source_file: scripts/gone.py}",
    ),
    (Part::Tools, "MT231", "- {name: out, source_file: ../x.py}"),
    (
        Part::Tools,
        "MT210",
        "- {name: doubled, title: a, title: b}",
    ),
    (Part::Tools, "MT212", "- {name: tagged, title: !!x a}"),
    (Part::Tools, "MT236", "- {name: homeless, group: nobody}"),
    (
        Part::Tools,
        "MT505",
        "- {name: bad, input_schema: {type: object, properties: {a: {type: 5}}}}",
    ),
    (
        Part::Tools,
        "MT609",
        "- {name: slip, input_schema: {type: object, propertis: {}}}",
    ),
    (
        Part::Tools,
        "MT603",
        "- {name: next, next-tools: {on-success: [nowhere]}}",
    ),
    (Part::Groups, "MT236", "- {name: lights, tools: [nobody]}"),
];

/// The codes that are told of a skill with these faults.
fn told(faults: &[(Part, &str, &str)]) -> BTreeSet<&'static str> {
    let of = |part: Part, indent: &str| -> String {
        let faults = faults.iter().filter(|(at, ..)| *at == part);
        let lines = faults.flat_map(|(_, _, text)| text.lines());
        lines.map(|line| format!("{indent}{line}\n")).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("a");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    let front = format!(
        "---\nname: a\ndescription: d\n{}metadata:\n  dcc-mcp:\n    tools: tools.yaml\n{}---\n{}",
        of(Part::Front, ""),
        of(Part::OurKeys, "    "),
        of(Part::Body, "")
    );
    std::fs::write(skill.join("SKILL.md"), front).unwrap();
    let tools = format!(
        "tools:\n- {{name: run, source_file: scripts/run.py}}\n{}groups:\n- {{name: scenes, tools: [run]}}\n{}",
        of(Part::Tools, ""),
        of(Part::Groups, "")
    );
    std::fs::write(skill.join("tools.yaml"), tools).unwrap();
    std::fs::write(skill.join("scripts/run.py"), "").unwrap();
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let findings = report.findings.iter();
    findings.map(|finding| finding.diagnostic.code.id).collect()
}

#[test]
fn one_fault_never_hides_another() {
    assert_eq!(told(&[]), BTreeSet::new());
    let all: BTreeSet<&str> = FAULTS.iter().map(|(_, code, _)| *code).collect();
    for fault in FAULTS {
        let found = told(&[fault]);
        assert!(
            found.contains(fault.1),
            "{fault:?}: {found:?}",
            fault = fault.2
        );
        // Whatever is missing, the others are all told.
        let others: Vec<_> = FAULTS
            .into_iter()
            .filter(|other| other.2 != fault.2)
            .collect();
        let found = told(&others);
        let wanted = others.iter().map(|(_, code, _)| *code).collect();
        assert!(
            found.is_superset(&wanted),
            "without {}: {:?}",
            fault.2,
            wanted.difference(&found)
        );
    }
    let found = told(&FAULTS);
    assert!(found.is_superset(&all), "{:?}", all.difference(&found));
}

/// `LINE:CODE` of what is told of a SKILL.md beside a tools file with a fault.
fn lines_told(front: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("a");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    let text = format!("---\n{front}---\nBody\n");
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    let tools = "tools:\n- {name: run, source_file: scripts/run.py}\n- 5\n";
    std::fs::write(skill.join("tools.yaml"), tools).unwrap();
    std::fs::write(skill.join("scripts/run.py"), "").unwrap();
    let report = check(&[folder.path().to_owned()], &CheckOptions::default());
    let findings = report.findings.iter().map(|finding| {
        let place = finding.diagnostic.location().unwrap();
        let file = place.file.rsplit('/').next().unwrap();
        let file = if file == "SKILL.md" { "" } else { "tools:" };
        format!("{file}{}:{}", place.line, finding.diagnostic.code.id)
    });
    findings.collect()
}

#[test]
fn one_broken_line_hides_no_other() {
    let named = "metadata: {dcc-mcp: {tools: tools.yaml}}\n";
    for (front, expected) in [
        (
            format!("name: Aa_A\nlicense: L: x\ndescription: d\ndcc: [x]\n{named}"),
            "2:MT121 2:MT123 3:MT108 5:MT130 tools:3:MT220",
        ),
        (
            format!("name: a\ndescription: a: b\nlicense: L: x\n{named}"),
            "3:MT118 4:MT108 tools:3:MT220",
        ),
        // What is only broken is not missing.
        (
            format!("name: [a\ndescription: \"d\n{named}"),
            "2:MT108 3:MT108 tools:3:MT220",
        ),
        // Where the tools are named cannot be told.
        (
            "name: a\nlicense: [x]\nmetadata: {dcc-mcp: {tools: tools.yaml\n".to_owned(),
            "2:MT124 3:MT135 4:MT108",
        ),
        (
            "name: a\ndescription: d\nmetdata: {dcc-mcp: {tools: tools.yaml\n".to_owned(),
            "4:MT108",
        ),
    ] {
        assert_eq!(lines_told(&front).join(" "), expected, "{front}");
    }
}
