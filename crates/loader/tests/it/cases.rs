//! What authors do in the field, in small: each test is one thing that other loaders get wrong.

use std::fmt::Write as _;

use metier_loader::{LoadedSkill, ParseMode, ScanReport};
use metier_skill_model::{ScriptLookup, SkillMetadata};
use serde_json::json;

use crate::folder::Folder;

struct Case {
    lenient: ScanReport,
    strict: ScanReport,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (path, content) in files {
            folder.write(&format!("skills/{path}"), content);
        }
        Self {
            lenient: folder.scan(&["skills"], ParseMode::Lenient),
            strict: folder.scan(&["skills"], ParseMode::Strict),
        }
    }

    /// One line for a skill in both modes: how it fares, and the codes above info.
    fn fares(&self, folder: &str) -> String {
        let mut line = String::new();
        for (mode, report) in [("lenient", &self.lenient), ("strict", &self.strict)] {
            let loaded = report
                .skills
                .iter()
                .find(|skill| skill.display_path == folder);
            let rejected = report
                .rejected
                .iter()
                .find(|skill| skill.display_path == folder);
            let shadowed = report
                .shadowed
                .iter()
                .find(|other| other.skill.display_path == folder);
            let (word, findings) = match (loaded, rejected, shadowed) {
                (Some(skill), _, _) if skill.unusable.is_some() => ("error", &skill.diagnostics),
                (Some(skill), _, _) => ("loads", &skill.diagnostics),
                (_, Some(skill), _) => ("skipped", &skill.diagnostics),
                (_, _, Some(other)) => ("shadowed", &other.skill.diagnostics),
                _ => panic!("{folder} vanished"),
            };
            let _ = write!(line, "{mode} {word}");
            for finding in findings {
                if finding.severity > metier_diagnostics::Severity::Info {
                    let _ = write!(line, " {}", finding.code.id);
                }
            }
            line.push_str("; ");
        }
        line.trim_end_matches("; ").to_owned()
    }

    fn skill(&self, folder: &str) -> &LoadedSkill {
        let found = self
            .lenient
            .skills
            .iter()
            .find(|skill| skill.display_path == folder);
        found.unwrap()
    }

    fn metadata(&self, folder: &str) -> &SkillMetadata {
        &self.skill(folder).metadata
    }

    /// All findings of both modes, as text.
    fn said(&self, folder: &str) -> String {
        let mut said = String::new();
        for report in [&self.lenient, &self.strict] {
            let loaded = report
                .skills
                .iter()
                .filter(|skill| skill.display_path == folder)
                .flat_map(|skill| &skill.diagnostics);
            let rejected = report
                .rejected
                .iter()
                .filter(|skill| skill.display_path == folder)
                .flat_map(|skill| &skill.diagnostics);
            for finding in loaded.chain(rejected) {
                let help = finding.help.as_deref().unwrap_or_default();
                let _ = writeln!(said, "{finding} {help}");
            }
        }
        said
    }
}

fn head(text: &str) -> String {
    format!("---\n{text}---\nBody\n")
}

#[test]
fn a_colon_in_the_description() {
    let text = head(
        "name: look\ndescription: Inspects a shot: frames, handles. Use when: reviewing\nallowed-tools: Read\n",
    );
    let case = Case::new(&[("look/SKILL.md", &text)]);
    assert_eq!(
        case.fares("look"),
        "lenient loads MT118; strict skipped MT118"
    );
    let skill = case.skill("look");
    assert_eq!(
        skill.metadata.description,
        "Inspects a shot: frames, handles. Use when: reviewing"
    );
    assert_eq!(skill.metadata.allowed_tools, ["Read"]);
    assert!(skill.not_served.is_some());
    let said = case.said("look");
    assert_eq!(said.matches("look/SKILL.md:3").count(), 2, "{said}");
    assert!(said.contains("quote the value"), "{said}");
}

