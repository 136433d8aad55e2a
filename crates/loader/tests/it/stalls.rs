//! Files as large as they may be, of the shapes that make lookups by scanning take minutes.
//!
//! What is asserted is the outcome; a quadratic reading shows as a test that does not come to its end.

use std::fmt::Write as _;

use metier_diagnostics::{Diagnostic, Severity};
use metier_loader::{LoadedSkill, ParseMode, RejectedSkill, parse_skill_dir};

use crate::folder::Folder;

/// A little below the largest tools file.
const LARGEST: usize = 1024 * 1024 - 64;

const FRONT: &str =
    "---\nname: bake\ndescription: x\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n---\n";

/// `head`, and lines for 0, 1, 2 … as long as they fit.
fn filled(head: &str, limit: usize, line: impl Fn(usize) -> String) -> (String, usize) {
    let mut text = head.to_owned();
    for number in 0.. {
        let line = line(number);
        if text.len() + line.len() > limit {
            return (text, number);
        }
        text.push_str(&line);
    }
    unreachable!("every limit is reached")
}

fn tools(text: &str) -> LoadedSkill {
    let folder = Folder::new();
    folder
        .write("bake/SKILL.md", FRONT)
        .write("bake/tools.yaml", text);
    parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap()
}

fn front(text: &str) -> Result<LoadedSkill, Box<RejectedSkill>> {
    let folder = Folder::new();
    folder.write("bake/SKILL.md", text);
    parse_skill_dir(&folder.at("bake"), ParseMode::Lenient)
}

fn left_out(findings: &[Diagnostic]) -> &str {
    assert!(findings.len() <= 101, "{}", findings.len());
    let told = findings.iter().find(|finding| finding.code.id == "MT163");
    &told.unwrap().message
}

#[test]
fn capabilities() {
    let (text, number) = filled(
        "tools:\n- name: a\n  required_capabilities:\n",
        LARGEST,
        |n| format!("  - c{n}.Read\n"),
    );
    assert_eq!(
        tools(&text).metadata.tools[0].required_capabilities.len(),
        number
    );
}

#[test]
fn unknown_keys() {
    let (text, number) = filled("tools:\n- name: a\n", LARGEST, |n| {
        format!("  search_aliase{n}: 1\n")
    });
    let skill = tools(&text);
    assert_eq!(skill.metadata.tools.len(), 1);
    // 100 are kept of these, beside them the finding that there is no script.
    let told = left_out(&skill.diagnostics);
    assert!(
        told.starts_with(&format!("{} further", number + 1 - 100)),
        "{told}"
    );
    assert!(
        skill.diagnostics[0]
            .help
            .as_deref()
            .unwrap()
            .contains("`search_aliases`")
    );

    let (mut text, number) = filled("---\nname: bake\ndescription: x\n", 255_000, |n| {
        format!("licence{n}: 1\n")
    });
    text.push_str("---\n");
    let skill = front(&text).unwrap();
    assert_eq!(skill.metadata.front_matter.len(), number + 2);
    left_out(&skill.diagnostics);
}

#[test]
fn one_long_key() {
    let skill = tools(&format!(
        "tools:\n- name: a\n  ? {}\n  : 1\n",
        "k".repeat(900_000)
    ));
    let longest = skill
        .diagnostics
        .iter()
        .map(|finding| finding.message.len())
        .max();
    assert!(longest.unwrap() < 1000);
}

#[test]
fn one_tool_many_times() {
    let (text, number) = filled("tools: [a", LARGEST, |_| ", a".to_owned());
    let skill = tools(&format!("{text}]\n"));
    assert_eq!(skill.metadata.tools.len(), 1);
    // A hundred of them are kept, and the warning about the missing script gives way.
    let told = left_out(&skill.diagnostics);
    assert!(told.contains(&format!("{} errors", number - 100)), "{told}");
}

