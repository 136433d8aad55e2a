//! The three forms, as snapshots.

use metier_diagnostics::render::{SarifRun, concise, full, github, json_lines, junit, sarif};
use metier_diagnostics::{Code, Diagnostic, LineIndex, Location};

const DUPLICATE: Code = Code::new("MT105", "duplicate-key", "A key stands twice.");
const FOLDER: Code = Code::new("MT130", "unreadable", "A folder cannot be read.");
const TEXT: &str = "---\nname: bake\ndescription: 烘焙灯光\ndescription: two\n---\n";

fn findings() -> Vec<Diagnostic> {
    let index = LineIndex::new(TEXT);
    let second = TEXT.rfind("description").unwrap();
    let first = TEXT.find("description").unwrap();
    vec![
        Diagnostic::error(DUPLICATE, "the key `description` stands twice")
            .at(
                index.locate("bake/SKILL.md", second..second + 11),
                "again here",
            )
            .at(
                index.locate("bake/SKILL.md", first..first + 11),
                "first here",
            )
            .help("keep one of the two lines"),
        Diagnostic::warning(FOLDER, "permission denied").at(Location::file("locked"), ""),
    ]
}

fn source(file: &str) -> Option<String> {
    (file == "bake/SKILL.md").then(|| TEXT.to_owned())
}

#[test]
fn full_underlines_the_source() {
    insta::assert_snapshot!(full(&findings(), &source, false));
}

#[test]
fn full_without_the_text_still_names_the_place() {
    let shown = full(&findings(), &|_: &str| None, false);
    assert!(shown.contains("--> bake/SKILL.md:4:1"), "{shown}");
    assert!(shown.contains("::: bake/SKILL.md:3:1"), "{shown}");
}

#[test]
fn full_never_panics_on_a_span_of_another_text() {
    let shown = full(&findings(), &|_: &str| Some("短".to_owned()), false);
    assert!(shown.contains("stands twice"), "{shown}");
}

/// A line of a stranger's file must not steer the terminal, and what is underlined stays in its place.
#[test]
fn full_marks_what_a_terminal_would_obey() {
    let text = "a: \u{9b}2J\u{200b}bad \u{9b}end\n";
    let index = LineIndex::new(text);
    let at = text.find("bad").unwrap();
    let finding =
        Diagnostic::error(DUPLICATE, "not good").at(index.locate("x/SKILL.md", at..at + 3), "here");
    insta::assert_snapshot!(full(&[finding], &|_: &str| Some(text.to_owned()), false), @"
    error[MT105]: not good
     --> x/SKILL.md:1:8
      |
    1 | a: �2J�bad �end
      |        ^^^ here
    ");
}

#[test]
fn concise_is_one_line_each() {
    insta::assert_snapshot!(concise(&findings()));
}

#[test]
fn json_is_one_object_a_line() {
    insta::assert_snapshot!(json_lines(&findings()));
}

#[test]
fn github_is_one_command_each() {
    insta::assert_snapshot!(github(&findings()));
}

#[test]
fn junit_is_a_case_each() {
    insta::assert_snapshot!(junit(&findings(), ["fine/SKILL.md"]));
}

#[test]
fn sarif_is_one_log() {
    let run = SarifRun {
        tool: "metier",
        version: "1.2.3",
    };
    insta::assert_snapshot!(sarif(&findings(), run, &source));
}

#[test]
fn sarif_without_findings_is_a_log_too() {
    let run = SarifRun {
        tool: "metier",
        version: "1.2.3",
    };
    let log: serde_json::Value = serde_json::from_str(&sarif([], run, &source)).unwrap();
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn a_page_has_a_head_and_the_explanation() {
    const EXPLAINED: Code = DUPLICATE.explained("## What it does\nFinds.\n\n");
    assert_eq!(
        DUPLICATE.page(),
        "# MT105 `duplicate-key`\n\nA key stands twice.\n"
    );
    assert_eq!(
        EXPLAINED.page(),
        "# MT105 `duplicate-key`\n\nA key stands twice.\n\n## What it does\nFinds.\n"
    );
}

#[test]
fn a_name_of_a_stranger_is_no_command_for_the_terminal() {
    let odd = "esc\u{1b}[2J\nline\u{202e}";
    let finding = Diagnostic::warning(FOLDER, format!("the folder {odd}"))
        .at(Location::file(format!("{odd}/SKILL.md")), odd)
        .help(odd);
    let shown = [
        full([&finding], &|_: &str| Some(TEXT.to_owned()), false),
        full([&finding], &|_: &str| None, false),
        concise([&finding]),
        finding.to_string(),
    ];
    for text in shown {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        assert!(text.contains("esc"), "{text:?}");
    }
    // A program gets the name as it is.
    let line = json_lines([&finding]);
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(read["labels"][0]["message"], odd);
}

/// What is rendered of a finding is as long as its lines, not as long as its file.
#[test]
fn full_shows_the_lines_of_a_place_whatever_else_is_in_the_file() {
    let line = "- name: bake\n";
    let text = line.repeat(40_000);
    let index = LineIndex::new(&*text);
    let at = |number: usize, span: std::ops::Range<usize>| {
        let start = number * line.len();
        index.locate("tools.yaml", start + span.start..start + span.end)
    };
    let asked = std::cell::Cell::new(0);
    let source = |_: &str| {
        asked.set(asked.get() + 1);
        Some(text.clone())
    };
    let findings: Vec<Diagnostic> = (0..50)
        .map(|number| {
            Diagnostic::error(DUPLICATE, "twice")
                .at(at(30_000 + number, 8..12), "again")
                .at(at(1, 2..6), "first")
        })
        .collect();
    let shown = full(&findings, &source, false);
    assert_eq!(asked.get(), 1, "each text is asked for once");
    assert_eq!(shown.matches("--> tools.yaml:300").count(), 50);
    assert!(shown.contains("--> tools.yaml:30001:9"), "{shown}");
    assert!(shown.contains("30001 | - name: bake\n"), "{shown}");
    assert!(shown.contains("::: tools.yaml:2:3"), "{shown}");
    // Of a place over many lines its first is shown, of a line without end its number.
    let whole = [Diagnostic::error(DUPLICATE, "long").at(at(0, 0..text.len()), "")];
    let shown = full(&whole, &source, false);
    assert!(
        shown.contains("1 | - name: bake") && shown.len() < 200,
        "{shown}"
    );
    let endless = "x".repeat(1 << 20);
    let place = LineIndex::new(&*endless).locate("tools.yaml", 70_000..70_003);
    let shown = full(
        &[Diagnostic::error(DUPLICATE, "far").at(place, "")],
        &|_: &str| Some(endless.clone()),
        false,
    );
    assert!(
        shown.contains("--> tools.yaml:1:70001") && shown.len() < 200,
        "{shown}"
    );
}