#[test]
fn block_scalars_are_read_as_yaml_says() {
    let folded = head("name: folded\ndescription: >-\n  Sets up\n  a shot.\n\n  WHEN: dusk\n");
    let literal = head("name: literal\ndescription: |\n  One.\n  NOT: two\n");
    let hint = head("name: hint\ndescription: |2-\n    deep\n");
    let case = Case::new(&[
        ("folded/SKILL.md", &folded),
        ("literal/SKILL.md", &literal),
        ("hint/SKILL.md", &hint),
    ]);
    assert_eq!(
        case.metadata("folded").description,
        "Sets up a shot.\nWHEN: dusk"
    );
    assert_eq!(case.metadata("literal").description, "One.\nNOT: two\n");
    assert_eq!(case.metadata("hint").description, "  deep");
    for folder in ["folded", "literal", "hint"] {
        assert_eq!(case.fares(folder), "lenient loads; strict loads");
    }
}

#[test]
fn line_ends_and_marks_change_nothing() {
    let plain = "---\nname: same\ndescription: d\nmetadata:\n  dcc-mcp:\n    tags: [a, b]\n    depends: [base]\n---\nBody\n";
    let read = |text: &str| {
        let case = Case::new(&[("same/SKILL.md", text)]);
        let mut metadata = case.metadata("same").clone();
        metadata.skill_path = std::path::PathBuf::new();
        (metadata, case.fares("same"))
    };
    let expected = read(plain);
    assert_eq!(read(&plain.replace('\n', "\r\n")), expected);
    let mixed = plain.replacen('\n', "\r\n", 3);
    assert_eq!(read(&mixed), expected);
    let marked = read(&format!("\u{FEFF}{plain}"));
    assert_eq!(marked.0, expected.0);
    assert_eq!(marked.1, "lenient loads MT114; strict loads MT114");
}

#[test]
fn values_keep_their_spelling_and_json_reads_them() {
    let text = head(
        "name: spelled\ndescription: d\nflag: no\nmetadata:\n  dcc-mcp:\n    version: 1.10\n    tags: [no, yes, on, off]\n",
    );
    let case = Case::new(&[("spelled/SKILL.md", &text)]);
    let metadata = case.metadata("spelled");
    assert_eq!(metadata.version, "1.10");
    assert_eq!(metadata.tags, ["no", "yes", "on", "off"]);
    assert_eq!(metadata.front_matter["flag"], json!("no"));
    assert_eq!(
        metadata.front_matter["metadata"]["dcc-mcp"]["version"],
        json!(1.1)
    );
}

#[test]
fn fences_inside_values_and_bodies() {
    let text =
        "---\nname: fence\ndescription: a --- b\nlicense: MIT\n---\nBody\n\n---\n\nmore: text\n";
    let case = Case::new(&[("fence/SKILL.md", text)]);
    let skill = case.skill("fence");
    assert_eq!(skill.metadata.description, "a --- b");
    assert_eq!(skill.metadata.license, "MIT");
    assert_eq!(skill.body_excerpt, "Body\n\n---\n\nmore: text\n");
}

#[test]
fn what_is_skipped_in_both_modes_says_why() {
    for (text, word) in [
        ("---\nname: x\n", "not closed"),
        ("", "empty"),
        ("\n \n", "blank lines"),
        ("# Title\n", "no front matter"),
        ("---\n---\n", "front matter is empty"),
        ("---\n- a\n---\n", "found a list"),
        ("---\nname: x\n\tdescription: y\n---\n", "tab"),
        ("---\nname: x\nname: y\n---\n", "lines 2 and 3"),
        ("<!-- note -->\n---\nname: x\n---\n", "found a comment"),
        ("---\nname: ../up\ndescription: d\n---\n", "`/`"),
        ("---\nname: 'a\u{202E}b'\ndescription: d\n---\n", "U+202E"),
        (
            "---\nname: x\ntools: [a]\ndcc: maya\n---\n",
            "`tools`, `dcc`",
        ),
        ("---\nname: x\ndescription: [open\n---\n", "not valid YAML"),
        ("---\nname: x\na: &a [b]\n<<: *a\n---\n", "`<<`"),
        ("---\nname: x\na: !!python/name b\n---\n", "tag"),
    ] {
        let case = Case::new(&[
            ("bad/SKILL.md", text),
            ("good/SKILL.md", &head("name: good\ndescription: d\n")),
        ]);
        assert!(
            case.fares("bad").starts_with("lenient skipped"),
            "{text:?}: {}",
            case.fares("bad")
        );
        assert!(case.fares("bad").contains("strict skipped"), "{text:?}");
        assert!(
            case.said("bad").contains(word),
            "{text:?}: {}",
            case.said("bad")
        );
        assert_eq!(case.fares("good"), "lenient loads; strict loads");
    }
}