#[test]
fn bad_entries_leave_the_graver_findings() {
    let (text, number) = filled("tools:\n- {name: a, group: b}\n", LARGEST, |_| {
        "- 1\n".to_owned()
    });
    let skill = tools(&text);
    let told = left_out(&skill.diagnostics);
    assert!(
        told.ends_with(&format!("{} errors, 2 warnings", number - 100)),
        "{told}"
    );
    let errors = skill
        .diagnostics
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    assert_eq!(errors.count(), 101);
}

#[test]
fn the_strict_verdict_is_that_of_all_findings() {
    let (mut text, _) = filled("tools:\n- name: a\n", 20_000, |n| format!("  x{n}: 1\n"));
    text.push_str("- 1\n");
    let folder = Folder::new();
    folder
        .write("bake/SKILL.md", FRONT)
        .write("bake/tools.yaml", &text)
        .write("bake/scripts/a.py", "");
    let rejected = parse_skill_dir(&folder.at("bake"), ParseMode::Strict).unwrap_err();
    assert!(
        rejected
            .diagnostics
            .iter()
            .any(|finding| finding.code.id == "MT220")
    );
}

#[test]
fn many_scripts_without_tools_and_with_as_many() {
    let folder = Folder::new();
    folder.write("bake/SKILL.md", "---\nname: bake\ndescription: x\n---\n");
    for number in 0..4000 {
        folder.write(&format!("bake/scripts/s{number}.py"), "");
    }
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    assert_eq!(skill.metadata.tools.len(), 4000);

    let (text, number) = filled("tools:\n", LARGEST / 2, |n| {
        format!("- {{name: t{n}, source_file: scripts/S{n}.py}}\n")
    });
    folder
        .write("bake/SKILL.md", FRONT)
        .write("bake/tools.yaml", text);
    let skill = parse_skill_dir(&folder.at("bake"), ParseMode::Lenient).unwrap();
    assert_eq!(skill.metadata.tools.len(), number);
    let first = skill.diagnostics[0].help.as_deref();
    assert_eq!(first, Some("there is `scripts/s0.py`; letter case counts"));
}

#[test]
fn groups_and_tools_by_the_ten_thousand() {
    let mut text = "groups:\n".to_owned();
    for number in 0..16_000 {
        writeln!(text, "- {{name: g{number}, tools: [t{number}]}}").unwrap();
    }
    let (text, number) = filled(&(text + "tools:\n"), LARGEST, |n| {
        format!("- {{name: t{n}}}\n")
    });
    assert!(number > 16_000);
    let skill = tools(&text);
    assert_eq!(skill.metadata.tools[15_999].group, "g15999");
    assert_eq!(skill.metadata.tools[16_000].group, "");
}

#[test]
fn dependencies() {
    let (text, number) = filled(
        "---\nname: bake\ndescription: x\nmetadata:\n  dcc-mcp:\n    depends: a",
        255_000,
        |n| format!(",b{n:x}"),
    );
    let skill = front(&format!("{text}\n---\n")).unwrap();
    assert_eq!(skill.metadata.depends.len(), number + 1);
}

#[test]
fn a_fault_in_every_entry() {
    let (text, _) = filled("tools:\n", LARGEST, |n| {
        format!("- {{name: a{n}, x: 1, x: 2}}\n")
    });
    let skill = tools(&text);
    assert_eq!(skill.metadata.tools.len(), 0);
    left_out(&skill.diagnostics);
}

#[test]
fn a_long_text_behind_many_aliases() {
    let text = format!(
        "x: &x {}\ntools:\n- name: a\n  input_schema: {{a: [{}1]}}\n",
        "y".repeat(900_000),
        "*x, ".repeat(9000)
    );
    let skill = tools(&text);
    assert!(skill.unusable.unwrap().contains("alias limit"));
}

#[test]
fn a_long_name_and_many_faults_below_it() {
    let head = format!(
        "tools:\n- name: {}\n  required_capabilities:\n",
        "n".repeat(400_000)
    );
    let (text, _) = filled(&head, LARGEST, |_| "  - ~\n".to_owned());
    let skill = tools(&text);
    left_out(&skill.diagnostics);
}