#[test]
fn empty_values_count_as_absent() {
    let nothing = head(
        "name: nothing\ndescription: d\nmetadata:\n  dcc-mcp:\n    tags:\n    depends: [a, null, '']\n",
    );
    let nameless = head("name:\ndescription: ''\n");
    let case = Case::new(&[
        ("nothing/SKILL.md", &nothing),
        ("nameless/SKILL.md", &nameless),
    ]);
    assert_eq!(case.metadata("nothing").tags, Vec::<String>::new());
    assert_eq!(case.metadata("nothing").depends, ["a"]);
    assert_eq!(
        case.fares("nothing"),
        "lenient loads MT136 MT136; strict loads MT136 MT136"
    );
    assert_eq!(case.metadata("nameless").name.as_str(), "nameless");
    assert!(case.fares("nameless").contains("strict skipped"));
}

#[test]
fn metadata_of_the_wrong_shape() {
    let with = |name: &str, metadata: &str| {
        head(&format!(
            "name: {name}\ndescription: d\nmetadata: {metadata}\n"
        ))
    };
    let case = Case::new(&[
        ("scalar/SKILL.md", &with("scalar", "word")),
        ("list/SKILL.md", &with("list", "{dcc-mcp: [a]}")),
        (
            "inline/SKILL.md",
            &with("inline", "{dcc-mcp: {tools: [{name: a}]}}"),
        ),
        ("number/SKILL.md", &with("number", "{dcc-mcp: {tools: 7}}")),
    ]);
    assert_eq!(
        case.fares("scalar"),
        "lenient loads MT135; strict skipped MT135"
    );
    assert_eq!(
        case.fares("list"),
        "lenient loads MT135; strict skipped MT135"
    );
    assert_eq!(
        case.fares("inline"),
        "lenient error MT201; strict skipped MT201"
    );
    assert_eq!(
        case.fares("number"),
        "lenient error MT201; strict skipped MT201"
    );
}

#[test]
fn lists_may_be_text_and_keys_may_be_dotted() {
    let text = head(
        "name: words\ndescription: d\nmetadata:\n  dcc-mcp.dcc: maya\n  dcc-mcp.tags: 'rig， anim'\n  dcc-mcp.search-aliases: 绑定、骨骼\n  dcc-mcp.depends: base-a,base-b\n",
    );
    let case = Case::new(&[("words/SKILL.md", &text)]);
    let metadata = case.metadata("words");
    assert_eq!(metadata.dcc, "maya");
    assert_eq!(metadata.tags, ["rig", "anim"]);
    assert_eq!(metadata.search_aliases, ["绑定", "骨骼"]);
    assert_eq!(metadata.depends, ["base-a", "base-b"]);
    assert_eq!(
        case.fares("words"),
        "lenient loads MT133 MT133 MT133 MT133; strict loads MT133 MT133 MT133 MT133"
    );
}

#[test]
fn dependencies_in_every_shape() {
    for depends in [
        "base-a",
        "[base-a, null]",
        "['base-a>=1.2']",
        "[{name: base-a, version: 1}]",
    ] {
        let text = head(&format!(
            "name: needs\ndescription: d\nmetadata:\n  dcc-mcp:\n    depends: {depends}\n"
        ));
        let case = Case::new(&[("needs/SKILL.md", &text)]);
        assert_eq!(case.metadata("needs").depends, ["base-a"], "{depends}");
    }
    let own = head("name: own\ndescription: d\nmetadata: {dcc-mcp: {depends: [own]}}\n");
    let case = Case::new(&[("own/SKILL.md", &own)]);
    assert_eq!(
        case.fares("own"),
        "lenient loads MT139; strict skipped MT139"
    );
    assert!(case.metadata("own").depends.is_empty());
}

fn with_tools(tools: &str) -> Case {
    let head = head("name: kit\ndescription: d\nmetadata: {dcc-mcp: {tools: tools.yaml}}\n");
    Case::new(&[
        ("kit/SKILL.md", &head),
        ("kit/tools.yaml", tools),
        ("kit/scripts/bake.py", ""),
        ("kit/scripts/bake.sh", ""),
        ("kit/scripts/other.py", ""),
    ])
}

#[test]
fn one_bad_entry_costs_that_entry() {
    let case = with_tools(
        "tools:\n  - name: bake\n    desciption: x\n  - 7\n  - description: nameless\n  - other\n  - name: bake\n  - {name: m, <<: {a: b}}\n",
    );
    let names: Vec<_> = case
        .metadata("kit")
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["bake", "other"]);
    let said = case.said("kit");
    for word in [
        "did you mean `description`?",
        "tools[1]",
        "tools[2]",
        "lines 2 and 7",
        "`<<`",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(case.fares("kit").contains("strict skipped"));
}

#[test]
fn a_tools_file_that_cannot_be_used_as_a_whole() {
    for tools in [
        "tools: {a: b}\n",
        "- a\n",
        "tools: [a\n",
        "tools: [a]\n---\ntools: [b]\n",
    ] {
        let case = with_tools(tools);
        let fares = case.fares("kit");
        assert!(
            fares.starts_with("lenient error") && fares.contains("strict skipped"),
            "{tools:?}: {fares}"
        );
        assert!(case.metadata("kit").tools.is_empty(), "{tools:?}");
    }
}

#[test]
fn scripts_are_found_and_never_outside() {
    let case = with_tools(
        "tools:\n  - bake\n  - {name: gone, source_file: scripts/gone.py}\n  - {name: cased, source_file: scripts/OTHER.py}\n  - {name: up, source_file: ../up.py}\n  - {name: absolute, source_file: /bin/sh}\n",
    );
    let tools = &case.metadata("kit").tools;
    let script = |path: &str| ScriptLookup::Script {
        path: path.to_owned(),
    };
    assert_eq!(tools[0].script, script("scripts/bake.py"));
    assert_eq!(
        tools[1].script,
        ScriptLookup::Missing {
            path: "scripts/gone.py".to_owned(),
            similar: None
        }
    );
    assert_eq!(
        tools[2].script,
        ScriptLookup::Missing {
            path: "scripts/OTHER.py".to_owned(),
            similar: Some("scripts/other.py".to_owned()),
        }
    );
    assert!(tools[3].refusal.is_some() && tools[4].refusal.is_some());
    assert!(case.said("kit").contains("MT232"));
    assert!(case.fares("kit").contains("strict skipped"));
}

#[test]
fn schemas_in_every_spelling() {
    let schema = "{type: object, properties: {size: {type: number}}}";
    for key in ["input_schema", "inputSchema", "input-schema"] {
        let case = with_tools(&format!("tools:\n  - name: bake\n    {key}: {schema}\n"));
        let read = case.metadata("kit").tools[0].input_schema.clone().unwrap();
        assert_eq!(
            json!(read),
            json!({"type": "object", "properties": {"size": {"type": "number"}}})
        );
    }
    let text = r#"'{"type": "object", "properties": {"size": {"type": "number"}}}'"#;
    let case = with_tools(&format!(
        "tools:\n  - name: bake\n    input_schema: {text}\n"
    ));
    assert!(case.metadata("kit").tools[0].input_schema.is_some());
    for bad in [
        "'{broken'",
        "true",
        "[a]",
        "{type: array}",
        "{$ref: 'http://x/y'}",
    ] {
        let case = with_tools(&format!(
            "tools:\n  - name: bake\n    input_schema: {bad}\n"
        ));
        assert!(case.metadata("kit").tools[0].refusal.is_some(), "{bad}");
    }
}

mod order {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The entries of a folder come in the order in which they were made, more or less; the
        /// report must not show it.
        #[test]
        fn the_order_of_a_folder_plays_no_part(
            names in Just((0..12).map(|n| format!("{}/s{n}", ["b", "a", "c/d"][n % 3])).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let folder = Folder::new();
            for name in &names {
                folder.skill(&format!("skills/{name}"));
            }
            folder.write("skills/broken/SKILL.md", "").write("skills/bare/tools.yaml", "");
            let report = folder.scan(&["skills"], ParseMode::Lenient);
            let found: Vec<_> = report.skills.iter().map(|skill| skill.display_path.clone()).collect();
            let mut sorted = found.clone();
            sorted.sort_by(|one, other| one.split('/').cmp(other.split('/')));
            prop_assert_eq!(&found, &sorted);
            prop_assert_eq!(found.len(), names.len());
            prop_assert_eq!(report.rejected.len(), 1);
            prop_assert_eq!(report.diagnostics.len(), 1);
        }
    }
}
